// SPDX-License-Identifier: Apache-2.0
/*
 * burn-once CPU_MILLIS CPU [alone]: pinned, burns until the thread's own CPU clock says that much
 * since the thread began, and exits. Never sleeps. With "alone" it is real-time, so that no ordinary
 * task takes the CPU from it: only flushes at window edges can then show it before its end.
 */
#include "load.h"

int main(int argc, char **argv)
{
	const struct sched_param lowest = {.sched_priority = 1};

	pin_to(number(argc, argv, 2, 0));
	if (argc > 3 && sched_setscheduler(0, SCHED_FIFO, &lowest))
		die("sched_setscheduler");
	burn_until_thread_cpu(number(argc, argv, 1, 1000) * NSEC_PER_MSEC);
	return 0;
}
