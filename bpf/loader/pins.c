// SPDX-License-Identifier: Apache-2.0
/*
 * Opens the feed's pins by path and checks type, key and value size itself: by-name pinning of libbpf would also
 * compare what may differ.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "power_feed.h"
#include "loader.h"

static const struct {
	const char *pin;
	const char *map;
} pins[PINS] = {
	{"state", "pf_state"},
	{"task", "pf_task"},
	{"package", "pf_package"},
	{"cgroup", "pf_cgroup"},
	{"cgroup_index", "pf_cgroup_index"},
};

static __u32 map_id(int fd)
{
	struct bpf_map_info info = {};
	__u32 size = sizeof(info);

	return bpf_obj_get_info_by_fd(fd, &info, &size) ? 0 : info.id;
}

void pinned_ids(const char *feed, __u32 ids[PINS])
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

void take_pins(struct bpf_object *object, const char *feed)
{
	for (size_t i = 0; i < PINS; i++)
		take_pin(object, feed, i);
}
