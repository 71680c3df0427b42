// SPDX-License-Identifier: Apache-2.0
// Turns the hash of time that found no slot into rows of differences.
#ifndef WATTFEED_OVERFLOW_TABLE_HH_
#define WATTFEED_OVERFLOW_TABLE_HH_

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "records.hh"

namespace wattfeed {

class OverflowTable {
 public:
  explicit OverflowTable(int map_fd) : map_fd_(map_fd) {}

  // Entries are never removed by either side, so a walk by key misses none that was there at its
  // start; one added meanwhile is met now or in the next window.
  void AppendRows(std::vector<window_overflow>& rows);

 private:
  int map_fd_;
  std::map<std::pair<uint64_t, uint32_t>, uint64_t> kept_ns_;  // by cgroup id and CPU domain
};

}  // namespace wattfeed

#endif  // WATTFEED_OVERFLOW_TABLE_HH_
