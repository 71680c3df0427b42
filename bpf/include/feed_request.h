/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * What the addon and power_feed.bpf.c say to each other about single tasks. Not part of the feed's ABI.
 * Included after power_feed.h.
 */
#ifndef WATTFEED_FEED_REQUEST_H
#define WATTFEED_FEED_REQUEST_H

#define FEED_COMM_LEN 16 /* TASK_COMM_LEN of every kernel */

/* In .bss: whose entry becomes `entry`. */
struct feed_task_request {
	__u32 tid;     /* 0 = all threads of tgid */
	__u32 tgid;
	__u32 matched; /* out: threads that were set */
	__u32 pad;
	struct power_feed_task entry;
};
POWER_FEED_ASSERT(sizeof(struct feed_task_request) == 272);

/* One task as the show pass writes it. */
struct feed_task_row {
	__u32 tid;
	__u32 tgid;
	__u64 start_boottime_ns;
	__u64 cgroup_id;
	char comm[FEED_COMM_LEN]; /* not always NUL-terminated, any byte */
	struct power_feed_task entry;
};
POWER_FEED_ASSERT(sizeof(struct feed_task_row) == 296);

#endif /* WATTFEED_FEED_REQUEST_H */
