// SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
/*
 * What user space runs by itself, not on an event of the kernel's: passes over all tasks (they see
 * the pid namespace of the process that opens them, which must be the initial one) and the copy of
 * the kernel's per-CPU times.
 */
#include "slots.bpf.h"
#include "feed.bpf.h"
#include <bpf/bpf_tracing.h>

/*
 * Gives every task that exists its storage; slots come when it runs. Zombies are left out: they
 * never run again. To be repeated whenever ACCT_STAT_STORAGE_MISS rose.
 */
SEC("iter/task")
int wf_seed(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct task_state *state;

	if (!task || !task->pid || task->exit_state)
		return 0;
	feed_make_entry(task);
	if (bpf_task_storage_get(&task_states, task, NULL, 0))
		return 0;
	state = bpf_task_storage_get(&task_states, task, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!state) {
		stat_inc_atomic(ACCT_STAT_STORAGE_FAILED);
	} else {
		state->flags |= SLOT_FLAG_PREEXISTING;
		state->run_delay_ns = run_delay_ns(task);
	}
	return 0;
}

static __always_inline void tag_slots(struct task_state *state, __u32 tag)
{
	for (int domain = 0; domain < RECORDS_CPU_DOMAINS_MAX; domain++) {
		struct slot_record *slot;

		if (state->slot[domain] == SLOT_NONE)
			continue;
		slot = slot_at(state->slot[domain]);
		if (slot)
			WRITE_ONCE(slot->tag, tag);
	}
}

/*
 * Tags every thread of tag_request.tgid. The kernel calls once more with no task when the walk is
 * over; the request ends there, so that a later process of that number does not inherit from it.
 */
SEC("iter/task")
int wf_tag(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct task_state *state;

	if (!task) {
		WRITE_ONCE(tag_request.tgid, 0);
		return 0;
	}
	if (!tag_request.tgid || task->tgid != tag_request.tgid || task->exit_state)
		return 0;
	state = bpf_task_storage_get(&task_states, task, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!state) {
		stat_inc_atomic(ACCT_STAT_STORAGE_FAILED);
		return 0;
	}
	if (!state->run_delay_ns) /* not seeded before */
		state->run_delay_ns = run_delay_ns(task);
	state->tag = tag_request.tag;
	tag_slots(state, tag_request.tag);
	tag_request.matched++;
	return 0;
}

/*
 * Without CONFIG_IRQ_TIME_ACCOUNTING the kernel's interrupt times are samples of the tick, and the same
 * time is in the tasks' too: taken both, it would be charged twice.
 */
static __always_inline void copy_times(struct cpu_record *cpu, const struct kernel_cpustat *times)
{
	cpu->irq_ns = has_irq_time ? times->cpustat[CPUTIME_IRQ] : RECORDS_UNAVAILABLE;
	cpu->softirq_ns = has_irq_time ? times->cpustat[CPUTIME_SOFTIRQ] : RECORDS_UNAVAILABLE;
	cpu->steal_ns = times->cpustat[CPUTIME_STEAL];
}

/*
 * Never attached: run once per window, on any CPU. These fields have no other writer. Not loaded
 * unless user space asks for it (the '?'), because a kernel may describe kernel_cpustat in BTF and
 * yet not know its address (no CONFIG_KALLSYMS_ALL): then the load fails with ENOENT. Loadable
 * where /proc/kallsyms has it.
 */
SEC("?raw_tp")
int wf_cpu_times(void *ctx)
{
	for (__u32 number = 0; number < RECORDS_CPUS_MAX; number++) {
		struct cpu_record *cpu = cpu_at(number);
		const struct kernel_cpustat *times;

		if (!cpu)
			break;
		if (!&kernel_cpustat) {
			cpu->irq_ns = cpu->softirq_ns = cpu->steal_ns = RECORDS_UNAVAILABLE;
			continue;
		}
		times = bpf_per_cpu_ptr(&kernel_cpustat, number);
		if (!times)
			break;
		copy_times(cpu, times);
	}
	return 0;
}
