/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * Every difference between kernel versions that the programs meet, from Linux 5.15 up.
 *
 * Not here because it needs no code:
 *   - sched_switch has a 4th argument, prev_state, since 5.18 (9c2136be0878). Only the first three
 *     are read; the state comes from the task.
 *   - sched_process_exit has a 2nd argument, group_dead, since 6.16. signal->live says the same.
 *   - Before 6.2 bpf_task_storage_get() in a tracing program finds nothing while the same CPU is
 *     inside another call of it. sched_switch then counts a storage miss and the slice is
 *     unslotted.
 */
#ifndef WATTFEED_COMPAT_BPF_H
#define WATTFEED_COMPAT_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>

/* Macros of the kernel, so BTF does not carry them. */
#define TASK_DEAD 0x00000080 /* include/linux/sched.h; the value since 4.14 */
#define PF_KTHREAD 0x00200000 /* include/linux/sched.h */

/* task_struct.state was renamed and became unsigned int in 5.14 (2f064a59a11f). */
struct task_struct___before_5_14 {
	long state;
} __attribute__((preserve_access_index));

static __always_inline __u32 task_state_bits(struct task_struct *task)
{
	struct task_struct___before_5_14 *old = (void *)task;

	if (bpf_core_field_exists(task->__state))
		return task->__state;
	return BPF_CORE_READ(old, state);
}

/* Time a task was runnable but not running; 0 without CONFIG_SCHED_INFO. */
static __always_inline __u64 run_delay_ns(struct task_struct *task)
{
	return bpf_core_field_exists(task->sched_info.run_delay) ? task->sched_info.run_delay : 0;
}

/*
 * Per-CPU times of the kernel. Weak: BTF carries per-CPU variables only if pahole was told so, and
 * then the times are unavailable, not zero.
 */
extern const struct kernel_cpustat kernel_cpustat __ksym __weak;

#endif /* WATTFEED_COMPAT_BPF_H */
