// SPDX-License-Identifier: Apache-2.0
// Clock readings in nanoseconds.
#ifndef WATTFEED_CLOCKS_HH_
#define WATTFEED_CLOCKS_HH_

#include <time.h>

#include <cstdint>

namespace wattfeed {

inline constexpr uint64_t kNsPerSec = 1'000'000'000;
inline constexpr uint64_t kNsPerMsec = 1'000'000;

inline uint64_t ClockNs(clockid_t clock) {
  timespec at{};
  clock_gettime(clock, &at);
  return static_cast<uint64_t>(at.tv_sec) * kNsPerSec + static_cast<uint64_t>(at.tv_nsec);
}

// The clock of bpf_ktime_get_ns().
inline uint64_t MonotonicNs() { return ClockNs(CLOCK_MONOTONIC); }

}  // namespace wattfeed

#endif  // WATTFEED_CLOCKS_HH_
