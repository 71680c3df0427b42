// SPDX-License-Identifier: Apache-2.0
/*
 * simload: a load of a known kind. Its name decides its workload class in the simulated machine; what it
 * computes does not matter. Usage: simload NAME SECONDS [key=value ...]
 *   cpu=N       run on that CPU only          threads=N  this many threads (default 1)
 *   duty=MILLI  busy part of each period      period=US  of the duty cycle (default 20000)
 *   forks=US    one child after the other that computes for that long and ends (a fork storm); with duty
 *               it rests for that part of a period after each
 *   yield=1     sched_yield between the rounds
 *   procs=N     this many processes, all of that name
 *   rss=MB      touches that much memory first, so that it lives where the program began
 *   swap=NAME   the computing thread takes that name and its own in turn, 150 ms each: phases of two classes
 *               in a process that keeps its name
 * Prints one line: name, pid, CPU nanoseconds by CLOCK_PROCESS_CPUTIME_ID, rounds.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_S 1000000000LL

#define SWAP_NS 150000000LL

static const char *name, *swap_name;
static long long end_ns, period_us = 20000, duty_milli = 1000, forks_us;
static int cpu = -1, yields;
static volatile unsigned long long rounds;

static long long now_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * NS_PER_S + t.tv_nsec;
}

/* A thread's name is its own: the process keeps its leader's. */
static void take_phase_name(long long at_ns)
{
	static __thread long long phase = -1;
	long long now = at_ns / SWAP_NS;

	if (now == phase)
		return;
	phase = now;
	prctl(PR_SET_NAME, now & 1 ? swap_name : name);
}

static void spin_until(long long until_ns)
{
	long long at_ns;

	while ((at_ns = now_ns(CLOCK_MONOTONIC)) < until_ns) {
		if (swap_name)
			take_phase_name(at_ns);
		for (int i = 0; i < 2000; i++)
			rounds++;
		if (yields)
			sched_yield();
	}
}

static void sleep_until(long long until_ns)
{
	struct timespec t = { until_ns / NS_PER_S, until_ns % NS_PER_S };

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
}

static void fork_storm(void)
{
	while (now_ns(CLOCK_MONOTONIC) < end_ns) {
		pid_t child = fork();

		if (child == 0) {
			spin_until(now_ns(CLOCK_MONOTONIC) + forks_us * 1000);
			_exit(0);
		}
		if (child > 0)
			waitpid(child, NULL, 0);
		if (duty_milli < 1000)
			sleep_until(now_ns(CLOCK_MONOTONIC) + period_us * (1000 - duty_milli));
	}
}

static void *work(void *unused)
{
	(void)unused;
	prctl(PR_SET_NAME, name);
	if (forks_us) {
		fork_storm();
	} else if (duty_milli >= 1000) {
		spin_until(end_ns);
	} else {
		for (long long at = now_ns(CLOCK_MONOTONIC); at < end_ns; at += period_us * 1000) {
			spin_until(at + period_us * duty_milli);
			sleep_until(at + period_us * 1000);
		}
	}
	return NULL;
}

static void touch_memory(size_t megabytes)
{
	size_t bytes = megabytes << 20;
	char *memory = malloc(bytes);

	if (!memory) {
		perror("simload: rss");
		exit(1);
	}
	for (size_t at = 0; at < bytes; at += 4096)
		((volatile char *)memory)[at] = 1;
}

/* Children that go when the first one goes. */
static void start_processes(long long count)
{
	for (long long i = 1; i < count; i++)
		if (fork() == 0) {
			prctl(PR_SET_PDEATHSIG, SIGTERM);
			return;
		}
}

static int text_option(const char *text, const char *key, const char **value)
{
	size_t len = strlen(key);

	if (strncmp(text, key, len) || text[len] != '=')
		return 0;
	*value = text + len + 1;
	return 1;
}

static int option(const char *text, const char *key, long long *value)
{
	size_t len = strlen(key);

	if (strncmp(text, key, len) || text[len] != '=')
		return 0;
	*value = atoll(text + len + 1);
	return 1;
}

int main(int argc, char **argv)
{
	long long number = 0, threads = 1, procs = 1, rss = 0;
	pthread_t thread[64];

	if (argc < 3) {
		fprintf(stderr, "usage: simload NAME SECONDS [cpu=N] [threads=N] [duty=MILLI] [period=US] [forks=US] [yield=1] [procs=N] [rss=MB] [swap=NAME]\n");
		return 2;
	}
	name = argv[1];
	end_ns = now_ns(CLOCK_MONOTONIC) + (long long)(atof(argv[2]) * NS_PER_S);
	for (int i = 3; i < argc; i++) {
		if (option(argv[i], "cpu", &number))
			cpu = (int)number;
		else if (option(argv[i], "yield", &number))
			yields = (int)number;
		else if (!option(argv[i], "threads", &threads) && !option(argv[i], "duty", &duty_milli) &&
			 !option(argv[i], "period", &period_us) && !option(argv[i], "forks", &forks_us) &&
			 !option(argv[i], "procs", &procs) && !option(argv[i], "rss", &rss) &&
			 !text_option(argv[i], "swap", &swap_name)) {
			fprintf(stderr, "simload: unknown option %s\n", argv[i]);
			return 2;
		}
	}
	if (cpu >= 0) {
		cpu_set_t set;

		CPU_ZERO(&set);
		CPU_SET(cpu, &set);
		if (sched_setaffinity(0, sizeof(set), &set)) {
			perror("simload: sched_setaffinity");
			return 1;
		}
	}
	prctl(PR_SET_NAME, name);
	if (rss)
		touch_memory(rss);
	start_processes(procs);
	if (swap_name) { /* the leader keeps the name and waits */
		if (pthread_create(&thread[0], NULL, work, NULL)) {
			fprintf(stderr, "simload: cannot make a thread\n");
			return 1;
		}
		pthread_join(thread[0], NULL);
		return 0;
	}
	for (int i = 1; i < threads && i < 64; i++)
		if (pthread_create(&thread[i], NULL, work, NULL)) {
			fprintf(stderr, "simload: cannot make a thread\n");
			return 1;
		}
	work(NULL);
	for (int i = 1; i < threads && i < 64; i++)
		pthread_join(thread[i], NULL);
	printf("%s %d %lld %llu\n", name, getpid(), now_ns(CLOCK_PROCESS_CPUTIME_ID), rounds);
	return 0;
}
