// SPDX-License-Identifier: Apache-2.0
/*
 * Time of wf_sched_switch per context switch, beside the baselines, in interleaved rounds: each
 * round attaches one program after the other, makes switches, and reads the kernel's own run time
 * of the program (bpf_stats). The ratio is taken within a round, so that the machine's mood
 * cancels; the median over the rounds is what counts.
 *
 * The last series makes no switches of its own: an idle machine switches rarely, and each time all
 * that the program needs has left the caches.
 *
 * bench [rounds] [round trips per step] [seconds per step left alone]
 */
#define _GNU_SOURCE
#define BENCH_NAME "bench switch"
#include <errno.h>
#include <linux/perf_event.h>
#include <linux/types.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "switches.h"

#include "records.h"
#include "wattfeed.skel.h"
#include "baseline.skel.h"

#define SLOTS 65536
#define ROUNDS_DEFAULT 9
#define TRIPS_DEFAULT 60000
#define ROUNDS_MAX 99
#define ALONE_SECONDS_DEFAULT 4
#define LEFT_ALONE (-2)

enum step {
	NOTHING,
	MINIMAL,
	ACCOUNTING,
	OVERLAP,
	MODEL,
	MODEL_ON,
	COUNTERS,
	FEED,
	FEED_COUNTERS,
	THREE_READS,
	STEP_COUNT
};

static const char *const step_name[STEP_COUNT] = {
	"empty program",
	"minimal per-pid time (seed)",
	"wattfeed, no SMT",
	"wattfeed, overlap",
	"... and prediction",
	"... and busy CPUs counted",
	"... and three software counters",
	"busy CPUs counted, power feed",
	"three counters, power feed",
	"three software counters, bare",
};

/* What is switched on in the product's program. */
struct features {
	bool has_smt;
	bool has_model;
	__u32 package_on;
	__u32 counter_kinds;
	bool has_feed;
};

#define THREE_KINDS (1 << COUNTER_CYCLES | 1 << COUNTER_INSTRUCTIONS | 1 << COUNTER_LLC_MISSES)
/* The same three for the bare reads and the product. The first must rise in any slice. */
static const __u64 three_events[] = {PERF_COUNT_SW_CPU_CLOCK, PERF_COUNT_SW_CPU_MIGRATIONS,
				     PERF_COUNT_SW_PAGE_FAULTS};

static void open_counter(struct bpf_map *map, __u64 config)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = config,
	};

	for (int cpu = 0; cpu < sysconf(_SC_NPROCESSORS_ONLN); cpu++) {
		int fd = syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);

		if (fd < 0)
			die("open software counter");
		if (bpf_map_update_elem(bpf_map__fd(map), &cpu, &fd, BPF_ANY))
			die("install software counter");
	}
}

static void write_cpu(struct wattfeed_bpf *skel, __u32 cpu, struct features on)
{
	struct cpu_record record = {
		.on_share_q16 = 1 << 16,
		.core_scale_q16 = 1 << 16,
		.uncounted_rate_q16 = 3 << 16,
		.counter_kinds = on.counter_kinds,
	};

	if (bpf_map_update_elem(bpf_map__fd(skel->maps.cpus), &cpu, &record, 0))
		die("prepare cpu record");
}

/* Any numbers will do for the cost, but zeros might be multiplied faster. */
static void prepare_model(struct wattfeed_bpf *skel, struct features on)
{
	struct domain_model *model = &skel->bss->domain_models[0];

	model->cycle_q20 = 629146;
	model->instruction_q20 = 367002;
	model->llc_miss_q20 = 4194304;
	model->core_q20 = 524288;
	model->package_on_q20 = 6291456;
	model->uncounted_cycle_q20 = 1069548;
	for (int step = 0; step < RECORDS_FACTOR_STEPS; step++)
		model->factor_q16[step] = 60000 + step;
	for (__u32 cpu = 0; cpu < RECORDS_CPUS_MAX; cpu++)
		write_cpu(skel, cpu, on);
	if (!on.counter_kinds)
		return;
	open_counter(skel->maps.cycles_events, three_events[0]);
	open_counter(skel->maps.instructions_events, three_events[1]);
	open_counter(skel->maps.llc_misses_events, three_events[2]);
}

/*
 * Every CPU gets its neighbour as sibling: the overlap code runs fully, whatever the machine has.
 */
static struct wattfeed_bpf *load_wattfeed(struct features on)
{
	struct wattfeed_bpf *skel = wattfeed_bpf__open();
	__u64 *ring;

