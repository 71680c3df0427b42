// SPDX-License-Identifier: Apache-2.0
// Enough of a test harness for core_test: cases register themselves, a failed check says where.
#ifndef WATTFEED_CHECK_HH_
#define WATTFEED_CHECK_HH_

#include <cstdio>
#include <vector>

namespace wattfeed::test {

struct Case {
  const char* name;
  void (*run)();
};

inline std::vector<Case>& Cases() {
  static std::vector<Case> cases;
  return cases;
}
inline int& Failures() {
  static int failures = 0;
  return failures;
}

struct Registration {
  Registration(const char* name, void (*run)()) { Cases().push_back({name, run}); }
};

inline bool Check(bool holds, const char* text, const char* file, int line) {
  if (!holds) {
    std::fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, text);
    Failures()++;
  }
  return holds;
}

}  // namespace wattfeed::test

#define TEST_CASE(function, fact)                                                     \
  static void function();                                                             \
  static const wattfeed::test::Registration registration_##function(fact, &function); \
  static void function()

#define CHECK(condition) wattfeed::test::Check((condition), #condition, __FILE__, __LINE__)
// Leaves the case: what follows needs it.
#define REQUIRE(condition) \
  if (!CHECK(condition)) return

#endif  // WATTFEED_CHECK_HH_
