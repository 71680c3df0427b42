/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * The readers of the power feed: each says in its status whether what it returned holds, and clamps it. Include it
 * after vmlinux.h in BPF, after nothing in user space. It needs power_feed.h, which has the rules, and no other file;
 * it calls no helper and allocates nothing. It may be copied.
 *
 * Between two barriers a field is loaded once at most and only if its value is used, so a reader pays for what it
 * takes. Those that are compared and then returned are read as volatile: what was clamped is what is returned.
 */
#ifndef WATTFEED_POWER_FEED_READ_H
#define WATTFEED_POWER_FEED_READ_H

#include "power_feed.h"

#if defined(__bpf__) || defined(__BPF__)
#define POWER_FEED_INLINE static inline __attribute__((always_inline, unused))
#else
#define POWER_FEED_INLINE static inline __attribute__((unused))
#endif

#define POWER_FEED_READ(x) (*(const volatile __typeof__(x) *)&(x))

/*
 * Between two reads of shared memory. x86 keeps loads in order; elsewhere BPF before Linux 6.15 has no
 * load-acquire, and an atomic with result on the own stack is a full barrier.
 */
POWER_FEED_INLINE void power_feed_barrier(void)
{
#if defined(__bpf__) && !defined(__TARGET_ARCH_x86)
	__u64 word = 0;

	__sync_fetch_and_add(&word, 1);
	__asm__ volatile("" : : "r"(word) : "memory");
#elif defined(__bpf__)
	__asm__ volatile("" : : : "memory");
#else
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
#endif
}

/* What holds at this moment; from power_feed_open(), for the other readers. */
struct power_feed_view {
	__u64 generation;
	__u64 now_ns;
	__u32 source;	  /* enum power_feed_source */
	__u32 flags;	  /* enum power_feed_state_flag */
	__u32 reference_power_mw;
	__u32 cgroup_count;
};

/*
 * `state` is entry 0 of the map of that name, or NULL. On anything but POWER_FEED_OK the view must not
 * be used. Ask once per decision, with one reading of the clock.
 */
POWER_FEED_INLINE enum power_feed_status
power_feed_open(const struct power_feed_state *state, __u64 now_ns, struct power_feed_view *view)
{
	const struct power_feed_state_half *half;
	__u64 generation, valid_until_ns, stamped;

	if (!state)
		return POWER_FEED_MISSING;
	if (POWER_FEED_READ(state->magic) != POWER_FEED_MAGIC)
		return POWER_FEED_READ(state->magic) ? POWER_FEED_FOREIGN : POWER_FEED_MISSING;
	if (POWER_FEED_READ(state->abi_major) != POWER_FEED_MAJOR)
		return POWER_FEED_FOREIGN;
	generation = POWER_FEED_READ(state->generation);
	if (!generation)
		return POWER_FEED_MISSING;
	power_feed_barrier();
	half = generation & 1 ? &state->half[1] : &state->half[0];
	stamped = half->generation;
	valid_until_ns = half->valid_until_ns;
	view->generation = generation;
	view->now_ns = now_ns;
	view->source = half->source;
	view->flags = half->flags;
	view->cgroup_count = half->cgroup_count;
	view->reference_power_mw = POWER_FEED_READ(half->reference_power_mw);
	if (view->reference_power_mw == 0 || view->reference_power_mw > POWER_FEED_MW_MAX)
		view->reference_power_mw = 1000;
	power_feed_barrier();
	if (stamped != generation || POWER_FEED_READ(state->generation) != generation)
		return POWER_FEED_TORN;
	return now_ns < valid_until_ns ? POWER_FEED_OK : POWER_FEED_EXPIRED;
}

/* After a copy: whether what was copied is of the view's generation. */
POWER_FEED_INLINE enum power_feed_status
power_feed_confirm(const struct power_feed_state *state, const struct power_feed_view *view)
{
	power_feed_barrier();
	return POWER_FEED_READ(state->generation) == view->generation ? POWER_FEED_OK : POWER_FEED_TORN;
}

POWER_FEED_INLINE __u32 power_feed_clamp(__u32 value, __u32 most)
{
	return value < most ? value : most;
}

