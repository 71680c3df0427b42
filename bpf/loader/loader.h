// SPDX-License-Identifier: Apache-2.0
/* The parts of the schedulers' loader. */
#ifndef WATTFEED_LOADER_H
#define WATTFEED_LOADER_H

#include <linux/types.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

#include <bpf/libbpf.h>

#define PINS 5
#define PATH_SIZE 4096
#define NS_PER_MS 1000000ULL

struct options {
	const char *scheduler; /* fair or cap */
	const char *feed;
	bool is_full;
	bool holds_headroom;
	__u64 max_hold_ns;
	int stats_seconds; /* 0 = only at the end */
};

extern volatile sig_atomic_t is_stopping;

/* pins.c: the feed's pinned maps. */

/* Ids of what is pinned now, zero where a pin is missing: a change means that we look at the wrong maps. */
void pinned_ids(const char *feed, __u32 ids[PINS]);
/* Puts the pins in the place of the object's own maps where type, key and value size fit. */
void take_pins(struct bpf_object *object, const char *feed);

/* globals.c: the object's configuration and counts. */
void configure(struct bpf_object *object, const struct options *options);
void print_stats(struct bpf_object *object);

/* attach.c: from open to detach. 0 = may be loaded again. */
int run_once(const char *object_path, const struct options *options);

#endif /* WATTFEED_LOADER_H */
