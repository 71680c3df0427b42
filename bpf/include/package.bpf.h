/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * How many CPUs of a package are busy. A package draws its wake-up power once, however many CPUs
 * run; each running task carries 1 / busy CPUs of it. One atomic per idle or busy edge; a CPU's own
 * flag says whether it is in the count, so that an unseen switch cannot make it drift.
 */
#ifndef WATTFEED_PACKAGE_BPF_H
#define WATTFEED_PACKAGE_BPF_H

#include "maps.bpf.h"

/* 1 / n of a package at both sides of a switch. */
struct on_shares {
	__u32 before_q16; /* this CPU as it was until now */
	__u32 after_q16; /* this CPU as it is from now on */
};

static __always_inline __u32 on_share(__u32 busy_cpus)
{
	return busy_cpus > 1 ? Q16_ONE / busy_cpus : Q16_ONE;
}

static __always_inline void follow_package(struct cpu_record *cpu, __u32 cpu_number, bool is_busy,
					   struct on_shares *shares)
{
	struct package_state *package;
	__u32 before, after;

	if (package_on == PACKAGE_ON_MEAN) {
		shares->before_q16 = shares->after_q16 = cpu->on_share_q16;
		return;
	}
	if (package_on != PACKAGE_ON_COUNTED)
		return;
	package = &packages[package_of[cpu_number & (RECORDS_CPUS_MAX - 1)] &
			    (RECORDS_PACKAGES_MAX - 1)];
	if (is_busy == !!cpu->is_active) {
		before = after = READ_ONCE(package->busy_cpus);
	} else if (is_busy) {
		before = __sync_fetch_and_add(&package->busy_cpus, 1);
		after = before + 1;
	} else {
		before = __sync_fetch_and_add(&package->busy_cpus, -1);
		after = before - 1;
	}
	cpu->is_active = is_busy;
	shares->before_q16 = on_share(before);
	shares->after_q16 = before == after ? shares->before_q16 : on_share(after);
}

#endif /* WATTFEED_PACKAGE_BPF_H */
