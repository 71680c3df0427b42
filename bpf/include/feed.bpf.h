/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * Writes a task's entry of the power feed where its slice is booked: sums at each slice, averages once in
 * a millisecond of time. Everything here is behind has_feed, a constant of the load: without a feed it is
 * not there. Cost with one: one storage look-up and a dozen additions per slice.
 */
#ifndef WATTFEED_FEED_BPF_H
#define WATTFEED_FEED_BPF_H

#include "weigh.bpf.h"

/* Wait per last-level miss after overlapping ones, see policy/classify.ts: the same number. */
#define FEED_STALL_NS_PER_MISS 55
/* Of the last value in averages over folds: an eighth. */
#define FEED_WEIGHT_SHIFT 3
/* A class is entered at the first and left at the second of each pair. */
#define FEED_MEMORY_BELOW 450
#define FEED_MEMORY_ABOVE 550
#define FEED_LATENCY_BELOW 250 /* permille of the time that it runs or waits for a CPU */
#define FEED_LATENCY_ABOVE 500
/* A slice counts as run beside a busy sibling above the first, as run alone below the second. */
#define FEED_SHARED_ABOVE 750
#define FEED_ALONE_BELOW 250
/* The writer's own words of an entry. */
#define FEED_DEMAND_PERMILLE 0 /* mean over about a second of the time that it runs or waits */
#define FEED_LEAST_CYCLES 100000 /* fewer say nothing about instructions per cycle */

static __always_inline __u32 feed_average(__u32 before, __u64 value)
{
	__s64 step = ((__s64)value - (__s64)before) >> FEED_WEIGHT_SHIFT;

	return before ? before + step : value;
}

static __always_inline __u16 feed_average_permille(__u16 before, __u64 value)
{
	__s64 step = ((__s64)value - (__s64)before) >> FEED_WEIGHT_SHIFT;

	return before == POWER_FEED_UNKNOWN16 ? value : before + step;
}

static __always_inline void feed_judge_counters(struct power_feed_task *entry)
{
	__u64 run_ns = entry->pending_ns, ipc_milli, shared_permille;
	__u64 stalled_ns = entry->pending_llc_misses * FEED_STALL_NS_PER_MISS;

	if (!entry->pending_instructions || entry->pending_cycles < FEED_LEAST_CYCLES || !run_ns)
		return;
	entry->energy_per_instruction_pj =
		feed_average(entry->energy_per_instruction_pj,
			     entry->pending_nj * 1000 / entry->pending_instructions);
	if (stalled_ns > run_ns)
		stalled_ns = run_ns;
	entry->frequency_sensitivity_permille = feed_average_permille(
		entry->frequency_sensitivity_permille, 1000 - stalled_ns * 1000 / run_ns);
	ipc_milli = entry->pending_instructions * 1000 / entry->pending_cycles;
	shared_permille = entry->pending_overlap_ns * 1000 / run_ns;
	if (shared_permille > FEED_SHARED_ABOVE)
		entry->ipc_shared_milli = feed_average(entry->ipc_shared_milli, ipc_milli);
	else if (shared_permille < FEED_ALONE_BELOW)
		entry->ipc_alone_milli = feed_average(entry->ipc_alone_milli, ipc_milli);
	if (!entry->ipc_alone_milli || !entry->ipc_shared_milli)
		return;
	entry->smt_penalty_permille =
		entry->ipc_shared_milli >= entry->ipc_alone_milli
			? 0
			: 1000 - (__u64)entry->ipc_shared_milli * 1000 / entry->ipc_alone_milli;
}

/*
 * Who runs or waits for a CPU most of the time is compute, however little of it a busy machine gives him.
 */
static __always_inline void feed_classify(struct power_feed_task *entry, __u64 elapsed_ns,
					  __u64 decay_q16)
{
	__u32 sensitivity = entry->frequency_sensitivity_permille, class_id = entry->class_id;
	__u64 elapsed_us = elapsed_ns / 1000;
	__u64 demand = (entry->pending_ns + entry->pending_wait_ns) / (elapsed_us ? elapsed_us : 1);
	__u32 memory_limit =
		class_id == POWER_FEED_CLASS_MEMORY_BOUND ? FEED_MEMORY_ABOVE : FEED_MEMORY_BELOW;
	__u32 latency_limit =
		class_id == POWER_FEED_CLASS_LATENCY ? FEED_LATENCY_ABOVE : FEED_LATENCY_BELOW;

	if (demand > 1000)
		demand = 1000;
	demand = (entry->writer_spare[FEED_DEMAND_PERMILLE] * decay_q16 +
		  demand * (65536 - decay_q16)) >>
		 16;
	entry->writer_spare[FEED_DEMAND_PERMILLE] = demand;
	if (sensitivity < memory_limit)
		entry->class_id = POWER_FEED_CLASS_MEMORY_BOUND;
	else if (demand < latency_limit)
		entry->class_id = POWER_FEED_CLASS_LATENCY;
	else
		entry->class_id = POWER_FEED_CLASS_COMPUTE;
}

static __always_inline __u32 feed_ewma(__u64 before_uw, __u64 decay_q16, __u64 power_uw,
				       __u64 run_decay_q16)
{
	return (before_uw * decay_q16 + power_uw * (65536 - run_decay_q16)) >> 16;
}

/*
 * Brings the averages up to now. What was booked since the last time is taken as one run that ends now:
 * all of it but the last slice is less than a millisecond of running, so its place does not matter.
 */
