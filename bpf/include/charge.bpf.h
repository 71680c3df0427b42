/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * Books the time of the task that a CPU's record says is running. Shared by sched_switch and the
 * flush; both run with preemption off on the CPU whose record they write.
 *
 * Task time is the rise of se.sum_exec_runtime, which leaves steal out. The scheduler brings it up
 * to date before it switches away from a task, and never moves it while the task is off the CPU, so
 * the value at switch-in, kept in the CPU's record, is the only base needed.
 */
#ifndef WATTFEED_CHARGE_BPF_H
#define WATTFEED_CHARGE_BPF_H

#include "package.bpf.h"
#include "slots.bpf.h"
#include "weigh.bpf.h"
#include "feed.bpf.h"

static __always_inline __u64 rise(__u64 now, __u64 base)
{
	return now > base ? now - base : 0;
}

/* Busy time of a CPU from its one word; `now_ns` may be a little older than the word. */
static __always_inline __u64 busy_at(__u64 busy_word, __u64 now_ns)
{
	return busy_word & 1 ? now_ns - (busy_word >> 1) : busy_word >> 1;
}

static __always_inline void publish_busy(struct cpu_record *cpu, __u64 now_ns)
{
	if (cpu->tid)
		WRITE_ONCE(cpu->busy_word, (now_ns - cpu->busy_ns) << 1 | 1);
	else
		WRITE_ONCE(cpu->busy_word, cpu->busy_ns << 1);
}

static __always_inline __u64 sibling_busy_ns(__u32 cpu_number, __u64 now_ns)
{
	__s16 sibling = -1;
	struct cpu_record *record;

	if (has_smt)
		sibling = smt_sibling_of[cpu_number & (RECORDS_CPUS_MAX - 1)];
	if (sibling < 0)
		return 0;
	record = cpu_at(sibling);
	return record ? busy_at(READ_ONCE(record->busy_word), now_ns) : 0;
}

/* The sibling's clock reading may be younger than ours: signed, then clamped to the slice. */
static __always_inline __u64 overlap_in(struct cpu_record *cpu, __u64 sibling_ns, __u64 slice_ns)
{
	__s64 overlap_ns = sibling_ns - cpu->sibling_base_ns;

	if (!has_smt || overlap_ns <= 0)
		return 0;
	return (__u64)overlap_ns < slice_ns ? overlap_ns : slice_ns;
}

/*
 * The hash is shared between CPUs, so the sum is an atomic; a full hash loses the cgroup, not the
 * time.
 */
static __noinline int charge_overflow_cgroup(struct cpu_record *cpu, __u32 domain, __u64 task_ns)
{
	struct overflow_key key = {};
	__u64 *sum_ns, zero = 0;

	key.cgroup_id = cpu->overflow_cgroup_id;
	key.cpu_domain = domain;
	sum_ns = bpf_map_lookup_elem(&overflow, &key);
	if (!sum_ns) {
		bpf_map_update_elem(&overflow, &key, &zero, BPF_NOEXIST);
		sum_ns = bpf_map_lookup_elem(&overflow, &key);
	}
	if (!sum_ns) {
		stat_inc(cpu, ACCT_STAT_OVERFLOW_CGROUP_FULL);
		return 0;
	}
	__sync_fetch_and_add(sum_ns, task_ns);
	return 0;
}

static __always_inline void charge_without_slot(struct cpu_record *cpu, __u32 cpu_number,
						const struct slice *slice)
{
	if (cpu->charge_to == CHARGE_OVERFLOW) {
		cpu->overflow_ns += slice->task_ns;
		cpu->overflow_slice_ns += slice->slice_ns;
		charge_overflow_cgroup(cpu, domain_of(cpu_number), slice->task_ns);
		return;
	}
	cpu->unslotted_ns += slice->task_ns;
	cpu->unslotted_slice_ns += slice->slice_ns;
}

/*
 * After the record's bases were moved. Plain +=: a task runs on one CPU at a time, and only that
 * CPU writes its slot.
 */
static __always_inline struct slot_record *charge(struct cpu_record *cpu, __u32 cpu_number,
						  struct slice *slice, const struct counts *counts)
{
	bool is_counted = counter_kinds && counts->is_trusted;
	struct slot_record *slot = NULL;

	if (is_counted)
		slice->counted_ns = mul_q16(slice->task_ns, counts->share_q16);

	cpu->task_ns += slice->task_ns;
	cpu->busy_ns += slice->slice_ns;
	if (cpu->slot != SLOT_NONE)
		slot = slot_at(cpu->slot);
	if (is_counted)
		add_counts(cpu, slot, slice, counts);
	if (has_model)
		weigh(cpu, cpu_number, slot, slice, counts);
	if (!slot) {
		charge_without_slot(cpu, cpu_number, slice);
		return NULL;
	}
	slot->runtime_ns += slice->task_ns;
	slot->slice_ns += slice->slice_ns;
	slot->uncounted_ns += slice->task_ns - slice->counted_ns;
	slot->booked_sum_exec_ns = cpu->task_base_ns;
	if (has_smt)
		slot->overlap_ns += slice->overlap_ns;
	if (cpu->queue_wait_ns) {
		slot->queue_wait_ns += cpu->queue_wait_ns;
		cpu->queue_wait_ns = 0;
	}
	return slot;
}

/* The end of one slice and the beginning of the next, on one CPU. */
struct edge {
	__u64 now_ns;
	__u64 sibling_ns; /* the sibling's busy time */
	__u64 package_on_ns; /* the package's integral */
	struct counts counts;
};

