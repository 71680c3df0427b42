// SPDX-License-Identifier: Apache-2.0
/*
 * pace MEMORY_KIB: works, and says how fast: a line per 20 ms with its end (CLOCK_MONOTONIC, ns), its
 * length in ns and the rounds that were done in it. With memory, each round loads from another place
 * of it, so that whoever interrupts finds cold caches and leaves them cold.
 */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

#define SLICE_NS 20000000ULL
#define ROUNDS 1000

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

int main(int argc, char **argv)
{
	const size_t words = (argc > 1 ? strtoull(argv[1], NULL, 10) : 0) * 1024 / sizeof(uint64_t);
	uint64_t *memory = malloc((words + 1) * sizeof(uint64_t));
	uint64_t x = 88172645463325252ULL, rounds = 0, begin = now_ns();

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	memset(memory, 1, (words + 1) * sizeof(uint64_t));
	setvbuf(stdout, NULL, _IOLBF, 0);
	for (;;) {
		uint64_t end;

		for (int i = 0; i < ROUNDS; i++) {
			x = x * 6364136223846793005ULL + 1442695040888963407ULL;
			x += memory[(x >> 33) % (words + 1)];
		}
		rounds += ROUNDS;
		end = now_ns();
		if (end - begin < SLICE_NS)
			continue;
		printf("%llu %llu %llu\n", (unsigned long long)end,
		       (unsigned long long)(end - begin), (unsigned long long)rounds);
		rounds = 0;
		begin = now_ns();
	}
}
