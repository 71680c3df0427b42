// SPDX-License-Identifier: Apache-2.0
/* Loads a scheduler with the feed's pins and keeps it attached. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "loader.h"

#define POLL_US 100000
#define POLLS_PER_SECOND (1000000 / POLL_US)

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

/* Whether other maps are pinned than those that were taken. A pin that is missing is no reason: it may come back. */
static bool are_others(const __u32 ids[PINS], const __u32 taken[PINS])
{
	for (size_t i = 0; i < PINS; i++)
		if (ids[i] && ids[i] != taken[i])
			return true;
	return false;
}

/*
 * Until a signal, the kernel's verdict or a change of the pins. An agent that starts makes one pin after the other: a
 * change counts when it has held for one poll.
 */
static void watch(struct bpf_object *object, const struct options *options, const __u32 taken[PINS])
{
	__u32 ids[PINS], before[PINS] = {};
	int left = options->stats_seconds * POLLS_PER_SECOND;

	while (!is_stopping && is_enabled()) {
		usleep(POLL_US);
		if (options->stats_seconds && --left <= 0) {
			print_stats(object);
			left = options->stats_seconds * POLLS_PER_SECOND;
		}
		pinned_ids(options->feed, ids);
		if (are_others(ids, taken) && !memcmp(ids, before, sizeof(ids)))
			return;
		memcpy(before, ids, sizeof(before));
	}
}

int run_once(const char *object_path, const struct options *options)
{
	struct bpf_object *object = bpf_object__open_file(object_path, NULL);
	struct bpf_link *link;
	struct bpf_map *ops;
	__u32 ids[PINS];
	bool was_ended;

	if (!object) {
		fprintf(stderr, "scx-energy: open %s: %s\n", object_path, strerror(errno));
		return 1;
	}
	pinned_ids(options->feed, ids);
	take_pins(object, options->feed);
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
	was_ended = !is_stopping && !is_enabled();
	bpf_link__destroy(link);
	bpf_object__close(object);
	return was_ended;
}
