// SPDX-License-Identifier: Apache-2.0
// Writes into a task hint map that a scheduler has pinned (scx_layered's --task-hint-map): task
// storage, value { u64 hint; u64 reserved[3] }, hints 0 to 1024.
#ifndef WATTFEED_HINT_MAP_HH_
#define WATTFEED_HINT_MAP_HH_

#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "result.hh"
#include "unique_fd.hh"

namespace wattfeed {

class HintMap {
 public:
  // EPROTO: the pin is something else.
  static Result<HintMap> Open(const std::string& path);

  // Gives each of these threads the hint; returns how many there still were. Before Linux 6.9 the
  // kernel has no handle of a thread that does not lead its process: those are left out.
  Result<uint32_t> Set(std::span<const int32_t> tids, uint64_t hint);
  // Takes the hint from them. Threads that are gone took it along.
  Result<uint32_t> Clear(std::span<const int32_t> tids);

 private:
  explicit HintMap(UniqueFd fd) : fd_(std::move(fd)) {}

  UniqueFd fd_;
};

}  // namespace wattfeed

#endif  // WATTFEED_HINT_MAP_HH_
