// SPDX-License-Identifier: Apache-2.0
// Runs every case, or those whose name contains the first argument. Exit code 1 if a check failed.
#include <cstring>

#include "check.hh"

int main(int argument_count, char** arguments) {
  const char* wanted = argument_count > 1 ? arguments[1] : "";
  int run_count = 0;
  for (const auto& test : wattfeed::test::Cases()) {
    if (std::strstr(test.name, wanted) == nullptr) continue;
    const int before = wattfeed::test::Failures();
    test.run();
    run_count++;
    std::printf("%s %s\n", wattfeed::test::Failures() == before ? "ok    " : "FAILED", test.name);
    std::fflush(stdout);
  }
  std::printf("%d cases, %d failed checks\n", run_count, wattfeed::test::Failures());
  return run_count > 0 && wattfeed::test::Failures() == 0 ? 0 : 1;
}
