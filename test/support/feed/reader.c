// SPDX-License-Identifier: Apache-2.0
/*
 * The feed from user space in C: maps the pins for reading and uses the readers of power_feed.h, nothing else
 * of ours. reader DIRECTORY [SECONDS]: one look, or looks for that long; prints what it saw.
 *
 * With SECONDS, every entry read must be of one generation: the publisher under test writes the generation's
 * number into each of them. A mixture is printed and is exit code 1.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <linux/bpf.h>

#include "power_feed.h"

static __u64 now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

static const void *map_pin(const char *directory, const char *pin, size_t size)
{
	union bpf_attr attr = { 0 };
	char path[4096];
	void *memory;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", directory, pin);
	attr.pathname = (__u64)(unsigned long)path;
	attr.file_flags = BPF_F_RDONLY;
	fd = syscall(SYS_bpf, BPF_OBJ_GET, &attr, sizeof(attr));
	if (fd < 0) {
		fprintf(stderr, "reader: open %s: %s\n", path, strerror(errno));
		exit(2);
	}
	memory = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
	if (memory == MAP_FAILED) {
		fprintf(stderr, "reader: map %s: %s\n", path, strerror(errno));
		exit(2);
	}
	close(fd);
	return memory;
}

int main(int count, char **words)
{
	const struct power_feed_state *state;
	const struct power_feed_package *packages;
	const struct power_feed_cgroup *cgroups;
	unsigned long looks = 0, whole = 0, torn = 0, mixed = 0;
	__u64 end_ns, last = 0;

	if (count < 2)
		return 2;
	state = map_pin(words[1], "state", sizeof(*state));
	packages = map_pin(words[1], "package", POWER_FEED_PACKAGES_MAX * sizeof(*packages));
	cgroups = map_pin(words[1], "cgroup", POWER_FEED_CGROUPS_MAX * sizeof(*cgroups));
	end_ns = now_ns() + (__u64)(count > 2 ? atof(words[2]) * 1e9 : 0);
	do {
		struct power_feed_view view;
		enum power_feed_status status = power_feed_open(state, now_ns(), &view);
		struct power_feed_cgroup_half cgroup;
		struct power_feed_package_half package;

		looks++;
		if (count <= 2)
			printf("status %d generation %llu source %u\n", status,
			       status == POWER_FEED_OK ? view.generation : 0,
			       status == POWER_FEED_OK ? view.source : 0);
		if (status != POWER_FEED_OK) {
			torn += status == POWER_FEED_TORN;
			continue;
		}
		for (__u32 at = 0; at < view.cgroup_count; at++) {
			__u64 id = cgroups[at].half[view.generation & 1].cgroup_id;

			if (power_feed_read_cgroup(state, &view, &cgroups[at], id, &cgroup) != POWER_FEED_OK ||
			    power_feed_read_package(state, &view, &packages[0], &package) != POWER_FEED_OK) {
				torn++;
				break;
			}
			/* one number in every field of one generation */
			if (cgroup.power_mw != package.power_mw || cgroup.budget_mw != cgroup.power_mw ||
			    cgroup.queue_wait_us != cgroup.power_mw || cgroup.dram_mw != package.dram_mw)
				mixed++;
			else
				whole++;
		}
		if (view.generation < last)
			mixed++;
		last = view.generation;
	} while (now_ns() < end_ns);
	if (count > 2)
		printf("looks %lu whole %lu torn %lu mixed %lu generation %llu\n", looks, whole, torn, mixed, last);
	return mixed ? 1 : 0;
}
