// SPDX-License-Identifier: Apache-2.0
/*
 * Loads one of the two schedulers and keeps it attached until told to stop, or runs a command under it.
 *
 *   scx-energy fair|cap [--feed DIR] [--full] [--headroom] [--max-hold MS] [--stats SECONDS]
 *   scx-energy join COMMAND [ARGUMENT...]     COMMAND with policy SCHED_EXT, for the partial switch
 *
 * Opens the feed's pins by path and checks type, key and value size itself. Where they are missing or foreign
 * the scheduler runs on fair time, and is loaded anew when they appear. A pin that an agent
 * keeps over its restart needs nothing. Needs libbpf 1.2 (struct_ops links) and a kernel with sched_ext.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/types.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "power_feed.h"

#define SCHED_EXT_POLICY 7
#define POLL_US 100000
#define CPUS 1024
#define NS_PER_MS 1000000ULL
#define PATH_SIZE 4096

struct options {
	const char *scheduler; /* fair or cap */
	const char *feed;
	bool is_full;
	bool holds_headroom;
	__u64 max_hold_ns;
	int stats_seconds; /* 0 = only at the end */
};

/* As in scx_energy.bpf.h. */
struct scx_energy_stats {
	__u64 charged_by_energy, charged_by_time, status[5], held, yielded, longest_hold_ns,
		capped_charges;
};

static const struct {
	const char *pin;
	const char *map;
} pins[] = {
	{"state", "pf_state"},
	{"task", "pf_task"},
	{"package", "pf_package"},
	{"cgroup", "pf_cgroup"},
	{"cgroup_index", "pf_cgroup_index"},
};
#define PINS (sizeof(pins) / sizeof(pins[0]))

static volatile sig_atomic_t is_stopping;

static void on_signal(int number)
{
	(void)number;
	is_stopping = 1;
}

static int usage(void)
{
	fprintf(stderr,
		"usage: scx-energy fair|cap [--feed DIR] [--full] [--headroom] [--max-hold MS] "
		"[--stats SECONDS]\n       scx-energy join COMMAND [ARGUMENT...]\n");
	return 2;
}

static __u32 map_id(int fd)
{
	struct bpf_map_info info = {};
	__u32 size = sizeof(info);

	return bpf_obj_get_info_by_fd(fd, &info, &size) ? 0 : info.id;
}

/* Ids of what is pinned now, all zero if a pin is missing: a change means that we look at the wrong maps. */
static void pinned_ids(const char *feed, __u32 ids[PINS])
{
	char path[PATH_SIZE];

	for (size_t i = 0; i < PINS; i++) {
		int fd;

		snprintf(path, sizeof(path), "%s/%s", feed, pins[i].pin);
		fd = bpf_obj_get(path);
		ids[i] = fd < 0 ? 0 : map_id(fd);
		if (fd >= 0)
			close(fd);
	}
}

/* If it cannot be taken, the scheduler's own empty map stays, which says that there is no feed. */
static void take_pin(struct bpf_object *object, const char *feed, size_t i)
{
	struct bpf_map *map = bpf_object__find_map_by_name(object, pins[i].map);
	struct bpf_map_info info = {};
	__u32 size = sizeof(info);
	char path[PATH_SIZE];
	int fd;

	if (!map)
		return;
	snprintf(path, sizeof(path), "%s/%s", feed, pins[i].pin);
	fd = bpf_obj_get(path);
	if (fd < 0) {
		printf("scx-energy: %s: %s; fair time until it is there\n", path, strerror(errno));
		return;
	}
	if (bpf_obj_get_info_by_fd(fd, &info, &size) || info.type != bpf_map__type(map) ||
	    info.key_size != bpf_map__key_size(map) ||
	    info.value_size != bpf_map__value_size(map)) {
		printf("scx-energy: %s: not of ABI version %d; fair time\n", path,
		       POWER_FEED_MAJOR);
	} else if (bpf_map__reuse_fd(map, fd)) {
		printf("scx-energy: %s: cannot be used: %s\n", path, strerror(errno));
	}
	close(fd);
}

/* Where a global lies in the initial or current value of its data section; NULL if there is none. */
static void *global_in(struct bpf_object *object, const char *section, void *value,
		       const char *name)
{
	const struct btf *btf = bpf_object__btf(object);
	int id = btf__find_by_name_kind(btf, section, BTF_KIND_DATASEC);
	const struct btf_type *type = id < 0 ? NULL : btf__type_by_id(btf, id);

	for (int i = 0; type && i < btf_vlen(type); i++) {
		const struct btf_var_secinfo *info = btf_var_secinfos(type) + i;
		const struct btf_type *variable = btf__type_by_id(btf, info->type);

		if (!strcmp(btf__name_by_offset(btf, variable->name_off), name))
			return (char *)value + info->offset;
	}
	return NULL;
}

