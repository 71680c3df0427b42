// SPDX-License-Identifier: Apache-2.0
/*
 * What the benches of BPF programs share: making context switches, and a program's own run time. The
 * including file defines _GNU_SOURCE and BENCH_NAME, which stands before each error.
 */
#ifndef WATTFEED_BENCH_SWITCHES_H
#define WATTFEED_BENCH_SWITCHES_H

#include <errno.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#define ANY_CPU (-1)

static void die(const char *what)
{
	fprintf(stderr, BENCH_NAME ": %s: %s\n", what, strerror(errno));
	exit(1);
}

static void pin_to(int cpu)
{
	cpu_set_t set;

	if (cpu == ANY_CPU)
		return;
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		die("pin");
}

static void bounce(int in, int out, int trips, bool begins)
{
	char byte = 0;

	for (int trip = 0; trip < trips; trip++) {
		if (begins && write(out, &byte, 1) != 1)
			die("write pipe");
		if (read(in, &byte, 1) != 1)
			die("read pipe");
		if (!begins && write(out, &byte, 1) != 1)
			die("write pipe");
	}
}

/* Two processes hand a byte to and fro: on one CPU each hand-over is a switch between two tasks. */
static void ping_pong(int cpu, int trips)
{
	int there[2], back[2], status;
	pid_t ponger, pinger;

	if (pipe(there) || pipe(back))
		die("pipe");
	ponger = fork();
	if (ponger == 0) {
		pin_to(cpu);
		bounce(there[0], back[1], trips, false);
		_exit(0);
	}
	pinger = fork();
	if (pinger == 0) {
		pin_to(cpu);
		bounce(back[0], there[1], trips, true);
		_exit(0);
	}
	if (ponger < 0 || pinger < 0)
		die("fork");
	waitpid(ponger, &status, 0);
	waitpid(pinger, &status, 0);
	close(there[0]);
	close(there[1]);
	close(back[0]);
	close(back[1]);
}

static struct bpf_prog_info info_of(const struct bpf_program *program)
{
	struct bpf_prog_info info = {};
	__u32 size = sizeof(info);

	if (bpf_obj_get_info_by_fd(bpf_program__fd(program), &info, &size))
		die("read program info");
	return info;
}

#endif /* WATTFEED_BENCH_SWITCHES_H */
