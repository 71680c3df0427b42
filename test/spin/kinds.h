/* SPDX-License-Identifier: Apache-2.0 */
/* A program of several kinds: the first argument says which one runs. */
#pragma once

#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>

struct kind {
	const char *name;
	void (*run)(void);
};

/* Ends with whoever started it. 2: no such kind, or it came to an end. */
static inline int run_kind(const struct kind *kinds, size_t count, int argc, char **argv)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (size_t at = 0; at < count; at++)
		if (argc > 1 && !strcmp(argv[1], kinds[at].name))
			kinds[at].run();
	return 2;
}

#define RUN_KIND(kinds, argc, argv) run_kind(kinds, sizeof(kinds) / sizeof((kinds)[0]), argc, argv)
