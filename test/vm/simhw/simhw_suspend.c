// SPDX-License-Identifier: GPL-2.0
/*
 * A suspend as software sees it afterwards: CLOCK_BOOTTIME is ahead of CLOCK_MONOTONIC by the time slept, and
 * the energy counters begin anew if asked for. The machine itself cannot sleep, because its file system
 * (virtiofs) refuses to. The kernel's function is not exported; a kprobe tells its address.
 */
#include <linux/kprobes.h>
#include <linux/time64.h>

#include "simhw_hw.h"

typedef void (*inject_function)(const struct timespec64 *delta);

int sim_suspend(u64 millis, bool reset_counters)
{
	struct kprobe probe = { .symbol_name = "timekeeping_inject_sleeptime64" };
	struct timespec64 slept = ns_to_timespec64(millis * NSEC_PER_MSEC);
	unsigned long flags;
	int err = register_kprobe(&probe);

	if (err)
		return err;
	unregister_kprobe(&probe);
	((inject_function)probe.addr)(&slept);
	if (!reset_counters)
		return 0;
	raw_spin_lock_irqsave(&books.lock, flags);
	sim_zones_reset_all();
	raw_spin_unlock_irqrestore(&books.lock, flags);
	return 0;
}