	if (!skel)
		die("open wattfeed");
	bpf_map__set_max_entries(skel->maps.slots, SLOTS);
	bpf_map__set_max_entries(skel->maps.free_ring, SLOTS);
	bpf_map__set_max_entries(skel->maps.touched, SLOTS / 64);
	skel->rodata->slot_mask = SLOTS - 1;
	skel->rodata->has_smt = on.has_smt;
	skel->rodata->has_model = on.has_model;
	skel->rodata->package_on = on.package_on;
	skel->rodata->counter_kinds = on.counter_kinds;
	skel->rodata->has_feed = on.has_feed;
	if (!on.has_feed)
		bpf_map__set_autocreate(skel->maps.feed_tasks, false);
	bpf_map__set_max_entries(skel->maps.cycles_events, RECORDS_CPUS_MAX);
	bpf_map__set_max_entries(skel->maps.instructions_events, RECORDS_CPUS_MAX);
	bpf_map__set_max_entries(skel->maps.llc_misses_events, RECORDS_CPUS_MAX);
	bpf_program__set_autoload(skel->progs.wf_cpu_times, false);
	bpf_program__set_autoload(skel->progs.wf_cpu_frequency, false);
	for (int cpu = 0; cpu < RECORDS_CPUS_MAX; cpu++)
		skel->rodata->smt_sibling_of[cpu] = cpu ^ 1;
	if (wattfeed_bpf__load(skel))
		die("load wattfeed");
	ring = calloc(SLOTS, sizeof(*ring));
	for (__u32 slot = 1; ring && slot < SLOTS; slot++) {
		__u32 position = slot - 1;
		__u64 value = slot;

		if (bpf_map_update_elem(bpf_map__fd(skel->maps.free_ring), &position, &value, 0))
			die("fill free ring");
	}
	free(ring);
	skel->bss->ring_ends.tail = SLOTS - 1;
	prepare_model(skel, on);
	return skel;
}

static void seed(struct wattfeed_bpf *skel)
{
	char sink[64];
	int fd;

	skel->links.wf_task_newtask = bpf_program__attach(skel->progs.wf_task_newtask);
	skel->links.wf_seed = bpf_program__attach_iter(skel->progs.wf_seed, NULL);
	if (!skel->links.wf_task_newtask || !skel->links.wf_seed)
		die("attach lifecycle");
	fd = bpf_iter_create(bpf_link__fd(skel->links.wf_seed));
	if (fd < 0)
		die("run the seed pass");
	while (read(fd, sink, sizeof(sink)) > 0)
		;
	close(fd);
}

/* `amount`: round trips, or seconds where the machine is left alone. */
static void make_switches(int cpu, int amount)
{
	if (cpu == LEFT_ALONE)
		sleep(amount);
	else
		ping_pong(cpu, amount);
}

static double measure(struct bpf_program *program, int cpu, int amount)
{
	struct bpf_prog_info before = info_of(program), after;
	struct bpf_link *link = bpf_program__attach(program);

	if (!link)
		die("attach");
	make_switches(cpu, amount);
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

static double median(const double *values, int count)
{
	double sorted[ROUNDS_MAX];

	memcpy(sorted, values, count * sizeof(*sorted));
	qsort(sorted, count, sizeof(*sorted), ascending);
	return count % 2 ? sorted[count / 2] : (sorted[count / 2 - 1] + sorted[count / 2]) / 2;
}

static const char *title_of(int cpu)
{
	switch (cpu) {
	case ANY_CPU:
		return "two processes where the scheduler puts them";
	case LEFT_ALONE:
		return "the machine left alone: what it switches by itself";
	default:
		return "two processes on one CPU (no idle in between)";
	}
}

static void run_series(struct bpf_program *const programs[], int cpu, int rounds, int amount)
{
	static double ns[STEP_COUNT][ROUNDS_MAX], ratio[STEP_COUNT][ROUNDS_MAX];
	static double counters_ratio[ROUNDS_MAX];

	for (int round = -1; round < rounds; round++) { /* round -1 warms up */
		int at = round < 0 ? 0 : round;

		for (int step = 0; step < STEP_COUNT; step++)
			ns[step][at] = measure(programs[step], cpu, amount);
		for (int step = 0; step < STEP_COUNT; step++)
			ratio[step][at] = ns[step][at] / ns[MINIMAL][at];
		counters_ratio[at] = ns[COUNTERS][at] /
				     (ns[MODEL_ON][at] + ns[THREE_READS][at] - ns[NOTHING][at]);
	}
	printf("\n%s\n", title_of(cpu));
	printf("  %-32s %12s %12s %10s %10s\n", "program", "ns/switch", "x minimal", "lowest",
	       "highest");
	for (int step = 0; step < STEP_COUNT; step++) {
		double sorted[ROUNDS_MAX];

		memcpy(sorted, ratio[step], rounds * sizeof(*sorted));
		qsort(sorted, rounds, sizeof(*sorted), ascending);
		printf("  %-32s %12.1f %12.2f %10.2f %10.2f\n", step_name[step],
		       median(ns[step], rounds), median(ratio[step], rounds), sorted[0],
		       sorted[rounds - 1]);
	}
	printf("  with counters / (without + three bare reads): %.2f\n",
	       median(counters_ratio, rounds));
	for (int with = FEED; with <= FEED_COUNTERS; with++) {
		int without = with == FEED ? MODEL_ON : COUNTERS;
		double added[ROUNDS_MAX];

		for (int round = 0; round < rounds; round++)
			added[round] = ns[with][round] / ns[without][round];
		printf("  power feed / without it%s: %.2f\n", with == FEED ? "" : ", with counters",
		       median(added, rounds));
	}
}

static void print_machine(int rounds, int trips)
{
	char line[256], model[256] = "unknown";
	FILE *file = fopen("/proc/cpuinfo", "r");
	struct utsname host;

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "model name : %255[^\n]", model) == 1)
			break;
	if (file)
		fclose(file);
	uname(&host);
	printf("machine: %s, %ld CPUs, Linux %s %s\n", model, sysconf(_SC_NPROCESSORS_ONLN),
	       host.release, host.machine);
	printf("%d rounds, programs interleaved, %d round trips each; medians\n", rounds, trips);
}

