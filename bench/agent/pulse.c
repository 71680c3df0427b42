// SPDX-License-Identifier: Apache-2.0
/*
 * pulse COUNT PERIOD_MILLIS BURN_MICROS: COUNT threads in processes of 50, each of which burns a little,
 * then sleeps, for ever: that many active tasks in every window. Ends when standard input closes.
 */
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#define THREADS_PER_PROCESS 50
#define STACK_BYTES (64 * 1024)

static long period_ms, burn_us;

static int64_t thread_cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static void *pulse(void *seed)
{
	struct timespec offset = { 0, (long)(intptr_t)seed % period_ms * 1000000L };
	struct timespec pause = { period_ms / 1000, period_ms % 1000 * 1000000L };

	nanosleep(&offset, NULL);
	for (;;) {
		int64_t end = thread_cpu_ns() + burn_us * 1000;

		while (thread_cpu_ns() < end)
			;
		nanosleep(&pause, NULL);
	}
	return NULL;
}

static void run_process(long threads, long first)
{
	pthread_attr_t attr;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_BYTES);
	for (long i = 1; i < threads; i++) {
		pthread_t thread;

		if (pthread_create(&thread, &attr, pulse, (void *)(intptr_t)(first + i)))
			exit(1);
	}
	pulse((void *)(intptr_t)first);
}

int main(int argc, char **argv)
{
	long count = argc > 1 ? atol(argv[1]) : 1000;
	char byte;

	period_ms = argc > 2 ? atol(argv[2]) : 500;
	burn_us = argc > 3 ? atol(argv[3]) : 100;
	for (long first = 0; first < count; first += THREADS_PER_PROCESS) {
		long rest = count - first;

		if (fork() == 0)
			run_process(rest < THREADS_PER_PROCESS ? rest : THREADS_PER_PROCESS, first);
	}
	puts("ready");
	fflush(stdout);
	return read(0, &byte, 1) == 1;
}
