// SPDX-License-Identifier: Apache-2.0
/* Sets what an object is told before it is loaded, and reads what it counts. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/bpf.h>
#include <bpf/btf.h>

#include "power_feed.h"
#include "scx_energy_stats.h"
#include "loader.h"

#define CPUS 1024

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
void configure(struct bpf_object *object, const struct options *options)
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

void print_stats(struct bpf_object *object)
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
