/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * The maps of the power feed, by the names that the agent gives them. Who reads the feed defines those it needs:
 *
 *	struct power_feed_state_map pf_state SEC(".maps");
 *
 * and has its loader put the pinned map there. Without a pin the map stays, empty, and the readers say
 * POWER_FEED_MISSING.
 */
#ifndef WATTFEED_POWER_FEED_MAPS_BPF_H
#define WATTFEED_POWER_FEED_MAPS_BPF_H

#include <bpf/bpf_helpers.h>
#include "power_feed.h"

/*
 * 0 -> state. Written by user space through mmap, because the flip must be one store; so it cannot be
 * read-only for programs, as the next ones are.
 */
struct power_feed_state_map {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct power_feed_state);
};

/*
 * Package id, CPU number, index -> entry. Written by user space with the batch system call: the kernel
 * refuses a writable mapping of what programs may only read.
 */
struct power_feed_package_map {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE | BPF_F_RDONLY_PROG);
	__uint(max_entries, POWER_FEED_PACKAGES_MAX);
	__type(key, __u32);
	__type(value, struct power_feed_package);
};

struct power_feed_cpu_map {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE | BPF_F_RDONLY_PROG);
	__uint(max_entries, POWER_FEED_CPUS_MAX);
	__type(key, __u32);
	__type(value, struct power_feed_cpu);
};

struct power_feed_cgroup_map {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE | BPF_F_RDONLY_PROG);
	__uint(max_entries, POWER_FEED_CGROUPS_MAX);
	__type(key, __u32);
	__type(value, struct power_feed_cgroup);
};

/* cgroup id -> index. Full: the cgroups with the least power have no entry, which is counted. */
struct power_feed_cgroup_index_map {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_RDONLY_PROG);
	__uint(max_entries, POWER_FEED_CGROUPS_MAX);
	__type(key, __u64);
	__type(value, __u32);
};

/* Task -> entry. Created at fork and by the seed pass of the accounting, freed with the task. */
struct power_feed_task_map {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct power_feed_task);
};

#endif /* WATTFEED_POWER_FEED_MAPS_BPF_H */
