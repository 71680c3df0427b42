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
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "power_feed.h"
#include "loader.h"

#define SCHED_EXT_POLICY 7

volatile sig_atomic_t is_stopping;

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
