// SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
/*
 * Follows tasks from fork over exec and rename to exit: creates their storage, hands the tag down,
 * keeps the identity in their slots fresh. Books no time; the last slice of a task ends in
 * sched_switch. Cost: one storage look-up or creation per event.
 */
#include "slots.bpf.h"
#include "feed.bpf.h"
#include <bpf/bpf_tracing.h>

/*
 * In the forking task's context, where allocating is allowed. A child forked while the tag pass
 * walks over its parent's threads takes the tag from the request, or it would slip through.
 */
SEC("tp_btf/task_newtask")
int BPF_PROG(wf_task_newtask, struct task_struct *task, __u64 clone_flags)
{
	struct task_struct *parent = bpf_get_current_task_btf();
	struct task_state *state, *parent_state;

	if (!task->pid)
		return 0;
	stat_inc_atomic(ACCT_STAT_FORKS);
	state = bpf_task_storage_get(&task_states, task, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!state) {
		stat_inc_atomic(ACCT_STAT_STORAGE_FAILED);
		return 0;
	}
	state->run_delay_ns = run_delay_ns(task);
	feed_make_entry(task);
	state->flags = 0; /* the seed pass may have met the task half-born */
	parent_state = bpf_task_storage_get(&task_states, parent, NULL, 0);
	if (parent_state)
		state->tag = parent_state->tag;
	if (READ_ONCE(tag_request.tgid) == parent->tgid)
		state->tag = READ_ONCE(tag_request.tag);
	return 0;
}

/* The task runs this itself, so nobody else writes its slots' identity meanwhile. */
SEC("tp_btf/sched_process_exec")
int BPF_PROG(wf_sched_process_exec, struct task_struct *task)
{
	struct task_state *state = bpf_task_storage_get(&task_states, task, NULL, 0);

	if (!state)
		return 0;
	for (int domain = 0; domain < RECORDS_CPU_DOMAINS_MAX; domain++) {
		struct slot_record *slot;

		if (state->slot[domain] == SLOT_NONE)
			continue;
		slot = slot_at(state->slot[domain]);
		if (!slot)
			continue;
		read_identity(slot, task);
		slot->flags |= SLOT_FLAG_EXECED;
		mark_touched(state->slot[domain]);
	}
	return 0;
}

/*
 * Fires before the kernel copies the new name. Only the task's own slots: what other threads' slots
 * say of a renamed leader stays as it was when they were taken; the leader's own slot is the one to
 * believe.
 */
SEC("tp_btf/task_rename")
int BPF_PROG(wf_task_rename, struct task_struct *task, const char *comm)
{
	struct task_state *state = bpf_task_storage_get(&task_states, task, NULL, 0);
	bool is_leader = task->pid == task->tgid;

	if (!state)
		return 0;
	for (int domain = 0; domain < RECORDS_CPU_DOMAINS_MAX; domain++) {
		struct slot_record *slot;

		if (state->slot[domain] == SLOT_NONE)
			continue;
		slot = slot_at(state->slot[domain]);
		if (!slot)
			continue;
		bpf_probe_read_kernel_str(slot->comm, sizeof(slot->comm), comm);
		if (is_leader)
			bpf_probe_read_kernel_str(slot->leader_comm, sizeof(slot->leader_comm),
						  comm);
		mark_touched(state->slot[domain]);
	}
	return 0;
}

/*
 * signal->live was lowered before this. Several threads that exit at once may all see 0 and all
 * carry the flag; the process has ended when the last of its slots is dead.
 */
SEC("tp_btf/sched_process_exit")
int BPF_PROG(wf_sched_process_exit, struct task_struct *task)
{
	struct task_state *state;

	if (BPF_CORE_READ(task, signal, live.counter) != 0)
		return 0;
	state = bpf_task_storage_get(&task_states, task, NULL, 0);
	if (!state)
		return 0;
	state->flags |= SLOT_FLAG_GROUP_DEAD;
	for (int domain = 0; domain < RECORDS_CPU_DOMAINS_MAX; domain++) {
		struct slot_record *slot;

		if (state->slot[domain] == SLOT_NONE)
			continue;
		slot = slot_at(state->slot[domain]);
		if (slot)
			slot->flags |= SLOT_FLAG_GROUP_DEAD;
	}
	return 0;
}
