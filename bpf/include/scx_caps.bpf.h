/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * Which budgets bind a task, what it is charged to them and how long they make it wait. Energy comes from the feed's
 * `task` entries, scaled by the agent's measured / predicted, so that a cap acts within a slice and is right to
 * the counter.
 */
#ifndef WATTFEED_SCX_CAPS_BPF_H
#define WATTFEED_SCX_CAPS_BPF_H

#include "scx_bucket.bpf.h"

#define LEVELS_MAX 8 /* cgroups upwards that are searched for one the feed knows */
#define BATCH_ID (~0ULL) /* whose bucket all batch work shares under --headroom */
#define BATCH_BURST_NS 100000000ULL
#define PACKAGES 64
#define CPUS 1024

/*
 * A hold may end late by the slice that its CPU is in, by another one's turn and by those who are due before it; a slice
 * ends at a tick, so it may take two ticks.
 */
#define HOLD_MARGIN_NS (4 * SLICE_NS)

/* Set by the loader. */
const volatile u64 max_hold_ns = POWER_FEED_MAX_HOLD_NS;
const volatile bool holds_headroom; /* --headroom */
const volatile u8 package_of_cpu[CPUS];

struct power_feed_package_map pf_package SEC(".maps");
struct power_feed_cgroup_map pf_cgroup SEC(".maps");
struct power_feed_cgroup_index_map pf_cgroup_index SEC(".maps");

/* From being held to when it is due at the latest, so that it runs before max_hold_ns are over. */
static __always_inline u64 due_after_ns(void)
{
	return max_hold_ns > 2 * HOLD_MARGIN_NS ? max_hold_ns - HOLD_MARGIN_NS : max_hold_ns / 2;
}

/* measured / predicted active energy by package, refreshed by the timer; 1000 = as predicted. */
u32 scale_permille[PACKAGES];

/* At most one budget of its cgroup and the headroom of all batch work. */
struct caps {
	struct cap cap[2];
	u32 count;
};

/* The entry of the nearest cgroup at or above the task's that the feed knows. A new one is not in it yet. */
static __noinline int find_cgroup(const struct power_feed_view *view, struct task_struct *p,
				  struct power_feed_cgroup_half *out)
{
	struct cgroup *cgroup = BPF_CORE_READ(p, cgroups, dfl_cgrp);

	if (!view || !out)
		return 0;
	for (int level = 0; level < LEVELS_MAX && cgroup; level++) {
		u64 id = BPF_CORE_READ(cgroup, kn, id);
		u32 *index = bpf_map_lookup_elem(&pf_cgroup_index, &id);
		struct cgroup_subsys_state *parent;

		if (index) {
			u32 at = *index;
			struct power_feed_cgroup *entry = bpf_map_lookup_elem(&pf_cgroup, &at);

			if (power_feed_read_cgroup(feed_state(), view, entry, id, out) ==
			    POWER_FEED_OK)
				return 1;
		}
		parent = BPF_CORE_READ(cgroup, self.parent);
		cgroup = parent ? BPF_CORE_READ(parent, cgroup) : NULL;
	}
	return 0;
}

static __always_inline void find_caps(const struct power_feed_view *view, struct task_struct *p,
				      struct caps *caps)
{
	struct power_feed_cgroup_half half;
	bool is_soft = !power_feed_may_cap(view);

	caps->count = 0;
	if (!find_cgroup(view, p, &half))
		return;
	if (half.budget_mw) {
		caps->cap[0].id = half.budget_cgroup_id;
		caps->cap[0].budget_mw = half.budget_mw;
		caps->cap[0].burst_ns = (u64)half.burst_ms * 1000000;
		caps->cap[0].is_soft = is_soft || half.flags & POWER_FEED_CGROUP_WORK_CONSERVING;
		caps->count = 1;
	}
	if (holds_headroom && half.headroom_budget_mw) {
		struct cap *cap = caps->count ? &caps->cap[1] : &caps->cap[0];

		cap->id = BATCH_ID;
		cap->budget_mw = half.headroom_budget_mw;
		cap->burst_ns = BATCH_BURST_NS;
		cap->is_soft = is_soft;
		caps->count++;
	}
}

static __always_inline u64 scaled(u64 energy_nj, s32 cpu)
{
	u32 package = package_of_cpu[cpu & (CPUS - 1)] & (PACKAGES - 1);
	u32 scale = scale_permille[package];

	return scale ? energy_nj * scale / 1000 : energy_nj;
}

static __always_inline void charge_caps(const struct caps *caps, u64 energy_nj, bool is_refund,
					u64 now_ns)
{
	if (!energy_nj)
		return;
	if (caps->count > 0)
		charge(&caps->cap[0], energy_nj, is_refund, now_ns);
	if (caps->count > 1)
		charge(&caps->cap[1], energy_nj, is_refund, now_ns);
}

/* Books what a task has run since the last time, to its virtual time and to the budgets that bind it. */
static __noinline int book_run(struct task_struct *p, u64 now_ns)
{
	struct task_ctx *own = ctx_of(p);
	struct power_feed_view view = {};
	struct caps caps = {};
	u64 used_ns, energy_nj;
	bool is_ok;

	if (!own || !own->run_at_ns || now_ns <= own->run_at_ns)
		return 0;
	used_ns = now_ns - own->run_at_ns;
	own->run_at_ns = now_ns;
	own->vtime += weighted(used_ns, weight_of(p));
	is_ok = feed_open(now_ns, &view) == POWER_FEED_OK;
	energy_nj = estimate_slice(p, own, &view, is_ok, used_ns);
	if (!is_ok)
		return 0;
	find_caps(&view, p, &caps);
	charge_caps(&caps, scaled(energy_nj, bpf_get_smp_processor_id()), false, now_ns);
	return 0;
}

/* How a task goes on: longest wait of its caps, and whether every cap that makes it wait is soft. */
struct verdict {
	u64 wait_ns;
	bool is_soft;
	bool is_capped;
};

static __always_inline void judge(struct task_struct *p, u64 now_ns, struct verdict *verdict)
{
	struct power_feed_view view = {};
	struct caps caps = {};
	u64 wait_ns;

	verdict->wait_ns = 0;
	verdict->is_soft = true;
	verdict->is_capped = false;
	if (feed_open(now_ns, &view) != POWER_FEED_OK)
		return;
	find_caps(&view, p, &caps);
	verdict->is_capped = caps.count > 0;
	if (caps.count > 0) {
		wait_ns = wait_of(&caps.cap[0], now_ns);
		if (wait_ns) {
			verdict->wait_ns = wait_ns;
			verdict->is_soft = caps.cap[0].is_soft;
		}
	}
	if (caps.count > 1) {
		wait_ns = wait_of(&caps.cap[1], now_ns);
		if (wait_ns && !caps.cap[1].is_soft)
			verdict->is_soft = false;
		if (wait_ns > verdict->wait_ns)
			verdict->wait_ns = wait_ns;
	}
	if (verdict->wait_ns > due_after_ns())
		verdict->wait_ns = due_after_ns();
}

#endif /* WATTFEED_SCX_CAPS_BPF_H */
