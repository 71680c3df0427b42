// SPDX-License-Identifier: GPL-2.0
/*
 * /sys/kernel/debug/simhw/reads: the last readings of the counters, as their readers got them. With it a test
 * can tell what a reader must have added up, to the microjoule, without guessing when it read.
 */
#include <linux/debugfs.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/vmalloc.h>

#include "simhw_hw.h"

#define READS 16384 /* the oldest are overwritten */

struct sim_read {
	u64 at_ns; /* CLOCK_MONOTONIC */
	u64 true_nj; /* what the zone had really used */
	s64 value; /* uJ as powercap prints it, nJ for perf; -errno if it failed */
	s32 tgid;  /* of the reader; 0 for perf, which reads by interrupt on the zone's CPU */
	u8 zone;
	bool is_perf, has_failed;
};
static struct sim_read *reads;
static u64 count;

/* books.lock held, everything booked up to now. */
void sim_read_note(const struct sim_zone *zone, bool is_perf, s64 value, bool has_failed)
{
	if (!reads)
		return;
	reads[count++ % READS] = (struct sim_read){
		.at_ns = books.last_ns, .true_nj = sim_zone_total_nj(zone), .value = value,
		.tgid = is_perf ? 0 : current->tgid, .zone = zone - sim_zones, .is_perf = is_perf,
		.has_failed = has_failed,
	};
}

static int reads_show(struct seq_file *out, void *unused)
{
	u64 first, last, i;
	unsigned long flags;

	raw_spin_lock_irqsave(&books.lock, flags);
	last = count;
	raw_spin_unlock_irqrestore(&books.lock, flags);
	first = last > READS ? last - READS : 0;
	seq_puts(out, "# monotonic_ns\tzone\tinterface\ttgid\tvalue\ttrue_nj\toutcome\n");
	for (i = first; i < last; i++) {
		const struct sim_read *read = &reads[i % READS];

		seq_printf(out, "%llu\t%s\t%s\t%d\t%lld\t%llu\t%s\n", read->at_ns, sim_zones[read->zone].name,
			   read->is_perf ? "perf" : "powercap", read->tgid, read->value, read->true_nj,
			   read->has_failed ? "failed" : "ok");
	}
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(reads);

int sim_reads_init(struct dentry *dir)
{
	struct sim_read *made = vzalloc(array_size(READS, sizeof(*made)));

	if (!made)
		return -ENOMEM;
	WRITE_ONCE(reads, made);
	debugfs_create_file("reads", 0400, dir, NULL, &reads_fops);
	return 0;
}

/* After the last reader is gone. */
void sim_reads_exit(void)
{
	vfree(reads);
}