static struct bpf_map *section_map(struct bpf_object *object, const char *suffix)
{
	struct bpf_map *map;

	bpf_object__for_each_map(map, object)
	{
		const char *name = bpf_map__name(map), *dot = strchr(name, '.');

		if (dot && !strcmp(dot, suffix))
			return map;
	}
	return NULL;
}

static __u8 package_of(int cpu)
{
	char path[128];
	int package = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/topology/physical_package_id",
		 cpu);
	file = fopen(path, "r");
	if (!file)
		return 0;
	if (fscanf(file, "%d", &package) != 1 || package < 0)
		package = 0;
	fclose(file);
	return package < POWER_FEED_PACKAGES_MAX ? package : 0;
}

/* Only the cap scheduler has these; of the others none is found. */
static void configure(struct bpf_object *object, const struct options *options)
{
	struct bpf_map *map = section_map(object, ".rodata");
	size_t size;
	void *value = map ? (void *)bpf_map__initial_value(map, &size) : NULL;
	__u64 *max_hold_ns;
	__u32 *cpu_count;
	bool *holds_headroom;
	__u8 *packages;
	int cpus = libbpf_num_possible_cpus();

	if (!value)
		return;
	max_hold_ns = global_in(object, ".rodata", value, "max_hold_ns");
	cpu_count = global_in(object, ".rodata", value, "cpu_count");
	holds_headroom = global_in(object, ".rodata", value, "holds_headroom");
	packages = global_in(object, ".rodata", value, "package_of_cpu");
	if (max_hold_ns)
		*max_hold_ns = options->max_hold_ns;
	if (cpu_count)
		*cpu_count = cpus > CPUS ? CPUS : cpus;
	if (holds_headroom)
		*holds_headroom = options->holds_headroom;
	for (int cpu = 0; packages && cpu < cpus && cpu < CPUS; cpu++)
		packages[cpu] = package_of(cpu);
}

static void print_stats(struct bpf_object *object)
{
	struct bpf_map *map = section_map(object, ".bss");
	__u32 zero = 0;
	void *value = map ? calloc(1, bpf_map__value_size(map)) : NULL;
	struct scx_energy_stats *stats;
	char *message;

	if (!value || bpf_map_lookup_elem(bpf_map__fd(map), &zero, value))
		goto out;
	stats = global_in(object, ".bss", value, "stats");
	message = global_in(object, ".bss", value, "exit_message");
	if (stats)
		printf("scx-energy: by energy %llu, by time %llu, feed ok %llu missing %llu "
		       "foreign %llu "
		       "expired %llu torn %llu, held %llu, yielded %llu, longest hold %llu us, "
		       "charges %llu\n",
		       stats->charged_by_energy, stats->charged_by_time, stats->status[0],
		       stats->status[1], stats->status[2], stats->status[3], stats->status[4],
		       stats->held, stats->yielded, stats->longest_hold_ns / 1000,
		       stats->capped_charges);
	if (message && *message)
		printf("scx-energy: the kernel ended it: %.127s\n", message);
	fflush(stdout);
out:
	free(value);
}

/* State of sched_ext; "disabled" also where it cannot be read. */
static bool is_enabled(void)
{
	char state[32] = "";
	FILE *file = fopen("/sys/kernel/sched_ext/state", "r");

	if (!file)
		return false;
	if (!fgets(state, sizeof(state), file))
		state[0] = 0;
	fclose(file);
	return !strncmp(state, "enabled", 7);
}

/* Until a signal, the kernel's verdict or a change of the pins. */
static void watch(struct bpf_object *object, const struct options *options,
		  const __u32 loaded[PINS])
{
	__u32 ids[PINS];
	int left = options->stats_seconds * (1000000 / POLL_US);

	while (!is_stopping && is_enabled()) {
		usleep(POLL_US);
		if (options->stats_seconds && --left <= 0) {
			print_stats(object);
			left = options->stats_seconds * (1000000 / POLL_US);
		}
		pinned_ids(options->feed, ids);
		for (size_t i = 0; i < PINS; i++)
			if (ids[i] && ids[i] != loaded[i])
				return;
	}
}