POWER_FEED_INLINE enum power_feed_status
power_feed_read_package(const struct power_feed_state *state, const struct power_feed_view *view,
			const struct power_feed_package *entry, struct power_feed_package_half *out)
{
	if (!entry)
		return POWER_FEED_MISSING;
	*out = view->generation & 1 ? entry->half[1] : entry->half[0];
	out->power_mw = power_feed_clamp(out->power_mw, POWER_FEED_MW_MAX);
	out->limit_mw = power_feed_clamp(out->limit_mw, POWER_FEED_MW_MAX);
	out->headroom_mw = power_feed_clamp(out->headroom_mw, out->limit_mw);
	out->prediction_scale_permille =
		power_feed_clamp(out->prediction_scale_permille, POWER_FEED_PERMILLE_MAX);
	return power_feed_confirm(state, view);
}

POWER_FEED_INLINE enum power_feed_status
power_feed_read_cpu(const struct power_feed_state *state, const struct power_feed_view *view,
		    const struct power_feed_cpu *entry, struct power_feed_cpu_half *out)
{
	if (!entry)
		return POWER_FEED_MISSING;
	*out = view->generation & 1 ? entry->half[1] : entry->half[0];
	out->core_mw = power_feed_clamp(out->core_mw, POWER_FEED_MW_MAX);
	return power_feed_confirm(state, view);
}

/*
 * `entry`: of `cgroup` at the index that `cgroup_index` gives for the id. An index may have been given to
 * another cgroup since: the id inside decides.
 */
POWER_FEED_INLINE enum power_feed_status
power_feed_read_cgroup(const struct power_feed_state *state, const struct power_feed_view *view,
		       const struct power_feed_cgroup *entry, __u64 cgroup_id,
		       struct power_feed_cgroup_half *out)
{
	enum power_feed_status status;

	if (!entry)
		return POWER_FEED_MISSING;
	*out = view->generation & 1 ? entry->half[1] : entry->half[0];
	out->power_mw = power_feed_clamp(out->power_mw, POWER_FEED_MW_MAX);
	out->budget_mw = power_feed_clamp(out->budget_mw, POWER_FEED_MW_MAX);
	out->headroom_budget_mw = power_feed_clamp(out->headroom_budget_mw, POWER_FEED_MW_MAX);
	out->over_permille = power_feed_clamp(out->over_permille, POWER_FEED_PERMILLE_MAX);
	out->burst_ms = power_feed_clamp(out->burst_ms, 60000);
	status = power_feed_confirm(state, view);
	if (status == POWER_FEED_OK && out->cgroup_id != cgroup_id)
		return POWER_FEED_MISSING;
	return status;
}

/*
 * 2^-x as Q16 for x as Q16: shift by the whole part, a cubic for the rest (error below 1e-3).
 */
POWER_FEED_INLINE __u32 power_feed_exp2_q16(__u64 x_q16)
{
	__u64 whole = x_q16 >> 16, f = x_q16 & 0xffff, y;

	if (whole >= 24)
		return 0;
	/* 1 - 0.69315 f + 0.24020 f^2 - 0.04705 f^3 */
	y = (f * 3083) >> 16;
	y = ((15742 - y) * f) >> 16;
	y = ((45426 - y) * f) >> 16;
	return (__u32)((65536 - y) >> whole);
}

/* exp(-elapsed / 100 ms) and exp(-elapsed / 1 s), Q16. 63450 / 2^26 = 65536 log2(e) / 1e8. */
POWER_FEED_INLINE __u32 power_feed_decay_fast_q16(__u64 elapsed_ns)
{
	return elapsed_ns > 3000000000ULL ? 0 : power_feed_exp2_q16((elapsed_ns * 63450) >> 26);
}

POWER_FEED_INLINE __u32 power_feed_decay_slow_q16(__u64 elapsed_ns)
{
	return elapsed_ns > 30000000000ULL ? 0 : power_feed_exp2_q16((elapsed_ns * 6345) >> 26);
}

