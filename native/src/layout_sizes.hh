// SPDX-License-Identifier: Apache-2.0
// Sizes of what crosses from the kernel side to JavaScript as bytes: with them the JavaScript
// beside an addon sees whether both were built from the same headers.
#ifndef WATTFEED_LAYOUT_SIZES_HH_
#define WATTFEED_LAYOUT_SIZES_HH_

#include <cstddef>

#include "feed_request.h"
#include "power_feed.h"
#include "records.h"
#include "spin.h"

namespace wattfeed {

struct LayoutSize {
  const char* name;
  size_t bytes;
};

inline constexpr LayoutSize kLayoutSizes[] = {
    {"windowHeader", sizeof(window_header)},
    {"windowCpu", sizeof(window_cpu)},
    {"windowSource", sizeof(window_source)},
    {"windowOverflow", sizeof(window_overflow)},
    {"windowTask", sizeof(window_task)},
    {"spinRecord", sizeof(spin_record)},
    {"powerFeedState", sizeof(power_feed_state)},
    {"powerFeedPackageHalf", sizeof(power_feed_package_half)},
    {"powerFeedCpuHalf", sizeof(power_feed_cpu_half)},
    {"powerFeedCgroupHalf", sizeof(power_feed_cgroup_half)},
    {"powerFeedTask", sizeof(power_feed_task)},
    {"feedTaskRow", sizeof(feed_task_row)},
};

}  // namespace wattfeed

#endif  // WATTFEED_LAYOUT_SIZES_HH_
