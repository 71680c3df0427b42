// SPDX-License-Identifier: Apache-2.0
#include "cpu_ticks.hh"

#include <unistd.h>

#include <cstdio>
#include <string>
#include <vector>

#include "check.hh"

namespace wattfeed {
namespace {

constexpr uint64_t kTickNs = 10'000'000;  // USER_HZ is 100 on every architecture we build for

// A file that looks like /proc/stat, with `cpu_count` CPUs and a line of interrupts behind them.
class StatFile {
 public:
  explicit StatFile(const std::string& text) {
    const int fd = mkstemp(path_);
    if (fd >= 0 && write(fd, text.data(), text.size()) != static_cast<ssize_t>(text.size()))
      std::perror(path_);
    if (fd >= 0) close(fd);
  }
  ~StatFile() { unlink(path_); }
  const char* path() const { return path_; }

 private:
  char path_[32] = "/tmp/wattfeed-stat-XXXXXX";
};

std::string StatText(uint32_t cpu_count) {
  std::string text = "cpu  9 9 9 9 9 9 9 9 0 0\n";
  for (uint32_t cpu = 0; cpu < cpu_count; cpu++)
    text += "cpu" + std::to_string(cpu) + " 100 0 50 9000 7 " + std::to_string(cpu) + " 20 3 0 0\n";
  return text + "intr 5 1 2 3\nctxt 1\n";
}

std::vector<cpu_record> Copy(const std::string& text, size_t records, bool has_irq_time) {
  const StatFile file(text);
  std::vector<cpu_record> cpus(records);
  CpuTicks(has_irq_time, file.path()).CopyInto(cpus);
  return cpus;
}

TEST_CASE(OneLine, "ParseCpuTickLine: takes irq, softirq and steal of one CPU's line") {
  CpuTickLine line;
  REQUIRE(ParseCpuTickLine("cpu12 1 2 3 4 5 6 7 8 9 10", line));
  CHECK(line.cpu == 12 && line.irq == 6 && line.softirq == 7 && line.steal == 8);
}

TEST_CASE(OtherLines, "ParseCpuTickLine: refuses the sum of all CPUs, short and foreign lines") {
  CpuTickLine line;
  for (const char* text : {"cpu  1 2 3 4 5 6 7 8", "cpu1 1 2 3 4 5 6 7", "cpu", "", "intr 1 2 3 4",
                           "cpu1 1 2 3 4 5 6 7 x"})
    CHECK(!ParseCpuTickLine(text, line));
}

TEST_CASE(EachCpu, "CpuTicks: writes nanoseconds into the record of each CPU") {
  const auto cpus = Copy(StatText(3), 3, true);
  for (uint64_t cpu = 0; cpu < 3; cpu++) {
    CHECK(cpus[cpu].irq_ns == cpu * kTickNs);
    CHECK(cpus[cpu].softirq_ns == 20 * kTickNs);
    CHECK(cpus[cpu].steal_ns == 3 * kTickNs);
  }
}

TEST_CASE(NoIrqTime,
          "CpuTicks: leaves interrupts out where the kernel has them in the tasks' time") {
  const auto cpus = Copy(StatText(1), 1, false);
  CHECK(cpus[0].irq_ns == RECORDS_UNAVAILABLE && cpus[0].softirq_ns == RECORDS_UNAVAILABLE);
  CHECK(cpus[0].steal_ns == 3 * kTickNs);
}

TEST_CASE(ManyCpus, "CpuTicks: reads on where the CPUs fill more than the first buffer") {
  const auto cpus = Copy(StatText(1024), 1024, true);
  CHECK(cpus[1023].irq_ns == 1023 * kTickNs);
}

TEST_CASE(MoreCpus, "CpuTicks: passes over CPUs that the tables do not have") {
  CHECK(Copy(StatText(4), 2, true)[1].irq_ns == kTickNs);
}

TEST_CASE(NoFile, "CpuTicks: says unavailable where the file cannot be read") {
  std::vector<cpu_record> cpus(1);
  CpuTicks(true, "/nonexistent/stat").CopyInto(cpus);
  CHECK(cpus[0].irq_ns == RECORDS_UNAVAILABLE && cpus[0].steal_ns == RECORDS_UNAVAILABLE);
}

TEST_CASE(ThisMachine, "CpuTicks: only rises on this machine") {
  std::vector<cpu_record> first(1), second(1);
  CpuTicks ticks(true);
  ticks.CopyInto(first);
  ticks.CopyInto(second);
  CHECK(first[0].softirq_ns != RECORDS_UNAVAILABLE);
  CHECK(second[0].softirq_ns >= first[0].softirq_ns && second[0].steal_ns >= first[0].steal_ns);
}

}  // namespace
}  // namespace wattfeed
