// SPDX-License-Identifier: Apache-2.0
// What a look at the feed gives.
#ifndef WATTFEED_FEED_ROWS_HH_
#define WATTFEED_FEED_ROWS_HH_

#include <linux/types.h>

#include <vector>

#include "power_feed_read.h"
// after power_feed_read.h
#include "feed_request.h"

namespace wattfeed {

struct FeedSnapshot {
  power_feed_status status = POWER_FEED_MISSING;
  __u64 now_ns = 0;
  power_feed_state state{};
  std::vector<power_feed_package_half> packages;
  std::vector<power_feed_cpu_half> cpus;
  std::vector<power_feed_cgroup_half> cgroups;
};

struct FeedTask {
  feed_task_row row{};
  power_feed_status status = POWER_FEED_MISSING;
  power_feed_task_view view{};
};

}  // namespace wattfeed

#endif  // WATTFEED_FEED_ROWS_HH_
