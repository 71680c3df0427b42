// SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
/*
 * At each context switch, books the slice that ends into the outgoing task's slot, and remembers
 * for the incoming one where it is charged. At a window's edge, books what runs on a CPU so far.
 *
 * Does not create task storage, does not free slots, wakes nobody, has no periodic tick. Cost per
 * switch: three array look-ups, one clock reading and one task storage look-up; with SMT one array
 * look-up more. All else is behind a branch that is rarely taken.
 */
#include "charge.bpf.h"
#include <bpf/bpf_tracing.h>

/*
 * A runtime forks and then moves tasks: the pointer tells of any move, the id is re-read only then.
 */
static __noinline int follow_cgroup(struct cpu_record *cpu, struct slot_record *slot,
				    struct task_struct *task)
{
	__u64 cgroup_id = cgroup_id_of(task);

	slot->css_set = (__u64)task->cgroups;
	if (slot->cgroup_id == cgroup_id)
		return 0;
	slot->cgroup_id = cgroup_id;
	stat_inc(cpu, ACCT_STAT_CGROUP_MOVES);
	return 0;
}

/* The scheduler has counted this switch into nvcsw or nivcsw before the tracepoint: follow it. */
static __always_inline void count_switch(struct cpu_record *cpu, __u32 cpu_number,
					 struct slot_record *slot, struct task_struct *task)
{
	__u64 voluntary = rise(task->nvcsw, cpu->nvcsw_base);

	if (voluntary)
		slot->voluntary_switches += voluntary;
	else
		slot->involuntary_switches++;
	if (slot->last_cpu != cpu_number) {
		slot->last_cpu = cpu_number;
		slot->migrations++;
	}
}

/*
 * The task will never run again and all its counters are final: its slots of all domains are dead.
 * The exchange is a full barrier, so who reads DEAD reads the final counters.
 */
static __noinline int retire(struct cpu_record *cpu, struct task_struct *task)
{
	struct task_state *state = bpf_task_storage_get(&task_states, task, NULL, 0);

	stat_inc(cpu, ACCT_STAT_EXITS);
	if (!state)
		return 0;
	for (int domain = 0; domain < RECORDS_CPU_DOMAINS_MAX; domain++) {
		__u32 number = state->slot[domain];
		struct slot_record *slot;

		if (number == SLOT_NONE)
			continue;
		slot = slot_at(number);
		if (!slot)
			continue;
		__sync_lock_test_and_set(&slot->state, SLOT_DEAD);
		mark_touched(number);
	}
	return 0;
}

static __always_inline void switch_out(struct cpu_record *cpu, __u32 cpu_number,
				       struct task_struct *prev, const struct edge *edge)
{
	struct slot_record *slot = settle(cpu, cpu_number, prev, edge);

	if (slot) {
		count_switch(cpu, cpu_number, slot, prev);
		if (slot->css_set != (__u64)prev->cgroups)
			follow_cgroup(cpu, slot, prev);
		mark_touched(cpu->slot);
	}
	if (task_state_bits(prev) & TASK_DEAD)
		retire(cpu, prev);
}

static __always_inline void switch_in(struct cpu_record *cpu, __u32 cpu_number,
				      struct task_struct *next, const struct edge *edge)
{
	__u32 tid = next->pid;

	cpu->tid = tid;
	cpu->task_address = (__u64)next;
	cpu->switched_in_ns = edge->now_ns;
	cpu->sibling_base_ns = edge->sibling_ns;
	cpu->package_on_base_ns = edge->package_on_ns;
	if (!tid) {
		cpu->slot = SLOT_NONE;
		cpu->charge_to = CHARGE_IDLE;
		return;
	}
	cpu->task_base_ns = next->se.sum_exec_runtime;
	cpu->nvcsw_base = next->nvcsw;
	find_slot(cpu, cpu_number, next);
}

/* What was counted since the last edge belongs to two tasks then, nobody knows to which how much. */
static __always_inline void distrust(struct edge *edge)
{
	if (counter_kinds)
		edge->counts.is_trusted = false;
}

SEC("tp_btf/sched_switch")
int BPF_PROG(wf_sched_switch, bool preempt, struct task_struct *prev, struct task_struct *next)
{
	struct edge edge = {.now_ns = bpf_ktime_get_ns()};
	__u32 cpu_number = bpf_get_smp_processor_id();
	struct cpu_record *cpu = cpu_at(cpu_number);

	if (!cpu)
		return 0;
	stat_inc(cpu, ACCT_STAT_SWITCHES);
	edge.sibling_ns = sibling_busy_ns(cpu_number, edge.now_ns);
	take_counts(cpu, &edge.counts);
	edge.package_on_ns = follow_package(cpu, cpu_number, edge.now_ns, next->pid);
	if (cpu->task_address != (__u64)prev) {
		repair(cpu, cpu_number, prev, &edge,
		       prev->nvcsw - (!preempt && task_state_bits(prev)));
		distrust(&edge);
	}
	if (cpu->tid)
		switch_out(cpu, cpu_number, prev, &edge);
	switch_in(cpu, cpu_number, next, &edge);
	publish_busy(cpu, edge.now_ns);
	return 0;
}

/*
 * Never attached: run with BPF_PROG_TEST_RUN on a chosen CPU at a window's edge, so that a task
 * that never switches is charged too. sum_exec_runtime is as old as the last tick here; what is
 * missing comes with the next booking. One caller at a time, or two flushes could nest on one CPU.
 * Returns the tid.
 */
SEC("raw_tp")
int wf_flush(void *ctx)
{
	struct task_struct *running = bpf_get_current_task_btf();
	struct edge edge = {.now_ns = bpf_ktime_get_ns()};
	__u32 cpu_number = bpf_get_smp_processor_id();
	struct cpu_record *cpu = cpu_at(cpu_number);

	if (!cpu)
		return 0;
	stat_inc(cpu, ACCT_STAT_FLUSHES);
	edge.sibling_ns = sibling_busy_ns(cpu_number, edge.now_ns);
	take_counts(cpu, &edge.counts);
	edge.package_on_ns = follow_package(cpu, cpu_number, edge.now_ns, running->pid);
	if (cpu->task_address != (__u64)running) {
		repair(cpu, cpu_number, running, &edge, running->nvcsw);
		distrust(&edge);
	}
	cpu->tid = running->pid;
	if (cpu->tid) {
		if (settle(cpu, cpu_number, running, &edge))
			mark_touched(cpu->slot);
		else
			/* the seed pass or a returned slot may have helped since */
			find_slot(cpu, cpu_number, running);
	}
	publish_busy(cpu, edge.now_ns);
	return cpu->tid;
}

/*
 * Where the frequency of a CPU is changed by the kernel's governors. Not loaded unless user space
 * asks for it (the '?'): where every CPU counts cycles nobody looks at this, and processors that
 * choose their frequency themselves never tell. What user space reads at a window's edge is written
 * to the same words.
 */
SEC("?tp_btf/cpu_frequency")
int BPF_PROG(wf_cpu_frequency, unsigned int frequency_khz, unsigned int cpu_number)
{
	struct cpu_record *cpu = cpu_at(cpu_number);

	if (cpu)
		set_frequency(cpu, cpu_number, frequency_khz);
	return 0;
}
