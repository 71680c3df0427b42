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

#include "power_feed_read.h"

static __u64 now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

/* An array pin: mapped, or read by system call where only reading is allowed (such a file cannot be mapped). */
struct source {
	const char *memory;
	char *copy;
	size_t size;
	int fd;
};

static struct source open_pin(const char *directory, const char *pin, __u32 entries, size_t size)
{
	struct source source = { .size = size, .copy = calloc(1, size) };
	union bpf_attr attr = { 0 };
	char path[4096];
	void *memory;

	snprintf(path, sizeof(path), "%s/%s", directory, pin);
	attr.pathname = (__u64)(unsigned long)path;
	source.fd = syscall(SYS_bpf, BPF_OBJ_GET, &attr, sizeof(attr));
	if (source.fd >= 0) {
		memory = mmap(NULL, entries * size, PROT_READ, MAP_SHARED, source.fd, 0);
		source.memory = memory == MAP_FAILED ? NULL : memory;
		return source;
	}
	attr.file_flags = BPF_F_RDONLY;
	source.fd = syscall(SYS_bpf, BPF_OBJ_GET, &attr, sizeof(attr));
	if (source.fd < 0) {
		fprintf(stderr, "reader: open %s: %s\n", path, strerror(errno));
		exit(2);
	}
	return source;
}

static const void *at_index(struct source *source, __u32 index)
{
	union bpf_attr attr = { 0 };

	if (source->memory)
		return source->memory + index * source->size;
	attr.map_fd = source->fd;
	attr.key = (__u64)(unsigned long)&index;
	attr.value = (__u64)(unsigned long)source->copy;
	if (syscall(SYS_bpf, BPF_MAP_LOOKUP_ELEM, &attr, sizeof(attr))) {
		perror("reader: look up");
		exit(2);
	}
	return source->copy;
}

/* Whether a writer gets in: the map is read-only for us if it does not. */
static int try_to_write(struct source *state)
{
	union bpf_attr attr = { 0 };
	__u32 zero = 0;

	attr.map_fd = state->fd;
	attr.key = (__u64)(unsigned long)&zero;
	attr.value = (__u64)(unsigned long)state->copy;
	return syscall(SYS_bpf, BPF_MAP_UPDATE_ELEM, &attr, sizeof(attr)) ? errno : 0;
}

int main(int count, char **words)
{
	struct source states, packages, cgroups;
	unsigned long looks = 0, whole = 0, torn = 0, mixed = 0;
	__u64 end_ns, last = 0;

	if (count < 2)
		return 2;
	states = open_pin(words[1], "state", 1, sizeof(struct power_feed_state));
	packages = open_pin(words[1], "package", POWER_FEED_PACKAGES_MAX, sizeof(struct power_feed_package));
	cgroups = open_pin(words[1], "cgroup", POWER_FEED_CGROUPS_MAX, sizeof(struct power_feed_cgroup));
	if (count > 2 && !strcmp(words[2], "write")) {
		printf("write: %s\n", strerror(try_to_write(&states)));
		return 0;
	}
	end_ns = now_ns() + (__u64)(count > 2 ? atof(words[2]) * 1e9 : 0);
	do {
		struct power_feed_view view;
		const struct power_feed_state *state = at_index(&states, 0);
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
			const struct power_feed_cgroup *entry = at_index(&cgroups, at);
			__u64 id = entry->half[view.generation & 1].cgroup_id;

			if (power_feed_read_cgroup(state, &view, entry, id, &cgroup) != POWER_FEED_OK ||
			    power_feed_read_package(state, &view, at_index(&packages, 0), &package) !=
				    POWER_FEED_OK ||
			    power_feed_confirm(at_index(&states, 0), &view) != POWER_FEED_OK) {
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
