// SPDX-License-Identifier: Apache-2.0
// Which CPUs are online, read at each window's edge.
#ifndef WATTFEED_ONLINE_CPUS_HH_
#define WATTFEED_ONLINE_CPUS_HH_

#include <string>
#include <string_view>
#include <vector>

#include "clocks.hh"
#include "unique_fd.hh"

namespace wattfeed {

// Bits of a kernel CPU list such as "0-3,7". CPUs at or above `cpu_count` and malformed parts are
// left out.
std::vector<bool> ParseCpuList(std::string_view list, size_t cpu_count);

class OnlineCpus {
 public:
  // Always the real /sys: the programs run in this kernel, whatever root the energy files have.
  explicit OnlineCpus(size_t possible_count, const char* path = "/sys/devices/system/cpu/online");

  // How old the answer may be. Reading the file takes 15 us of a window's 60; that a CPU is busy is
  // seen in its record, and a CPU that went offline is only counted among the idle ones too long.
  static constexpr uint64_t kFreshNs = 10 * kNsPerSec;

  // Reads the file where the last answer is older than that, and parses only when the text has
  // changed. All CPUs if it cannot be read: flushing an offline CPU fails harmlessly, leaving one
  // out would lose its running task's time.
  const std::vector<bool>& At(uint64_t now_ns);

 private:
  void Read();

  UniqueFd fd_;
  std::string text_;
  uint64_t read_ns_ = 0;  // 0: never
  std::vector<bool> online_;
};

}  // namespace wattfeed

#endif  // WATTFEED_ONLINE_CPUS_HH_