/* Books the running task up to now and moves the bases. Returns its slot, if it has one. */
static __always_inline struct slot_record *settle(struct cpu_record *cpu, __u32 cpu_number,
						  struct task_struct *task, const struct edge *edge)
{
	__u64 sum_exec_ns = task->se.sum_exec_runtime;
	struct slice slice = {
		.task_ns = rise(sum_exec_ns, cpu->task_base_ns),
		.slice_ns = rise(edge->now_ns, cpu->switched_in_ns),
	};
	struct slot_record *slot;
	__u64 wait_ns = cpu->queue_wait_ns;

	slice.overlap_ns = overlap_in(cpu, edge->sibling_ns, slice.slice_ns);
	slice.package_on_ns = package_on_of(cpu, edge->package_on_ns, slice.slice_ns);
	cpu->task_base_ns += slice.task_ns;
	cpu->switched_in_ns = edge->now_ns;
	cpu->sibling_base_ns = edge->sibling_ns;
	cpu->package_on_base_ns = edge->package_on_ns;
	slot = charge(cpu, cpu_number, &slice, &edge->counts);
	if (counter_kinds && edge->counts.share_q16 < Q16_ONE)
		cpu->multiplexed_ns += rise(slice.slice_ns, slice.counted_ns);
	if (has_feed)
		feed_slice(task, &slice, &edge->counts, wait_ns, edge->now_ns);
	return slot;
}

/*
 * Task time of the task in the record since its base, read by its address: it may be gone, then the
 * tid does not fit and nothing is known.
 */
static __always_inline __u64 vanished_task_ns(struct cpu_record *cpu)
{
	struct task_struct *task = (void *)cpu->task_address;

	if (BPF_CORE_READ(task, pid) != cpu->tid)
		return 0;
	return rise(BPF_CORE_READ(task, se.sum_exec_runtime), cpu->task_base_ns);
}

/*
 * Task time that no booking has seen yet: since the last booking in any domain, or since birth if
 * there is none. Where the slots do not tell (a task that ran before the attach, one that found no
 * slot), since the scheduler picked the task last. That mark alone would not do: leaving its
 * autogroup in exit picks a task afresh, and real-time tasks have no mark.
 */
static __always_inline __u64 unbooked_ns(struct task_struct *task)
{
	struct task_state *state = bpf_task_storage_get(&task_states, task, NULL, 0);
	__u64 sum_exec_ns = task->se.sum_exec_runtime, booked_ns = 0;
	__u64 picked_ns = task->se.prev_sum_exec_runtime;
	__u32 flags = state ? state->flags : SLOT_FLAG_PREEXISTING;
	bool has_slot = false, is_whole;

	for (int domain = 0; state && domain < RECORDS_CPU_DOMAINS_MAX; domain++) {
		struct slot_record *slot = NULL;

		if (state->slot[domain] != SLOT_NONE)
			slot = slot_at(state->slot[domain]);
		if (!slot)
			continue;
		has_slot = true;
		if (slot->booked_sum_exec_ns > booked_ns)
			booked_ns = slot->booked_sum_exec_ns;
	}
	is_whole = has_slot ? !(flags & STATE_OVERFLOWED)
			    : !(flags & (STATE_OVERFLOWED | SLOT_FLAG_PREEXISTING));
	if (!is_whole && picked_ns > booked_ns)
		booked_ns = picked_ns;
	return rise(sum_exec_ns, booked_ns);
}

/*
 * The running task is not the one that was switched in last: a switch was not seen (some hosts hide
 * those away from PID 1's threads), or it is the first event on this CPU. Of the gap the running
 * task gets what was not booked of it yet, the vanished one what its own clock says, within the
 * rest. Leaves the record as if the running task had been switched in right after that.
 */
static __noinline int repair(struct cpu_record *cpu, __u32 cpu_number, struct task_struct *running,
			     const struct edge *edge, __u64 nvcsw_base)
{
	__u64 gap_ns, run_ns = 0;
	struct slice vanished = {};
	struct counts none = {};

	gap_ns = rise(edge->now_ns, cpu->switched_in_ns);
	if (!cpu->known) {
		gap_ns = 0;
		cpu->package_on_base_ns = edge->package_on_ns;
	} else {
		stat_inc(cpu, ACCT_STAT_DISCONTINUITY);
	}
	if (running->pid)
		run_ns = unbooked_ns(running);
	if (run_ns > gap_ns)
		run_ns = gap_ns;
	if (cpu->known && cpu->tid) {
		vanished.task_ns = vanished_task_ns(cpu);
		if (vanished.task_ns > gap_ns - run_ns)
			vanished.task_ns = gap_ns - run_ns;
		/* behind an idle CPU nobody knows when the vanished task left it */
		vanished.slice_ns = running->pid ? gap_ns - run_ns : vanished.task_ns;
		cpu->task_base_ns += vanished.task_ns;
		vanished.package_on_ns = package_on_of(cpu, edge->package_on_ns, vanished.slice_ns);
		cpu->package_on_base_ns += vanished.package_on_ns;
		charge(cpu, cpu_number, &vanished, &none);
		if (cpu->slot != SLOT_NONE)
			mark_touched(cpu->slot);
	}
	cpu->known = 1;
	cpu->task_address = (__u64)running;
	cpu->tid = running->pid;
	cpu->slot = SLOT_NONE;
	cpu->charge_to = CHARGE_IDLE;
	cpu->switched_in_ns = edge->now_ns - run_ns;
	cpu->task_base_ns = running->se.sum_exec_runtime - run_ns;
	cpu->nvcsw_base = nvcsw_base;
	if (running->pid)
		find_slot(cpu, cpu_number, running);
	return 0;
}

#endif /* WATTFEED_CHARGE_BPF_H */
