// SPDX-License-Identifier: Apache-2.0
/*
 * burn-once CPU_MILLIS CPU: pinned, burns until the thread's own CPU clock says that much since the
 * thread began, and exits. Never sleeps, so only flushes at window edges can show it before its
 * end.
 */
#include "load.h"

int main(int argc, char **argv)
{
	pin_to(number(argc, argv, 2, 0));
	burn_until_thread_cpu(number(argc, argv, 1, 1000) * NSEC_PER_MSEC);
	return 0;
}
