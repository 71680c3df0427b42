/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the load programs share. A program talks to its test line by line: it says "ready", waits
 * for a line, acts, says "done", and waits again, so that the test can read counters while it
 * sleeps.
 */
#ifndef LOAD_H
#define LOAD_H

#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NSEC_PER_SEC 1000000000ULL
#define NSEC_PER_MSEC 1000000ULL
#define NSEC_PER_USEC 1000ULL

static inline void die(const char *what)
{
	perror(what);
	exit(1);
}

static inline uint64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return now.tv_sec * NSEC_PER_SEC + now.tv_nsec;
}

/* Without a sleep and by the task's own clock, so steal and competitors do not shorten it. */
static inline void burn_until_thread_cpu(uint64_t cpu_ns)
{
	while (clock_ns(CLOCK_THREAD_CPUTIME_ID) < cpu_ns)
		;
}

static inline void burn(uint64_t cpu_ns)
{
	burn_until_thread_cpu(clock_ns(CLOCK_THREAD_CPUTIME_ID) + cpu_ns);
}

static inline void pin_to(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		die("sched_setaffinity");
}

static inline void say(const char *line)
{
	if (write(STDOUT_FILENO, line, strlen(line)) < 0 || write(STDOUT_FILENO, "\n", 1) < 0)
		die("write");
}

/* Ends the program when the test is gone: no load outlives its test. */
static inline void wait_for_line(void)
{
	char byte = 0;

	while (byte != '\n')
		if (read(STDIN_FILENO, &byte, 1) != 1)
			exit(0);
}

static inline uint64_t number(int argc, char **argv, int index, uint64_t otherwise)
{
	return argc > index ? strtoull(argv[index], NULL, 10) : otherwise;
}

#endif /* LOAD_H */
