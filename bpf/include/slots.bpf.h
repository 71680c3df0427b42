/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* The life of a slot up to its death: taken from the free ring, given to a task, found again. */
#ifndef WATTFEED_SLOTS_BPF_H
#define WATTFEED_SLOTS_BPF_H

#include "identity.bpf.h"

/*
 * CPUs that may take at the same moment before one gives up and its task goes to overflow for a
 * slice.
 */
#define TAKE_ATTEMPTS 64

/*
 * In task_state.flags only: some of the task's time went to the overflow sums, so that its slots do
 * not tell how much of it is booked.
 */
#define STATE_OVERFLOWED (1U << 31)

/* Returns SLOT_NONE when the ring is empty. */
static __always_inline __u32 pop_free_slot(void)
{
	for (int attempt = 0; attempt < TAKE_ATTEMPTS; attempt++) {
		__u64 head = READ_ONCE(ring_ends.head);
		/* an atomic, not a load: user space wrote the entry before the tail, and BPF before
		 * Linux 6.15 has no load-acquire */
		__u64 tail = __sync_fetch_and_add(&ring_ends.tail, 0);
		__u32 position = head & slot_mask;
		__u64 *entry, slot;

		if (head >= tail)
			return SLOT_NONE;
		entry = bpf_map_lookup_elem(&free_ring, &position);
		if (!entry)
			return SLOT_NONE;
		slot = READ_ONCE(*entry);
		if (__sync_val_compare_and_swap(&ring_ends.head, head, head + 1) == head)
			return slot;
	}
	return SLOT_NONE;
}

/* Everything is in place before the state says LIVE, with a full barrier in between. */
static __always_inline void init_slot(struct slot_record *slot, struct task_struct *task,
				      struct task_state *state, __u32 cpu, __u32 domain)
{
	__u32 sequence = slot->sequence + 1;

	__builtin_memset(slot, 0, offsetof(struct slot_record, state));
	__builtin_memset(&slot->uncounted_ns, 0,
			 sizeof(*slot) - offsetof(struct slot_record, uncounted_ns));
	slot->sequence = sequence ?: 1;
	slot->cpu_domain = domain;
	slot->last_cpu = cpu;
	slot->booked_sum_exec_ns = task->se.sum_exec_runtime;
	slot->css_set = (__u64)BPF_CORE_READ(task, cgroups);
	slot->cgroup_id = cgroup_id_of(task);
	slot->parent_tgid = BPF_CORE_READ(task, real_parent, tgid);
	slot->tag = state->tag;
	slot->flags = state->flags & ~STATE_OVERFLOWED;
	if (task->flags & PF_KTHREAD)
		slot->flags |= SLOT_FLAG_KTHREAD;
	read_identity(slot, task);
	__sync_lock_test_and_set(&slot->state, SLOT_LIVE);
}

/*
 * Gives the task a slot in this domain. Its storage is written by compare-and-swap: a task runs on
 * one CPU at a time, so a second taker cannot be, and if it is, its slot goes back through user
 * space.
 */
static __noinline __u32 take_slot(struct task_struct *task, struct task_state *state, __u32 cpu,
				  __u32 domain)
{
	struct slot_record *slot;
	__u32 taken, owned;

	taken = pop_free_slot();
	slot = slot_at(taken);
	if (taken == SLOT_NONE || !slot)
		return SLOT_NONE;
	init_slot(slot, task, state, cpu, domain);
	owned = __sync_val_compare_and_swap(&state->slot[domain & (RECORDS_CPU_DOMAINS_MAX - 1)],
					    SLOT_NONE, taken);
	if (owned != SLOT_NONE)
		__sync_lock_test_and_set(&slot->state, SLOT_DEAD);
	mark_touched(taken);
	return owned == SLOT_NONE ? taken : owned;
}

/*
 * The kernel adds the wait that ends with this switch-in after the tracepoint: what has risen since
 * the task's last switch-in is the wait before that one, and what came of queues it was moved
 * between. So it is booked one switch-in late, and whole.
 */
static __always_inline void note_queue_wait(struct cpu_record *cpu, struct task_state *state,
					    struct task_struct *task)
{
	__u64 waited_ns;

	if (!bpf_core_field_exists(task->sched_info.run_delay))
		return;
	waited_ns = run_delay_ns(task);
	cpu->queue_wait_ns = waited_ns > state->run_delay_ns ? waited_ns - state->run_delay_ns : 0;
	state->run_delay_ns = waited_ns;
}

/*
 * Remembers in the CPU's record where the task that now runs is charged. The one storage look-up.
 */
static __always_inline void find_slot(struct cpu_record *cpu, __u32 cpu_number,
				      struct task_struct *task)
{
	struct task_state *state = bpf_task_storage_get(&task_states, task, NULL, 0);
	__u32 domain = domain_of(cpu_number);
	__u32 slot;

	if (!state) {
		stat_inc(cpu, ACCT_STAT_STORAGE_MISS);
		cpu->slot = SLOT_NONE;
		cpu->charge_to = CHARGE_UNSLOTTED;
		return;
	}
	note_queue_wait(cpu, state, task);
	slot = state->slot[domain];
	if (slot == SLOT_NONE)
		slot = take_slot(task, state, cpu_number, domain);
	cpu->slot = slot;
	cpu->charge_to = CHARGE_SLOT;
	if (slot == SLOT_NONE) {
		stat_inc(cpu, ACCT_STAT_SLOTS_EXHAUSTED);
		cpu->charge_to = CHARGE_OVERFLOW;
		state->flags |= STATE_OVERFLOWED;
		cpu->overflow_cgroup_id = cgroup_id_of(task);
	}
}

#endif /* WATTFEED_SLOTS_BPF_H */
