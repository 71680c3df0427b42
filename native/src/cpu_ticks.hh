// SPDX-License-Identifier: Apache-2.0
// Interrupt and steal time of each CPU from /proc/stat, where no program can read the kernel's own
// nanoseconds (a kernel without CONFIG_KALLSYMS_ALL does not know the address of kernel_cpustat).
#ifndef WATTFEED_CPU_TICKS_HH_
#define WATTFEED_CPU_TICKS_HH_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "records.hh"
#include "unique_fd.hh"

namespace wattfeed {

// Of one `cpuN` line, in the file's ticks.
struct CpuTickLine {
  uint32_t cpu = 0;
  uint64_t irq = 0, softirq = 0, steal = 0;
};

// False: not the line of a single CPU, or shorter than a kernel since 2.6.11 writes it.
bool ParseCpuTickLine(std::string_view line, CpuTickLine& out);

class CpuTicks {
 public:
  // Always the real /proc, like the programs: see OnlineCpus. `has_irq_time`: the kernel takes
  // interrupts out of the tasks' time; without it they would be charged twice.
  CpuTicks(bool has_irq_time, const char* path = "/proc/stat");

  // Writes what the file says into the records; leaves the rest as it is. A file that cannot be
  // read makes all unavailable.
  void CopyInto(std::span<cpu_record> records);

 private:
  bool ReadText();

  UniqueFd fd_;
  bool has_irq_time_;
  uint64_t tick_ns_;
  std::string text_;
};

}  // namespace wattfeed

#endif  // WATTFEED_CPU_TICKS_HH_
