// SPDX-License-Identifier: GPL-2.0
/*
 * /sys/kernel/debug/simhw/truth: zones, buckets and owners of one instant. Opening the file brings every CPU's
 * running slice up to date and copies all of it under one hold of the lock; reading prints the copy.
 */
#include <linux/debugfs.h>
#include <linux/seq_file.h>
#include <linux/string_helpers.h>
#include <linux/timekeeping.h>
#include <linux/vmalloc.h>

#include "simhw_hw.h"

#define SPARE_RECORDS 256

struct snapshot {
	u64 monotonic_ns, boottime_ns;
	struct sim_books books;
	struct {
		u64 total_nj, counter_uj;
	} zone[SIM_MAX_ZONES];
	u32 processes, threads;
	struct sim_process *process;
	struct sim_thread *thread;
	u32 max_processes, max_threads, missing;
};

static void copy_records(struct snapshot *copy)
{
	u32 i;

	for (i = 1; i < sim_processes_used; i++)
		if (sim_processes[i].is_used && copy->processes < copy->max_processes)
			copy->process[copy->processes++] = sim_processes[i];
		else if (sim_processes[i].is_used)
			copy->missing++;
	for (i = 1; i < sim_threads_used; i++)
		if (sim_threads[i].is_used && copy->threads < copy->max_threads) {
			copy->thread[copy->threads] = sim_threads[i];
			/* the number, not the index: records are used again */
			copy->thread[copy->threads++].process = sim_processes[sim_threads[i].process].tgid;
		}
}

static void take_snapshot(struct snapshot *copy)
{
	unsigned long flags;
	int i;

	raw_spin_lock_irqsave(&books.lock, flags);
	sim_books_advance();
	copy->monotonic_ns = books.last_ns;
	copy->boottime_ns = ktime_get_boot_fast_ns();
	copy->books = books;
	for (i = 0; i < sim_zone_count; i++) {
		copy->zone[i].total_nj = sim_zone_total_nj(&sim_zones[i]);
		copy->zone[i].counter_uj = sim_zone_counter_uj(&sim_zones[i]);
	}
	copy_records(copy);
	raw_spin_unlock_irqrestore(&books.lock, flags);
}

static const char *const part_names[SIM_PARTS] = { "own", "core", "on", "mem", "dram" };
static const char *const bucket_names[SIM_BUCKETS] = { "idle-floor", "idle-core", "igpu", "dram-background" };

static void show_heads(struct seq_file *out, const struct snapshot *copy)
{
	int part, package;

	seq_puts(out, "# simhw-truth 1: tab-separated; energies in nJ; one locked snapshot\n"
		      "# run_ns: CLOCK_MONOTONIC between switch-in and switch-out, as the sched_switch tracepoint sees it\n"
		      "# exec_ns: rise of se.sum_exec_runtime, read at switch-out (a running slice is not in it yet)\n"
		      "# start_ns: CLOCK_BOOTTIME; of the leader for a process\n"
		      "# zone\tname\ttotal_nj\tcounter_uj\n"
		      "# bucket\tname\tpackage\tenergy_nj\n"
		      "# process\ttgid\tstart_ns\tstate\tclass\thome\trun_ns\texec_ns\toverlap_ns\tcycles\tinstructions\tlines");
	for (package = 0; package < copy->books.packages; package++)
		for (part = 0; part < SIM_PARTS; part++)
			seq_printf(out, "\t%s%d_nj", part_names[part], package);
	seq_puts(out, "\tcomm\n# thread\ttid\ttgid\tstart_ns\tstate\trun_ns\texec_ns\toverlap_ns\tcomm\n");
	seq_printf(out, "clock\tmonotonic\t%llu\tboottime\t%llu\tbegin\t%llu\n", copy->monotonic_ns,
		   copy->boottime_ns, copy->books.begin_ns);
}

static void show_parts(struct seq_file *out, const struct snapshot *copy, const u64 energy_nj[][SIM_MAX_PACKAGES])
{
	int part, package;

	for (package = 0; package < copy->books.packages; package++)
		for (part = 0; part < SIM_PARTS; part++)
			seq_printf(out, "\t%llu", energy_nj[part][package]);
}

static void show_comm(struct seq_file *out, const char *comm)
{
	char text[SIM_NAME_LEN + 1] = {};

	memcpy(text, comm, SIM_NAME_LEN);
	seq_putc(out, '\t');
	seq_escape_str(out, text, ESCAPE_SPACE | ESCAPE_SPECIAL | ESCAPE_NP | ESCAPE_OCTAL, NULL);
	seq_putc(out, '\n');
}

