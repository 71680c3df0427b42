// SPDX-License-Identifier: GPL-2.0
/*
 * Records of processes and threads, from two fixed tables: they are taken under the runqueue lock, where
 * nothing can be allocated. An ended record keeps its values until it is needed again, oldest first; a
 * process's energy then goes to `folded`, so sums stay whole however many processes come and go.
 */
#include <linux/hash.h>
#include <linux/mm.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

#include "simhw_hw.h"

#define HASH_BITS 14
#define HASH_SIZE (1 << HASH_BITS)

struct sim_process *sim_processes;
struct sim_thread *sim_threads;
static u32 *process_hash, *thread_hash;
/* a list of records by index; 0 = none */
struct fifo {
	u32 oldest, newest;
};
static struct fifo ended_processes, ended_threads;
u32 sim_processes_used = 1, sim_threads_used = 1; /* records that were ever taken; 0 never is */

#define FIFO_PUSH(table, fifo, index) do {                         \
	(table)[index].fifo_prev = (fifo).newest;                  \
	(table)[index].fifo_next = 0;                              \
	if ((fifo).newest)                                         \
		(table)[(fifo).newest].fifo_next = (index);        \
	else                                                       \
		(fifo).oldest = (index);                           \
	(fifo).newest = (index);                                   \
} while (0)

#define FIFO_REMOVE(table, fifo, index) do {                                       \
	u32 before = (table)[index].fifo_prev, after = (table)[index].fifo_next;   \
	if (before)                                                                \
		(table)[before].fifo_next = after;                                 \
	else                                                                       \
		(fifo).oldest = after;                                             \
	if (after)                                                                 \
		(table)[after].fifo_prev = before;                                 \
	else                                                                       \
		(fifo).newest = before;                                            \
} while (0)

static u32 *process_bucket(s32 tgid, u64 start_ns)
{
	return &process_hash[hash_64(start_ns ^ ((u64)tgid << 40), HASH_BITS)];
}

static u32 *thread_bucket(const struct task_struct *task)
{
	return &thread_hash[hash_ptr(task, HASH_BITS)];
}

#define HASH_REMOVE(table, bucket, index) do {                             \
	u32 *link = (bucket);                                              \
	while (*link && *link != (index))                                  \
		link = &(table)[*link].hash_next;                          \
	if (*link)                                                         \
		*link = (table)[index].hash_next;                          \
} while (0)

static void fold_process(struct sim_process *process)
{
	int part, package;

	for (part = 0; part < SIM_PARTS; part++)
		for (package = 0; package < SIM_MAX_PACKAGES; package++)
			books.folded_nj[part][package] += process->energy_nj[part][package];
	books.folded_run_ns += process->run_ns;
	books.folded_exec_ns += process->exec_ns;
	books.folded_overlap_ns += process->overlap_ns;
	books.folded_processes++;
}

static u32 take_process_record(void)
{
	u32 index;

	if (sim_processes_used < sim_max_processes)
		return sim_processes_used++;
	index = ended_processes.oldest;
	if (!index)
		return SIM_NONE;
	FIFO_REMOVE(sim_processes, ended_processes, index);
	HASH_REMOVE(sim_processes, process_bucket(sim_processes[index].tgid, sim_processes[index].start_ns), index);
	fold_process(&sim_processes[index]);
	return index;
}

static u32 process_of(struct task_struct *task)
{
	/* the leader of a task that was already reaped may be gone */
	struct task_struct *leader = task->exit_state ? task : task->group_leader;
	u64 start_ns = leader->start_boottime;
	u32 *bucket = process_bucket(task->tgid, start_ns), index;
	struct sim_process *process;

	for (index = *bucket; index; index = sim_processes[index].hash_next)
		if (sim_processes[index].tgid == task->tgid && sim_processes[index].start_ns == start_ns)
			return index;
	index = take_process_record();
	if (!index)
		return SIM_NONE;
	process = &sim_processes[index];
	memset(process, 0, sizeof(*process));
	process->is_used = true;
	process->tgid = task->tgid;
	process->start_ns = start_ns;
	process->home = SIM_HOME_AUTO;
	process->forced_class = -1;
	process->delta_milli = sim_delta_milli(task->tgid, start_ns);
	memcpy(process->comm, leader->comm, SIM_NAME_LEN);
	process->hash_next = *bucket;
	*bucket = index;
	return index;
}

static u32 take_thread_record(void)
{
	u32 index;

	if (sim_threads_used < sim_max_threads)
		return sim_threads_used++;
	index = ended_threads.oldest;
	if (index)
		FIFO_REMOVE(sim_threads, ended_threads, index);
	return index;
}

/* Record of a task that lives; made if asked for. SIM_NONE when there is none to be had. */
u32 sim_thread_of(struct task_struct *task, bool create)
{
	u32 *bucket = thread_bucket(task), index, process;
	struct sim_thread *thread;

	for (index = *bucket; index; index = sim_threads[index].hash_next)
		if (sim_threads[index].task == task)
			return index;
	if (!create)
		return SIM_NONE;
	process = process_of(task);
	if (!process)
		return SIM_NONE;
	index = take_thread_record();
	if (!index)
		return SIM_NONE;
	thread = &sim_threads[index];
	memset(thread, 0, sizeof(*thread));
	thread->is_used = true;
	thread->task = task;
	thread->tid = task->pid;
	thread->start_ns = task->start_boottime;
	thread->process = process;
	thread->cpu = -1;
	thread->exec_seen_ns = task->se.sum_exec_runtime;
	memcpy(thread->comm, task->comm, SIM_NAME_LEN);
	thread->class = sim_processes[process].forced_class >= 0 ? sim_processes[process].forced_class :
								    sim_class_by_name(thread->comm);
	thread->hash_next = *bucket;
	*bucket = index;
	if (sim_processes[process].is_ended) { /* its earlier threads ended before this one first ran */
		FIFO_REMOVE(sim_processes, ended_processes, process);
		sim_processes[process].is_ended = false;
	}
	sim_processes[process].live_threads++;
	return index;
}

/* The last switch of a task: its task_struct may be used for another one from now on. */
void sim_thread_ended(u32 index)
{
	struct sim_thread *thread = &sim_threads[index];
	struct sim_process *process = &sim_processes[thread->process];

	HASH_REMOVE(sim_threads, thread_bucket(thread->task), index);
	thread->task = NULL;
	thread->is_ended = true;
	FIFO_PUSH(sim_threads, ended_threads, index);
	if (--process->live_threads == 0) {
		process->is_ended = true;
		FIFO_PUSH(sim_processes, ended_processes, thread->process);
	}
}

/* The living process of that number. */
u32 sim_process_by_tgid(s32 tgid)
{
	u32 index;

	for (index = 1; index < sim_processes_used; index++)
		if (sim_processes[index].is_used && !sim_processes[index].is_ended && sim_processes[index].tgid == tgid)
			return index;
	return SIM_NONE;
}

int sim_records_init(void)
{
	sim_processes = vzalloc(array_size(sim_max_processes, sizeof(*sim_processes)));
	sim_threads = vzalloc(array_size(sim_max_threads, sizeof(*sim_threads)));
	process_hash = vzalloc(HASH_SIZE * sizeof(u32));
	thread_hash = vzalloc(HASH_SIZE * sizeof(u32));
	if (sim_processes && sim_threads && process_hash && thread_hash)
		return 0;
	sim_records_exit();
	return -ENOMEM;
}

void sim_records_exit(void)
{
	vfree(sim_processes);
	vfree(sim_threads);
	vfree(process_hash);
	vfree(thread_hash);
}
