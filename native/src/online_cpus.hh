// SPDX-License-Identifier: Apache-2.0
// Which CPUs are online, read at each window's edge.
#ifndef WATTFEED_ONLINE_CPUS_HH_
#define WATTFEED_ONLINE_CPUS_HH_

#include <string>
#include <string_view>
#include <vector>

#include "unique_fd.hh"

namespace wattfeed {

// Bits of a kernel CPU list such as "0-3,7". CPUs at or above `cpu_count` and malformed parts are
// left out.
std::vector<bool> ParseCpuList(std::string_view list, size_t cpu_count);

class OnlineCpus {
 public:
  // Always the real /sys: the programs run in this kernel, whatever root the energy files have.
  explicit OnlineCpus(size_t possible_count, const char* path = "/sys/devices/system/cpu/online");

  // Parses only when the text has changed. All CPUs if the file cannot be read: flushing an offline
  // CPU fails harmlessly, leaving one out would lose its running task's time.
  const std::vector<bool>& Refresh();

 private:
  UniqueFd fd_;
  std::string text_;
  std::vector<bool> online_;
};

}  // namespace wattfeed

#endif  // WATTFEED_ONLINE_CPUS_HH_