/* One load from open to detach. 0 = may be loaded again. */
static int run_once(const char *object_path, const struct options *options)
{
	struct bpf_object *object = bpf_object__open_file(object_path, NULL);
	struct bpf_link *link;
	struct bpf_map *ops;
	__u32 ids[PINS];

	if (!object) {
		fprintf(stderr, "scx-energy: open %s: %s\n", object_path, strerror(errno));
		return 1;
	}
	pinned_ids(options->feed, ids);
	for (size_t i = 0; i < PINS; i++)
		take_pin(object, options->feed, i);
	configure(object, options);
	if (bpf_object__load(object)) {
		fprintf(stderr, "scx-energy: load %s: %s\n", object_path, strerror(errno));
		bpf_object__close(object);
		return 1;
	}
	ops = bpf_object__find_map_by_name(object,
					   options->is_full ? "energy_ops_full" : "energy_ops");
	link = ops ? bpf_map__attach_struct_ops(ops) : NULL;
	if (!link) {
		fprintf(stderr, "scx-energy: attach: %s; is another scheduler attached?\n",
			strerror(errno));
		bpf_object__close(object);
		return 1;
	}
	printf("scx-energy: %s attached\n", options->scheduler);
	fflush(stdout);
	watch(object, options, ids);
	print_stats(object);
	if (!is_stopping && !is_enabled()) {
		bpf_link__destroy(link);
		bpf_object__close(object);
		return 1;
	}
	bpf_link__destroy(link);
	bpf_object__close(object);
	return 0;
}

static int join(char **command)
{
	struct {
		__u32 size, policy;
		__u64 flags;
		__s32 nice;
		__u32 priority;
		__u64 runtime, deadline, period;
	} attr = {.size = sizeof(attr), .policy = SCHED_EXT_POLICY};

	if (syscall(SYS_sched_setattr, 0, &attr, 0)) {
		fprintf(stderr,
			"scx-energy: take policy SCHED_EXT: %s; needs a kernel with sched_ext\n",
			strerror(errno));
		return 1;
	}
	execvp(command[0], command);
	fprintf(stderr, "scx-energy: run %s: %s\n", command[0], strerror(errno));
	return 1;
}

static int parse(int count, char **words, struct options *options)
{
	for (int i = 2; i < count; i++) {
		bool has_value = i + 1 < count;

		if (!strcmp(words[i], "--full"))
			options->is_full = true;
		else if (!strcmp(words[i], "--headroom"))
			options->holds_headroom = true;
		else if (!strcmp(words[i], "--feed") && has_value)
			options->feed = words[++i];
		else if (!strcmp(words[i], "--max-hold") && has_value)
			options->max_hold_ns = strtoull(words[++i], NULL, 10) * NS_PER_MS;
		else if (!strcmp(words[i], "--stats") && has_value)
			options->stats_seconds = atoi(words[++i]);
		else
			return usage();
	}
	if (!options->max_hold_ns || options->max_hold_ns > POWER_FEED_MAX_HOLD_NS) {
		fprintf(stderr, "scx-energy: --max-hold: 1 to %llu ms\n",
			POWER_FEED_MAX_HOLD_NS / NS_PER_MS);
		return 2;
	}
	return 0;
}

/* The object lies beside the loader. */
static void object_path_of(const char *scheduler, char path[PATH_SIZE])
{
	char self[PATH_SIZE - 64];
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
	char *slash;

	self[length < 0 ? 0 : length] = 0;
	slash = strrchr(self, '/');
	if (slash)
		*slash = 0;
	snprintf(path, PATH_SIZE, "%s/scx_energy_%s.bpf.o", self, scheduler);
}

int main(int count, char **words)
{
	struct options options = {.feed = POWER_FEED_DIRECTORY,
				  .max_hold_ns = POWER_FEED_MAX_HOLD_NS};
	char object_path[PATH_SIZE];
	int failed;

	if (count > 2 && !strcmp(words[1], "join"))
		return join(words + 2);
	if (count < 2 || (strcmp(words[1], "fair") && strcmp(words[1], "cap")))
		return usage();
	options.scheduler = words[1];
	failed = parse(count, words, &options);
	if (failed)
		return failed;
	if (libbpf_major_version() == 1 && libbpf_minor_version() < 2) {
		fprintf(stderr,
			"scx-energy: libbpf %s is too old; needs 1.2 for struct_ops links\n",
			libbpf_version_string());
		return 1;
	}
	signal(SIGINT, on_signal);
	signal(SIGTERM, on_signal);
	object_path_of(options.scheduler, object_path);
	while (!is_stopping && !failed)
		failed = run_once(object_path, &options);
	return failed;
}