static void show_process(struct seq_file *out, const struct snapshot *copy, const struct sim_process *process)
{
	int class = process->forced_class >= 0 ? process->forced_class : sim_class_by_name(process->comm);

	seq_printf(out, "process\t%d\t%llu\t%s\t%s\t%d\t%llu\t%llu\t%llu\t%llu\t%llu\t%llu", process->tgid,
		   process->start_ns, process->is_ended ? "ended" : "live", sim_classes[class].name, process->home,
		   process->run_ns, process->exec_ns, process->overlap_ns, process->counter[SIM_CYCLES],
		   process->counter[SIM_INSTRUCTIONS], process->counter[SIM_LINES]);
	show_parts(out, copy, process->energy_nj);
	show_comm(out, process->comm);
}

static int show_truth(struct seq_file *out, void *unused)
{
	const struct snapshot *copy = out->private;
	const struct sim_books *at = &copy->books;
	int i, package;

	show_heads(out, copy);
	for (i = 0; i < sim_zone_count; i++)
		if (sim_zones[i].kind != SIM_ZONE_MMIO)
			seq_printf(out, "zone\t%s\t%llu\t%llu\n", sim_zones[i].name, copy->zone[i].total_nj,
				   copy->zone[i].counter_uj);
	for (package = 0; package < at->packages; package++)
		for (i = 0; i < SIM_BUCKETS; i++)
			seq_printf(out, "bucket\t%s\t%d\t%llu\n", bucket_names[i], package,
				   at->package[package].bucket_nj[i]);
	seq_printf(out, "bucket\trest\t0\t%llu\n", at->rest_nj);
	seq_printf(out, "folded\t%llu\t0\tended\t-\t0\t%llu\t%llu\t%llu\t0\t0\t0", at->folded_processes,
		   at->folded_run_ns, at->folded_exec_ns, at->folded_overlap_ns);
	show_parts(out, copy, at->folded_nj);
	seq_printf(out, "\t-\nlost\t%llu\t0\tlost\t-\t0\t0\t0\t0\t0\t0\t0", at->lost_switches);
	show_parts(out, copy, at->lost_nj);
	seq_puts(out, "\t-\n");
	for (i = 0; i < copy->processes; i++)
		show_process(out, copy, &copy->process[i]);
	for (i = 0; i < copy->threads; i++) {
		const struct sim_thread *thread = &copy->thread[i];

		seq_printf(out, "thread\t%d\t%d\t%llu\t%s\t%llu\t%llu\t%llu", thread->tid, (s32)thread->process,
			   thread->start_ns, thread->is_ended ? "ended" : "live", thread->run_ns, thread->exec_ns,
			   thread->overlap_ns);
		show_comm(out, thread->comm);
	}
	seq_printf(out, "end\t%u\n", copy->missing);
	return 0;
}

static void free_snapshot(struct snapshot *copy)
{
	if (!copy)
		return;
	vfree(copy->process);
	vfree(copy->thread);
	vfree(copy);
}

static int open_truth(struct inode *inode, struct file *file)
{
	struct snapshot *copy = vzalloc(sizeof(*copy));
	int err;

	if (!copy)
		return -ENOMEM;
	/* room for those that come between here and the lock; more than that are missing, and said so */
	copy->max_processes = min(sim_max_processes, READ_ONCE(sim_processes_used) + SPARE_RECORDS);
	copy->max_threads = min(sim_max_threads, READ_ONCE(sim_threads_used) + SPARE_RECORDS);
	/* zeroed, so that no page fault happens under the lock */
	copy->process = vzalloc(array_size(copy->max_processes, sizeof(*copy->process)));
	copy->thread = vzalloc(array_size(copy->max_threads, sizeof(*copy->thread)));
	if (!copy->process || !copy->thread) {
		free_snapshot(copy);
		return -ENOMEM;
	}
	take_snapshot(copy);
	err = single_open_size(file, show_truth, copy,
			       PAGE_SIZE + (size_t)copy->processes * 400 + (size_t)copy->threads * 200);
	if (err)
		free_snapshot(copy);
	return err;
}

static int release_truth(struct inode *inode, struct file *file)
{
	struct seq_file *seq = file->private_data;

	free_snapshot(seq->private);
	return single_release(inode, file);
}

static const struct file_operations truth_fops = {
	.owner = THIS_MODULE, .open = open_truth, .read = seq_read, .llseek = seq_lseek, .release = release_truth,
};

void sim_truth_init(struct dentry *dir)
{
	debugfs_create_file("truth", 0400, dir, NULL, &truth_fops);
}