/* A task's entry at one moment, whole and clamped. */
struct power_feed_task_view {
	__u64 age_ns;		/* since the end of the last slice booked */
	__u64 energy_nj;	/* rises */
	__u64 run_ns;		/* rises */
	__u32 run_power_uw;	/* while running; 0 = not known yet */
	__u32 power_fast_uw;	/* wall-clock mean over about 100 ms, decayed to now */
	__u32 power_slow_uw;	/* wall-clock mean over about 1 s, decayed to now */
	__u32 dram_power_uw;	/* as power_fast_uw */
	__u32 queue_wait_ns;
	__u16 class_id;
	__u16 spin_permille;
	__u16 frequency_sensitivity_permille;
	__u16 smt_penalty_permille;
	__u32 flags;		/* enum power_feed_task_flag */
};

/* The decayed averages: three multiplications each. For who needs only run power and energy, skip it. */
POWER_FEED_INLINE void power_feed_task_averages(const struct power_feed_task *entry, __u64 now_ns,
						struct power_feed_task_view *out)
{
	__u64 folded_ns = POWER_FEED_READ(entry->folded_ns);
	__u64 elapsed_ns = now_ns > folded_ns ? now_ns - folded_ns : 0;
	__u64 fast_q16 = power_feed_decay_fast_q16(elapsed_ns);
	__u64 slow_q16 = power_feed_decay_slow_q16(elapsed_ns);
	__u64 pending_nj = POWER_FEED_READ(entry->pending_nj);
	__u64 pending_dram_nj = POWER_FEED_READ(entry->pending_dram_nj);

	/* nJ / 100 ms = 10 nW; less than 1 ms of running, so its own decay is below 1 % of it */
	out->power_fast_uw = power_feed_clamp(
		(__u32)((POWER_FEED_READ(entry->power_fast_uw) * fast_q16 +
			 (pending_nj / 100) * fast_q16) >> 16), POWER_FEED_TASK_UW_MAX);
	out->power_slow_uw = power_feed_clamp(
		(__u32)((POWER_FEED_READ(entry->power_slow_uw) * slow_q16 +
			 (pending_nj / 1000) * slow_q16) >> 16), POWER_FEED_TASK_UW_MAX);
	out->dram_power_uw = power_feed_clamp(
		(__u32)((POWER_FEED_READ(entry->dram_power_uw) * fast_q16 +
			 (pending_dram_nj / 100) * fast_q16) >> 16), POWER_FEED_TASK_UW_MAX);
}

/*
 * `entry`: bpf_task_storage_get(&task, p, 0, 0), may be NULL. POWER_FEED_TORN: the task is being switched
 * on another CPU at this moment (never for the task that a scheduler was handed). With
 * `wants_averages` 0 the three wall-clock means stay 0.
 */
POWER_FEED_INLINE enum power_feed_status
power_feed_read_task(const struct power_feed_view *view, const struct power_feed_task *entry,
		     int wants_averages, struct power_feed_task_view *out)
{
	__u64 updated_ns;
	__u32 sequence;

	if (!entry || !(view->flags & POWER_FEED_STATE_HAS_TASKS))
		return POWER_FEED_MISSING;
	sequence = POWER_FEED_READ(entry->sequence);
	power_feed_barrier();
	updated_ns = entry->updated_ns;
	out->age_ns = view->now_ns > updated_ns ? view->now_ns - updated_ns : 0;
	out->energy_nj = entry->energy_nj;
	out->run_ns = entry->run_ns;
	out->run_power_uw = power_feed_clamp(POWER_FEED_READ(entry->run_power_uw),
					     POWER_FEED_TASK_UW_MAX);
	out->queue_wait_ns = entry->queue_wait_ns;
	out->flags = entry->flags;
	out->class_id = entry->class_id;
	out->spin_permille = entry->spin_permille;
	out->frequency_sensitivity_permille = entry->frequency_sensitivity_permille;
	out->smt_penalty_permille = entry->smt_penalty_permille;
	out->power_fast_uw = out->power_slow_uw = out->dram_power_uw = 0;
	if (wants_averages)
		power_feed_task_averages(entry, view->now_ns, out);
	power_feed_barrier();
	if ((sequence & 1) || POWER_FEED_READ(entry->sequence) != sequence)
		return POWER_FEED_TORN;
	return updated_ns ? POWER_FEED_OK : POWER_FEED_MISSING;
}

/* Hard caps only where the joules were measured. */
POWER_FEED_INLINE int power_feed_may_cap(const struct power_feed_view *view)
{
	return view->source == POWER_FEED_MEASURED;
}

#endif /* WATTFEED_POWER_FEED_READ_H */
