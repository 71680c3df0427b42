/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * What both schedulers share: the feed's maps, one task's energy as it runs, and its settling.
 *
 * The slice that ends is not in the feed while ops.stopping and the ops.enqueue after it run: the tracepoint
 * comes later. So a slice is charged by its length times the task's running power, and when the task
 * runs next the difference to what the feed says by then is charged too. What was charged in the end
 * is what the feed has booked, whatever the estimate was.
 *
 * Without a feed that holds, a slice is charged by its length at the reference power: fair time.
 */
#ifndef WATTFEED_SCX_ENERGY_BPF_H
#define WATTFEED_SCX_ENERGY_BPF_H

#include "scx_min.bpf.h"
#include "power_feed_maps.bpf.h"
#include "power_feed_read.h"
#include "scx_energy_stats.h"

#define SLICE_NS 5000000ULL
/* How much of its fair share a task may have in arrears, at the reference power: after a sleep, and as it waits. */
#define SLEEPER_LAG_NS (8 * SLICE_NS)
#define WAITER_LAG_NS 1000000000ULL
/* Largest correction when a slice is settled: a reader that is wrong by more is not believed. */
#define SETTLE_NS_MAX (40 * SLICE_NS)
#define REFERENCE_MW_DEFAULT 4000

/*
 * The feed's pins. The loader puts the pinned maps here after it has checked type, key and value size itself;
 * where there are none, these stay empty and every reader says POWER_FEED_MISSING.
 */
struct power_feed_state_map pf_state SEC(".maps");
struct power_feed_task_map pf_task SEC(".maps");

/* Task -> what we know of it. Created in ops.init_task, where allocating is allowed. */
struct task_ctx {
	u64 run_at_ns;
	u64 stopped_at_ns;
	u64 vtime; /* ns of fair share used, at the reference power and weight 100 */
	u64 mark_nj; /* the feed's energy when it was last settled */
	u64 charged_nj; /* charged since, by estimate */
	u64 hold_ns; /* end of its holding back, 0 = not held */
	u64 held_at_ns;
	u32 has_mark;
	u32 has_slept; /* since it ran last */
	u32 leaves_idle; /* it was taken off its CPU though nobody else wants that */
	u32 pad;
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct task_ctx);
} task_ctxs SEC(".maps");

struct scx_energy_stats stats;

s64 exit_code;
u32 exit_kind;
char exit_message[128];

u64 vtime_now;

static __always_inline struct task_ctx *ctx_of(struct task_struct *p)
{
	return bpf_task_storage_get(&task_ctxs, p, 0, 0);
}

static __always_inline struct power_feed_state *feed_state(void)
{
	u32 zero = 0;

	return bpf_map_lookup_elem(&pf_state, &zero);
}

static __always_inline enum power_feed_status feed_open(u64 now_ns, struct power_feed_view *view)
{
	enum power_feed_status status = power_feed_open(feed_state(), now_ns, view);

	if (status != POWER_FEED_OK)
		view->reference_power_mw = REFERENCE_MW_DEFAULT;
	if (status < 5)
		stats.status[status]++;
	return status;
}

/* nJ -> ns at a power: nJ / mW = us. */
static __always_inline u64 time_of_energy(u64 energy_nj, u32 power_mw)
{
	return energy_nj * 1000 / (power_mw ? power_mw : REFERENCE_MW_DEFAULT);
}

/* ns at a power -> nJ: uW x ns = fJ. Slices are below 2^33 ns, powers below 2^30 uW. */
static __always_inline u64 energy_of_time(u64 time_ns, u32 power_uw)
{
	return time_ns / 1000 * power_uw / 1000;
}

/* Reads the task's entry, without the averages. */
static __always_inline bool feed_task(const struct power_feed_view *view, struct task_struct *p,
				      struct power_feed_task_view *out)
{
	struct power_feed_task *entry = bpf_task_storage_get(&pf_task, p, 0, 0);

	return power_feed_read_task(view, entry, 0, out) == POWER_FEED_OK;
}

/* Energy of `used_ns` of running that the feed has not booked yet. Says whether it is by energy or by time. */
static __always_inline u64 unbooked_energy(struct task_struct *p,
					   const struct power_feed_view *view, bool is_ok,
					   u64 used_ns, bool *is_by_energy)
{
	struct power_feed_task_view task;

	*is_by_energy = is_ok && feed_task(view, p, &task) && task.run_power_uw;
	return energy_of_time(used_ns,
			      *is_by_energy ? task.run_power_uw : view->reference_power_mw * 1000);
}