/* A program that reads but does not count would be cheap for the wrong reason. */
static void print_counted(struct wattfeed_bpf *skel)
{
	unsigned long long counted_ns = 0, task_ns = 0, failures = 0;

	for (__u32 cpu = 0; cpu < RECORDS_CPUS_MAX; cpu++) {
		struct cpu_record record;

		if (bpf_map_lookup_elem(bpf_map__fd(skel->maps.cpus), &cpu, &record))
			die("read cpu record");
		counted_ns += record.counted_ns;
		task_ns += record.task_ns;
		failures += record.counter_failures;
	}
	printf("counted: %.2f %% of the task time, %llu readings failed\n",
	       100.0 * (double)counted_ns / (double)task_ns, failures);
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : ROUNDS_DEFAULT;
	int trips = argc > 2 ? atoi(argv[2]) : TRIPS_DEFAULT;
	int alone_seconds = argc > 3 ? atoi(argv[3]) : ALONE_SECONDS_DEFAULT;
	struct baseline_bpf *baseline = baseline_bpf__open_and_load();
	struct wattfeed_bpf *loaded[STEP_COUNT] = {
		[ACCOUNTING] = load_wattfeed((struct features){}),
		[OVERLAP] = load_wattfeed((struct features){.has_smt = true}),
		[MODEL] = load_wattfeed((struct features){true, true, PACKAGE_ON_MEAN, 0, false}),
		[MODEL_ON] =
			load_wattfeed((struct features){true, true, PACKAGE_ON_COUNTED, 0, false}),
		[COUNTERS] = load_wattfeed(
			(struct features){true, true, PACKAGE_ON_COUNTED, THREE_KINDS, false}),
		[FEED] = load_wattfeed((struct features){true, true, PACKAGE_ON_COUNTED, 0, true}),
		[FEED_COUNTERS] = load_wattfeed(
			(struct features){true, true, PACKAGE_ON_COUNTED, THREE_KINDS, true}),
	};

	if (!baseline)
		die("load baselines");
	if (rounds < 1 || rounds > ROUNDS_MAX || trips < 1 || alone_seconds < 0) {
		fprintf(stderr, "usage: bench [rounds 1..%d] [round trips] [seconds alone]\n",
			ROUNDS_MAX);
		return 2;
	}
	if (bpf_enable_stats(BPF_STATS_RUN_TIME) < 0)
		die("enable bpf_stats");
	open_counter(baseline->maps.first_counter, three_events[0]);
	open_counter(baseline->maps.second_counter, three_events[1]);
	open_counter(baseline->maps.third_counter, three_events[2]);
	struct bpf_program *programs[STEP_COUNT] = {
		[NOTHING] = baseline->progs.nothing,
		[MINIMAL] = baseline->progs.minimal,
		[THREE_READS] = baseline->progs.three_reads,
	};

	for (int step = ACCOUNTING; step <= FEED_COUNTERS; step++) {
		seed(loaded[step]);
		programs[step] = loaded[step]->progs.wf_sched_switch;
	}

	print_machine(rounds, trips);
	run_series(programs, 0, rounds, trips);
	run_series(programs, ANY_CPU, rounds, trips);
	if (alone_seconds > 0)
		run_series(programs, LEFT_ALONE, rounds, alone_seconds);
	printf("\nmachine code: minimal %u B, wattfeed %u B, with overlap %u B (rare paths "
	       "included)\n",
	       info_of(programs[MINIMAL]).jited_prog_len,
	       info_of(programs[ACCOUNTING]).jited_prog_len,
	       info_of(programs[OVERLAP]).jited_prog_len);
	printf("with prediction %u B, with counters %u B\n",
	       info_of(programs[MODEL_ON]).jited_prog_len,
	       info_of(programs[COUNTERS]).jited_prog_len);
	print_counted(loaded[COUNTERS]);
	printf("failed counter reads: %llu\n", (unsigned long long)baseline->bss->failed_reads);
	for (int step = ACCOUNTING; step <= FEED_COUNTERS; step++)
		wattfeed_bpf__destroy(loaded[step]);
	baseline_bpf__destroy(baseline);
	return 0;
}
