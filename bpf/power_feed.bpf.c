// SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
/*
 * The maps of the power feed as include/power_feed.h says, and two passes over all tasks that user space
 * runs by itself: show every task's entry, and set one task's entry to invented values
 * (`wattfeed feed --simulate`). Attaches to nothing; the entries of `task` are written by
 * accounting.bpf.c at each switch.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include "power_feed_maps.bpf.h"
#include "feed_request.h"

char LICENSE[] SEC("license") = "GPL";

/* Writer and reader of each are said in power_feed_maps.bpf.h. */
struct power_feed_state_map pf_state SEC(".maps");
struct power_feed_package_map pf_package SEC(".maps");
struct power_feed_cpu_map pf_cpu SEC(".maps");
struct power_feed_cgroup_map pf_cgroup SEC(".maps");
struct power_feed_cgroup_index_map pf_cgroup_index SEC(".maps");
struct power_feed_task_map pf_task SEC(".maps");

struct feed_task_request request;

/* One row per task that has an entry. */
SEC("iter/task")
int wf_feed_show(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct power_feed_task *entry;
	struct feed_task_row row = {};

	if (!task || task->exit_state)
		return 0;
	entry = bpf_task_storage_get(&pf_task, task, NULL, 0);
	if (!entry)
		return 0;
	row.tid = task->pid;
	row.tgid = task->tgid;
	row.start_boottime_ns = task->start_boottime;
	row.cgroup_id = BPF_CORE_READ(task, cgroups, dfl_cgrp, kn, id);
	bpf_probe_read_kernel(row.comm, sizeof(row.comm), task->comm);
	bpf_probe_read_kernel(&row.entry, sizeof(row.entry), entry);
	bpf_seq_write(ctx->meta->seq, &row, sizeof(row));
	return 0;
}

/* Every thread of request.tgid, or the one thread request.tid, gets the entry. */
SEC("iter/task")
int wf_feed_set(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct power_feed_task *entry;

	if (!task || task->exit_state)
		return 0;
	if (request.tid ? task->pid != request.tid : task->tgid != request.tgid)
		return 0;
	entry = bpf_task_storage_get(&pf_task, task, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!entry)
		return 0;
	__builtin_memcpy(entry, &request.entry, sizeof(*entry));
	request.matched++;
	return 0;
}

/* The numbers of power_feed.h that are macros there. */
enum power_feed_limit {
	FEED_MAGIC = POWER_FEED_MAGIC,
	FEED_MAJOR = POWER_FEED_MAJOR,
	FEED_MINOR = POWER_FEED_MINOR,
	FEED_PACKAGES_MAX = POWER_FEED_PACKAGES_MAX,
	FEED_CPUS_MAX = POWER_FEED_CPUS_MAX,
	FEED_CGROUPS_MAX = POWER_FEED_CGROUPS_MAX,
	FEED_UNKNOWN16 = POWER_FEED_UNKNOWN16,
};

/* A global's type is in BTF, and nothing else of the header would be. */
struct power_feed_state_half *layout_state_half;
struct power_feed_package_half *layout_package_half;
struct power_feed_cpu_half *layout_cpu_half;
struct power_feed_cgroup_half *layout_cgroup_half;
struct feed_task_row *layout_task_row;
enum power_feed_limit *layout_limit;
enum power_feed_status *layout_status;
enum power_feed_source *layout_source;
enum power_feed_split *layout_split;
enum power_feed_class *layout_class;
enum power_feed_task_flag *layout_task_flag;
enum power_feed_cgroup_flag *layout_cgroup_flag;
enum power_feed_state_flag *layout_state_flag;
enum power_feed_package_flag *layout_package_flag;