/* Energy of the slice that ends now, by estimate. Remembered, so that settle() can take it back. */
static __always_inline u64 estimate_slice(struct task_struct *p, struct task_ctx *own,
					  const struct power_feed_view *view, bool is_ok,
					  u64 used_ns)
{
	bool is_by_energy;
	u64 energy_nj = unbooked_energy(p, view, is_ok, used_ns, &is_by_energy);

	if (is_by_energy)
		stats.charged_by_energy++;
	else
		stats.charged_by_time++;
	own->charged_nj += energy_nj;
	return energy_nj;
}

/* Difference between what the feed has booked since the last settling and what was charged, in nJ. */
static __always_inline s64 settle(struct task_struct *p, struct task_ctx *own,
				  const struct power_feed_view *view, bool is_ok)
{
	struct power_feed_task_view task;
	s64 difference_nj = 0;

	if (!is_ok || !feed_task(view, p, &task)) {
		own->has_mark = 0;
		own->charged_nj = 0;
		return 0;
	}
	/*
	 * Run again without a switch in between, or looked at by a flush in mid-slice: the feed does
	 * not have the last slice yet. The estimates stand until it has.
	 */
	if (own->has_mark && view->now_ns - task.age_ns < own->stopped_at_ns)
		return 0;
	if (own->has_mark && task.energy_nj >= own->mark_nj)
		difference_nj = (s64)(task.energy_nj - own->mark_nj) - (s64)own->charged_nj;
	own->mark_nj = task.energy_nj;
	own->has_mark = 1;
	own->charged_nj = 0;
	return difference_nj;
}

static __always_inline u64 weighted(u64 time_ns, u32 weight)
{
	return time_ns * 100 / weight;
}

static __always_inline void advance_vtime(struct task_ctx *own, u64 energy_nj,
					  const struct power_feed_view *view, u32 weight)
{
	own->vtime += weighted(time_of_energy(energy_nj, view->reference_power_mw), weight);
}

static __always_inline void correct_vtime(struct task_ctx *own, s64 difference_nj,
					  const struct power_feed_view *view, u32 weight)
{
	u64 size_nj = difference_nj < 0 ? -difference_nj : difference_nj;
	u64 step = weighted(time_of_energy(size_nj, view->reference_power_mw), weight);

	if (step > SETTLE_NS_MAX)
		step = SETTLE_NS_MAX;
	if (difference_nj >= 0)
		own->vtime += step;
	else
		own->vtime -= step < own->vtime ? step : own->vtime;
}

/*
 * Its place in the queue. Who slept has not saved up what he did not ask for; who waits has, but for a bound: a task
 * that is tied to a crowded CPU shall not keep others from theirs once it is untied.
 */
static __always_inline u64 queue_vtime(struct task_ctx *own)
{
	u64 lag_ns = own->has_slept ? SLEEPER_LAG_NS : WAITER_LAG_NS;

	own->has_slept = 0;
	if ((s64)(own->vtime - (vtime_now - lag_ns)) < 0)
		own->vtime = vtime_now - lag_ns;
	return own->vtime;
}

/* Of the first in a queue, what decides on it; false: nobody waits. */
struct first_in_queue {
	u64 vtime;
	u64 hold_ns;
};

static __always_inline bool first_of(u64 dsq_id, struct first_in_queue *out)
{
	struct task_ctx *own = NULL;
	struct bpf_iter_scx_dsq it;
	struct task_struct *first;

	if (!scx_bpf_dsq_nr_queued(dsq_id))
		return false;
	out->vtime = out->hold_ns = 0;
	bpf_iter_scx_dsq_new(&it, dsq_id, 0);
	first = bpf_iter_scx_dsq_next(&it);
	if (first)
		own = bpf_task_storage_get(&task_ctxs, first, 0, 0);
	if (own) {
		out->vtime = own->vtime;
		out->hold_ns = own->hold_ns;
	}
	bpf_iter_scx_dsq_destroy(&it);
	return first != NULL;
}

static __always_inline void follow_vtime(struct task_ctx *own)
{
	if ((s64)(own->vtime - vtime_now) > 0)
		vtime_now = own->vtime;
}

static __always_inline s32 make_ctx(struct task_struct *p)
{
	return bpf_task_storage_get(&task_ctxs, p, 0, BPF_LOCAL_STORAGE_GET_F_CREATE) ? 0 : -12;
}

static __always_inline void note_exit(struct scx_exit_info *info)
{
	exit_kind = info->kind;
	exit_code = info->exit_code;
	bpf_probe_read_kernel_str(exit_message, sizeof(exit_message), info->msg);
}

#endif /* WATTFEED_SCX_ENERGY_BPF_H */
