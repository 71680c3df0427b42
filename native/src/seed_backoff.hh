// SPDX-License-Identifier: Apache-2.0
// Decides when the seed pass is run again because tasks without storage were seen.
#ifndef WATTFEED_SEED_BACKOFF_HH_
#define WATTFEED_SEED_BACKOFF_HH_

#include <algorithm>
#include <cstdint>

#include "clocks.hh"

namespace wattfeed {

// Some tasks are never shown to an iterator (a virtual machine's guest agent hidden by its host,
// for example): the pass cannot help them, so each one after which misses go on doubles the wait.
class SeedBackoff {
 public:
  static constexpr uint64_t kShortestNs = 5 * kNsPerSec;
  static constexpr uint64_t kLongestNs = 600 * kNsPerSec;
  static constexpr uint32_t kQuietWindowsToForgive = 12;

  // Called once per window; true: run the pass now.
  bool ShouldSeed(uint64_t now_ns, uint64_t storage_misses) {
    if (storage_misses == 0) {
      if (++quiet_windows_ >= kQuietWindowsToForgive) wait_ns_ = kShortestNs;
      return false;
    }
    quiet_windows_ = 0;
    if (has_run_ && now_ns < last_run_ns_ + wait_ns_) return false;
    if (has_run_) wait_ns_ = std::min(wait_ns_ * 2, kLongestNs);
    has_run_ = true;
    last_run_ns_ = now_ns;
    return true;
  }

 private:
  bool has_run_ = false;
  uint64_t last_run_ns_ = 0;
  uint64_t wait_ns_ = kShortestNs;
  uint32_t quiet_windows_ = 0;
};

}  // namespace wattfeed

#endif  // WATTFEED_SEED_BACKOFF_HH_
