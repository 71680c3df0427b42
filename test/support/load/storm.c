// SPDX-License-Identifier: Apache-2.0
/*
 * storm COUNT PARALLEL MIN_MICROS MAX_MICROS: at a line, forks COUNT children, at most PARALLEL at
 * a time, each of which burns between MIN and MAX of its own CPU time and exits.
 */
#include "load.h"
#include <sys/resource.h>

#define BEFORE_OTHERS (-10)

/*
 * So that a busy machine does not stretch the test. Where sessions share the machine by groups,
 * niceness counts inside the session only, and the session has its own. Without the right to, it
 * takes longer.
 */
static void come_before_others(void)
{
	FILE *session;

	setsid();
	session = fopen("/proc/self/autogroup", "w");
	if (session) {
		fprintf(session, "%d", BEFORE_OTHERS);
		fclose(session);
	}
	setpriority(PRIO_PROCESS, 0, BEFORE_OTHERS);
}

static void reap(int *living)
{
	if (wait(NULL) < 0)
		die("wait");
	(*living)--;
}

int main(int argc, char **argv)
{
	uint64_t count = number(argc, argv, 1, 100), parallel = number(argc, argv, 2, 16);
	uint64_t min_ns = number(argc, argv, 3, 0) * NSEC_PER_USEC;
	uint64_t max_ns = number(argc, argv, 4, 0) * NSEC_PER_USEC;
	int living = 0;

	come_before_others();
	say("ready");
	wait_for_line();
	for (uint64_t child = 0; child < count; child++) {
		/* spreads evenly over the range, the same in every run */
		uint64_t spread_ns =
			max_ns > min_ns ? child * 7919 * NSEC_PER_USEC % (max_ns - min_ns) : 0;
		pid_t pid;

		if ((uint64_t)living >= parallel)
			reap(&living);
		pid = fork();
		if (pid < 0)
			die("fork");
		if (pid == 0) {
			burn(min_ns + spread_ns);
			_exit(0);
		}
		living++;
	}
	while (living)
		reap(&living);
	say("done");
	wait_for_line();
	return 0;
}
