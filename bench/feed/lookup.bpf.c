// SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
/*
 * What a scheduler pays to look at the feed, from tp_btf/sched_switch: nothing, the clock, a task's entry without and
 * with its averages, a cgroup's entry. Each program but the first looks LOOKS times, so that the
 * clock of bpf_stats is a small part of what is measured.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include "power_feed_maps.bpf.h"
#include "power_feed_read.h"

char LICENSE[] SEC("license") = "GPL";

#define LOOKS 10

struct power_feed_state_map pf_state SEC(".maps");
struct power_feed_cgroup_map pf_cgroup SEC(".maps");
struct power_feed_cgroup_index_map pf_cgroup_index SEC(".maps");
struct power_feed_task_map pf_task SEC(".maps");

__u64 sink, found, missed;

/* The tasks of the bench get an entry as the accounting would give them one. */
SEC("tp_btf/task_newtask")
int BPF_PROG(newtask, struct task_struct *task, __u64 clone_flags)
{
	struct power_feed_task *entry =
		bpf_task_storage_get(&pf_task, task, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);

	if (!entry)
		return 0;
	entry->updated_ns = entry->folded_ns = bpf_ktime_get_ns();
	entry->run_power_uw = entry->power_fast_uw = entry->power_slow_uw = 3000000;
	return 0;
}

SEC("tp_btf/sched_switch")
int BPF_PROG(nothing, bool preempt, struct task_struct *prev, struct task_struct *next)
{
	return 0;
}

SEC("tp_btf/sched_switch")
int BPF_PROG(clock_only, bool preempt, struct task_struct *prev, struct task_struct *next)
{
	for (int look = 0; look < LOOKS; look++)
		sink += bpf_ktime_get_ns();
	return 0;
}

static __always_inline void look_at_task(struct task_struct *task, __u64 now_ns, int wants_averages)
{
	struct power_feed_view view = {};
	struct power_feed_task_view out = {};
	__u32 zero = 0;

	if (power_feed_open(bpf_map_lookup_elem(&pf_state, &zero), now_ns, &view) !=
		    POWER_FEED_OK ||
	    power_feed_read_task(&view, bpf_task_storage_get(&pf_task, task, 0, 0), wants_averages,
				 &out) != POWER_FEED_OK) {
		missed++;
		return;
	}
	found++;
	sink += out.run_power_uw + out.power_fast_uw;
}

SEC("tp_btf/sched_switch")
int BPF_PROG(task_entry, bool preempt, struct task_struct *prev, struct task_struct *next)
{
	__u64 now_ns = bpf_ktime_get_ns();

	for (int look = 0; look < LOOKS; look++)
		look_at_task(next, now_ns, 0);
	return 0;
}

SEC("tp_btf/sched_switch")
int BPF_PROG(task_averages, bool preempt, struct task_struct *prev, struct task_struct *next)
{
	__u64 now_ns = bpf_ktime_get_ns();

	for (int look = 0; look < LOOKS; look++)
		look_at_task(next, now_ns, 1);
	return 0;
}

SEC("tp_btf/sched_switch")
int BPF_PROG(cgroup_entry, bool preempt, struct task_struct *prev, struct task_struct *next)
{
	__u64 now_ns = bpf_ktime_get_ns();

	for (int look = 0; look < LOOKS; look++) {
		struct power_feed_view view = {};
		struct power_feed_cgroup_half half;
		__u64 id = 77;
		__u32 zero = 0, *index, at;
		struct power_feed_state *state = bpf_map_lookup_elem(&pf_state, &zero);

		if (power_feed_open(state, now_ns, &view) != POWER_FEED_OK)
			return 0;
		index = bpf_map_lookup_elem(&pf_cgroup_index, &id);
		if (!index)
			return 0;
		at = *index;
		if (power_feed_read_cgroup(state, &view, bpf_map_lookup_elem(&pf_cgroup, &at), id,
					   &half) == POWER_FEED_OK) {
			found++;
			sink += half.power_mw;
		}
	}
	return 0;
}
