/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Who a task is: what a slot says about its owner, read from the task. Slow path only. */
#ifndef WATTFEED_IDENTITY_BPF_H
#define WATTFEED_IDENTITY_BPF_H

#include "maps.bpf.h"

/*
 * Id of the task's cgroup in the hierarchy chosen at load, as its directory's inode says; 0 =
 * unreadable.
 */
static __always_inline __u64 cgroup_id_of(struct task_struct *task)
{
	struct css_set *set = BPF_CORE_READ(task, cgroups);
	struct cgroup_subsys_state *state = NULL;
	void *states;

	if (cgroup_subsys_id < 0)
		return BPF_CORE_READ(set, dfl_cgrp, kn, id);
	states = (void *)set + bpf_core_field_offset(struct css_set, subsys);
	bpf_probe_read_kernel(&state, sizeof(state), states + cgroup_subsys_id * sizeof(state));
	return BPF_CORE_READ(state, cgroup, kn, id);
}

/*
 * The part of the identity that exec replaces. From a thread that is not the leader, exec gives the
 * thread the leader's tid and start. The uid is seen here and when a slot is taken, not at
 * setuid().
 */
static __always_inline void read_identity(struct slot_record *slot, struct task_struct *task)
{
	struct task_struct *leader = task->group_leader;

	slot->start_boottime_ns = task->start_boottime;
	slot->leader_start_boottime_ns = BPF_CORE_READ(leader, start_boottime);
	slot->tid = task->pid;
	slot->tgid = task->tgid;
	slot->uid = BPF_CORE_READ(task, real_cred, uid.val);
	bpf_probe_read_kernel(slot->comm, sizeof(slot->comm), task->comm);
	bpf_probe_read_kernel(slot->leader_comm, sizeof(slot->leader_comm),
			      (void *)leader + bpf_core_field_offset(struct task_struct, comm));
}

#endif /* WATTFEED_IDENTITY_BPF_H */
