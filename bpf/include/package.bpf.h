/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * How many CPUs of a package are busy. A package draws its wake-up power once, however many CPUs
 * run; each running task carries 1 / busy CPUs of it, integrated over its slice. One
 * compare-and-swap per idle or busy edge, one load at other switches; a CPU's own flag says whether
 * it is in the count, so that an unseen switch or a lost race cannot make it drift.
 */
#ifndef WATTFEED_PACKAGE_BPF_H
#define WATTFEED_PACKAGE_BPF_H

#include "maps.bpf.h"

/* CPUs of one package that may have an edge at the same moment before one puts it off. */
#define EDGE_ATTEMPTS 16

static __always_inline struct package_state *package_of_cpu(__u32 cpu_number)
{
	__u32 number = package_of[cpu_number & (RECORDS_CPUS_MAX - 1)];

	return &packages[number & (RECORDS_PACKAGES_MAX - 1)];
}

/* Adds the CPU to its package's count or takes it out. A CPU that loses every race tries again at
 * its next switch. */
static __noinline int move_edge(struct cpu_record *cpu, __u32 cpu_number, __u64 now_ns,
				bool is_busy)
{
	struct package_state *package = package_of_cpu(cpu_number);

	for (int attempt = 0; attempt < EDGE_ATTEMPTS; attempt++) {
		__u64 word = READ_ONCE(package->word);
		__u32 busy_cpus = word & PACKAGE_CPUS_MASK;
		__u64 moved = package_word(word, now_ns, is_busy ? busy_cpus + 1 : busy_cpus - 1);

		if (__sync_val_compare_and_swap(&package->word, word, moved) == word) {
			cpu->is_active = is_busy;
			return 0;
		}
	}
	return 0;
}

/* The package's V now, after this CPU has become busy or idle. */
static __always_inline __u64 follow_package(struct cpu_record *cpu, __u32 cpu_number, __u64 now_ns,
					    bool is_busy)
{
	if (package_on != PACKAGE_ON_COUNTED)
		return 0;
	if (is_busy != !!cpu->is_active)
		move_edge(cpu, cpu_number, now_ns, is_busy);
	return package_on_at(READ_ONCE(package_of_cpu(cpu_number)->word), now_ns);
}

static __always_inline __u64 package_on_of(struct cpu_record *cpu, __u64 now_on_ns, __u64 slice_ns)
{
	if (package_on == PACKAGE_ON_MEAN)
		return mul_q16(slice_ns, READ_ONCE(cpu->on_share_q16));
	if (package_on != PACKAGE_ON_COUNTED)
		return 0;
	return package_on_ns(now_on_ns, cpu->package_on_base_ns, slice_ns);
}

#endif /* WATTFEED_PACKAGE_BPF_H */
