// SPDX-License-Identifier: Apache-2.0
/*
 * switches ROUNDS: at each line, a mix of every way to leave a CPU: sleeps, yields to a competitor
 * that is pinned to the same CPU, preemption by it, and moves between CPUs.
 */
#include "load.h"

#define NAP_USEC 300
#define YIELDS 20
#define SPRINT_NSEC (3 * NSEC_PER_MSEC)

static pid_t start_competitor(int cpu)
{
	pid_t pid = fork();

	if (pid < 0)
		die("fork");
	if (pid == 0) {
		pin_to(cpu);
		for (;;)
			burn(NSEC_PER_MSEC);
	}
	return pid;
}

static void act(int rounds, int cpus)
{
	pid_t competitor = start_competitor(0);

	for (int round = 0; round < rounds; round++) {
		pin_to(0);
		usleep(NAP_USEC);
		for (int yield = 0; yield < YIELDS; yield++)
			sched_yield();
		burn(SPRINT_NSEC);
		pin_to(round % cpus);
		usleep(NAP_USEC);
	}
	kill(competitor, SIGKILL);
	waitpid(competitor, NULL, 0);
}

int main(int argc, char **argv)
{
	int rounds = number(argc, argv, 1, 10);
	int cpus = sysconf(_SC_NPROCESSORS_ONLN);

	for (;;) {
		say("ready");
		wait_for_line();
		act(rounds, cpus);
	}
}
