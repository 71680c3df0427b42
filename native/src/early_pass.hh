// SPDX-License-Identifier: Apache-2.0
// Decides when the free ring is low enough for a window to be closed before its time.
#ifndef WATTFEED_EARLY_PASS_HH_
#define WATTFEED_EARLY_PASS_HH_

#include <algorithm>
#include <cstdint>

#include "clocks.hh"

namespace wattfeed {

// An early window gives dead slots back before new tasks find none. Where it gives nothing back
// (the table is simply too small for the living) the next one waits twice as long.
class EarlyPass {
 public:
  static constexpr uint64_t kShortestNs = 100 * kNsPerMsec;
  static constexpr uint64_t kLongestNs = 60 * kNsPerSec;

  static bool IsLow(uint32_t free_count, uint32_t limit) { return free_count < limit / 16; }

  // How long the thread may sleep without looking at the ring: a look is two loads. Half a default
  // table in 100 ms would take 300,000 forks a second.
  static uint64_t LookEveryNs(uint32_t free_count, uint32_t limit) {
    return free_count < limit / 2 ? kShortestNs : kNsPerSec;
  }

  bool IsDue(uint64_t now_ns, uint32_t free_count, uint32_t limit) const {
    return IsLow(free_count, limit) && now_ns >= last_pass_ns_ + wait_ns_;
  }

  void OnPass(uint64_t now_ns, uint32_t returned_count) {
    last_pass_ns_ = now_ns;
    wait_ns_ = returned_count > 0 ? kShortestNs : std::min(wait_ns_ * 2, kLongestNs);
  }

 private:
  uint64_t last_pass_ns_ = 0;
  uint64_t wait_ns_ = kShortestNs;
};

}  // namespace wattfeed

#endif  // WATTFEED_EARLY_PASS_HH_