static __noinline int feed_fold(struct power_feed_task *entry, __u64 now_ns)
{
	__u64 elapsed_ns, run_ns, run_us, power_uw, dram_uw, fast_q16, run_fast_q16, slow_q16;

	if (!entry)
		return 0;
	elapsed_ns = now_ns - entry->folded_ns;
	run_ns = entry->pending_ns;
	run_us = run_ns / 1000;
	if (!run_us)
		run_us = 1;
	/* nJ / us = mW */
	power_uw = entry->pending_nj * 1000 / run_us;
	dram_uw = entry->pending_dram_nj * 1000 / run_us;
	if (power_uw > POWER_FEED_TASK_UW_MAX)
		power_uw = POWER_FEED_TASK_UW_MAX;
	if (dram_uw > POWER_FEED_TASK_UW_MAX)
		dram_uw = POWER_FEED_TASK_UW_MAX;
	fast_q16 = power_feed_decay_fast_q16(elapsed_ns);
	run_fast_q16 = power_feed_decay_fast_q16(run_ns);
	entry->power_fast_uw = feed_ewma(entry->power_fast_uw, fast_q16, power_uw, run_fast_q16);
	entry->dram_power_uw = feed_ewma(entry->dram_power_uw, fast_q16, dram_uw, run_fast_q16);
	slow_q16 = power_feed_decay_slow_q16(elapsed_ns);
	entry->power_slow_uw = feed_ewma(entry->power_slow_uw, slow_q16, power_uw,
					 power_feed_decay_slow_q16(run_ns));
	entry->run_power_uw = entry->run_power_uw ? feed_ewma(entry->run_power_uw, run_fast_q16,
							      power_uw, run_fast_q16)
						  : power_uw;
	feed_judge_counters(entry);
	feed_classify(entry, elapsed_ns, slow_q16);
	entry->folded_ns = now_ns;
	entry->pending_nj = entry->pending_dram_nj = entry->pending_ns = 0;
	entry->pending_instructions = entry->pending_cycles = entry->pending_llc_misses = 0;
	entry->pending_overlap_ns = entry->pending_wait_ns = 0;
	return 0;
}

/* Where a task gets its storage it gets its entry: in fork and in the seed pass. */
static __always_inline void feed_make_entry(struct task_struct *task)
{
	struct power_feed_task *entry;

	if (!has_feed)
		return;
	entry = bpf_task_storage_get(&feed_tasks, task, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!entry || entry->updated_ns)
		return;
	entry->frequency_sensitivity_permille = POWER_FEED_UNKNOWN16;
	entry->smt_penalty_permille = POWER_FEED_UNKNOWN16;
	entry->spin_permille = POWER_FEED_UNKNOWN16;
}

/*
 * Odd while being written. Stores stay in order on x86; elsewhere the atomics are the barriers that BPF has.
 * Returns what ends the writing.
 */
static __always_inline __u32 feed_begin_write(struct power_feed_task *entry)
{
	__u32 sequence = entry->sequence + 1;

	WRITE_ONCE(entry->sequence, sequence);
	power_feed_barrier();
	return sequence + 1;
}

static __always_inline void feed_end_write(struct power_feed_task *entry, __u32 sequence)
{
	power_feed_barrier();
	WRITE_ONCE(entry->sequence, sequence);
}

/* What shared its counter is taken up to the whole slice. The overlap says beside whom instructions were counted. */
static __always_inline void feed_add_counts(struct power_feed_task *entry,
					    const struct counts *counts, __u64 overlap_ns)
{
	__u32 share_q16 = counts->share_q16;
	__u64 misses = of_whole(counts->rise[COUNTER_LLC_MISSES], share_q16);
	__u64 dram_nj = misses * feed_dram_line_nj;

	entry->dram_energy_nj += dram_nj;
	entry->pending_dram_nj += dram_nj;
	if (has_smt && overlap_ns)
		entry->pending_overlap_ns += overlap_ns;
	entry->pending_cycles += of_whole(counts->rise[COUNTER_CYCLES], share_q16);
	entry->pending_instructions += of_whole(counts->rise[COUNTER_INSTRUCTIONS], share_q16);
	entry->pending_llc_misses += misses;
}

/*
 * One booked slice of `task`, which ends now. `wait_ns`: in the run queue before it. What is zero in
 * most slices is not added, so that its cache line is left alone.
 */
static __always_inline void feed_slice(struct task_struct *task, const struct slice *slice,
				       const struct counts *counts, __u64 wait_ns, __u64 now_ns)
{
	struct power_feed_task *entry = bpf_task_storage_get(&feed_tasks, task, NULL, 0);
	bool is_counted = counter_kinds && counts->is_trusted;
	__u32 sequence;

	if (!entry)
		return;
	sequence = feed_begin_write(entry);
	entry->updated_ns = now_ns;
	entry->energy_nj += slice->predicted_nj;
	entry->run_ns += slice->slice_ns;
	entry->pending_nj += slice->predicted_nj;
	entry->pending_ns += slice->slice_ns;
	entry->flags = is_counted ? POWER_FEED_TASK_COUNTED : 0;
	if (is_counted)
		feed_add_counts(entry, counts, slice->overlap_ns);
	if (wait_ns || entry->queue_wait_ns) {
		entry->pending_wait_ns += wait_ns;
		entry->queue_wait_ns +=
			((__s64)wait_ns - (__s64)entry->queue_wait_ns) >> FEED_WEIGHT_SHIFT;
	}
	if (now_ns - entry->folded_ns >= POWER_FEED_FOLD_NS)
		feed_fold(entry, now_ns);
	feed_end_write(entry, sequence);
}

#endif /* WATTFEED_FEED_BPF_H */
