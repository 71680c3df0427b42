/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* What the schedulers count and their loader prints. Included after vmlinux.h or linux/types.h. */
#ifndef WATTFEED_SCX_ENERGY_STATS_H
#define WATTFEED_SCX_ENERGY_STATS_H

/* Plain +=: a count that is lost now and then is good enough to look at. */
struct scx_energy_stats {
	__u64 charged_by_energy; /* slices charged by the feed's power */
	__u64 charged_by_time;	 /* slices charged by time: no feed, or not of this task */
	__u64 status[5];	 /* looks at the feed, by enum power_feed_status */
	__u64 held;		 /* enqueues that held a task back */
	__u64 yielded;		 /* enqueues into the queue of those who yield */
	__u64 longest_hold_ns;	 /* from being held to running */
	__u64 capped_charges;
};

#endif /* WATTFEED_SCX_ENERGY_STATS_H */
