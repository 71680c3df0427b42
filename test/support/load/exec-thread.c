// SPDX-License-Identifier: Apache-2.0
/*
 * exec-thread CPU_MILLIS: at a line, a thread that is not the leader burns its time and then
 * executes this program again, which takes the leader's place, burns the same once more and waits.
 */
#include "load.h"

#define AGAIN "again"

static char *const *arguments;
static uint64_t cpu_ns;

static void *execute_again(void *unused)
{
	char *const again[] = {arguments[0], arguments[1], AGAIN, NULL};

	(void)unused;
	burn(cpu_ns);
	execv("/proc/self/exe", again);
	die("execv");
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	arguments = argv;
	cpu_ns = number(argc, argv, 1, 50) * NSEC_PER_MSEC;
	if (argc > 2 && !strcmp(argv[2], AGAIN)) {
		burn(cpu_ns);
		say("done");
		wait_for_line();
		return 0;
	}
	say("ready");
	wait_for_line();
	if (pthread_create(&thread, NULL, execute_again, NULL))
		die("pthread_create");
	for (;;)
		pause();
}
