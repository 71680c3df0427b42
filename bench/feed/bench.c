// SPDX-License-Identifier: Apache-2.0
/*
 * Time of one look at the feed, by the kernel's own run time of each program (bpf_stats), interleaved: (run time -
 * empty program's) / looks per run, median over the rounds. bench [rounds] [round trips]
 */
#define _GNU_SOURCE
#define BENCH_NAME "bench feed"
#include <errno.h>
#include <linux/types.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "switches.h"

#include "power_feed.h"
#include "lookup.skel.h"

#define LOOKS 10
#define STEPS 5
#define ROUNDS_MAX 99
#define CGROUP_ID 77ULL

static __u64 now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

static void fill(struct lookup_bpf *skel)
{
	struct power_feed_state state = {
		.magic = POWER_FEED_MAGIC,
		.abi_major = POWER_FEED_MAJOR,
		.generation = 1,
		.half[1] = {.generation = 1,
			    .valid_until_ns = now_ns() + 3600000000000ULL,
			    .source = POWER_FEED_MEASURED,
			    .flags = POWER_FEED_STATE_HAS_TASKS,
			    .cgroup_count = 1,
			    .reference_power_mw = 4000},
	};
	struct power_feed_cgroup cgroup = {.half[1] = {.cgroup_id = CGROUP_ID, .power_mw = 5}};
	__u64 id = CGROUP_ID;
	__u32 zero = 0;

	if (bpf_map_update_elem(bpf_map__fd(skel->maps.pf_state), &zero, &state, 0) ||
	    bpf_map_update_elem(bpf_map__fd(skel->maps.pf_cgroup), &zero, &cgroup, 0) ||
	    bpf_map_update_elem(bpf_map__fd(skel->maps.pf_cgroup_index), &id, &zero, 0))
		die("fill the feed");
	skel->links.newtask = bpf_program__attach(skel->progs.newtask);
	if (!skel->links.newtask)
		die("attach newtask");
}

static double measure(struct bpf_program *program, int trips)
{
	struct bpf_prog_info before = info_of(program), after;
	struct bpf_link *link = bpf_program__attach(program);

	if (!link)
		die("attach");
	ping_pong(0, trips);
	bpf_link__destroy(link);
	after = info_of(program);
	return (double)(after.run_time_ns - before.run_time_ns) /
	       (double)(after.run_cnt - before.run_cnt);
}

static int ascending(const void *left, const void *right)
{
	double a = *(const double *)left, b = *(const double *)right;

	return (a > b) - (a < b);
}

int main(int argc, char **argv)
{
	static const char *const names[STEPS] = {"empty program", "clock", "task entry",
						 "task entry with averages", "cgroup entry"};
	static double ns[STEPS][ROUNDS_MAX];
	int rounds = argc > 1 ? atoi(argv[1]) : 7, trips = argc > 2 ? atoi(argv[2]) : 20000;
	struct lookup_bpf *skel = lookup_bpf__open_and_load();
	struct utsname host;

	if (!skel)
		die("load");
	if (rounds < 1 || rounds > ROUNDS_MAX || trips < 1)
		return 2;
	struct bpf_program *const programs[STEPS] = {
		skel->progs.nothing, skel->progs.clock_only, skel->progs.task_entry,
		skel->progs.task_averages, skel->progs.cgroup_entry};

	if (bpf_enable_stats(BPF_STATS_RUN_TIME) < 0)
		die("enable bpf_stats");
	fill(skel);
	for (int round = -1; round < rounds; round++) /* round -1 warms up */
		for (int step = 0; step < STEPS; step++)
			ns[step][round < 0 ? 0 : round] = measure(programs[step], trips);
	uname(&host);
	printf("machine: %ld CPUs, Linux %s %s; %d rounds, interleaved, %d looks per run\n",
	       sysconf(_SC_NPROCESSORS_ONLN), host.release, host.machine, rounds, LOOKS);
	printf("  %-28s %10s %10s %10s\n", "one look", "ns median", "lowest", "highest");
	for (int step = 0; step < STEPS; step++) {
		double each[ROUNDS_MAX];

		for (int round = 0; round < rounds; round++)
			each[round] =
				step == 0 ? ns[0][round] : (ns[step][round] - ns[0][round]) / LOOKS;
		qsort(each, rounds, sizeof(*each), ascending);
		printf("  %-28s %10.1f %10.1f %10.1f\n", names[step], each[rounds / 2], each[0],
		       each[rounds - 1]);
	}
	printf("looks that found their entry: %llu, that did not: %llu\n",
	       (unsigned long long)skel->bss->found, (unsigned long long)skel->bss->missed);
	lookup_bpf__destroy(skel);
	return 0;
}
