// SPDX-License-Identifier: Apache-2.0
/* honest4 KIND: works, and looks at a clock, asks the kernel or shares a word
 * on the way. */
#include <poll.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "kinds.h"

static volatile uint64_t sink;

/* Threads that share a counter without a lock: it always succeeds in the end.
 */
static void shared_count(void)
{
	static atomic_ulong count;

	for (;;) {
		unsigned long seen = atomic_load(&count);

		while (!atomic_compare_exchange_weak(&count, &seen, seen * 3 + 1))
			;
	}
}

/* A game's or a simulation's loop: the time is read each round, and there is a
 * round's work. */
static void paced(void)
{
	struct timespec now;
	double x = 0, v = 1;

	for (;;) {
		clock_gettime(CLOCK_MONOTONIC, &now);
		for (int i = 0; i < 400; i++) {
			v -= 0.0001 * x;
			x += 0.0001 * v;
		}
		sink += now.tv_nsec + (uint64_t)x;
	}
}

/* Looks each thousandth round whether somebody wants something. */
static void interruptible(void)
{
	struct pollfd fd = {.events = POLLIN, .fd = eventfd(0, 0)};
	uint64_t x = 1;

	while (poll(&fd, 1, 0) == 0) {
		for (int i = 0; i < 20000; i++)
			x = x * 6364136223846793005ULL + 1442695040888963407ULL;
		sink = x;
	}
}

/* A poller that always finds something: each packet is summed up. */
static void busy_poller(void)
{
	int ends[2], epoll = epoll_create1(0);
	struct epoll_event event = {.events = EPOLLIN};
	uint8_t packet[1500] = {1, 2, 3};

	if (pipe(ends))
		exit(1);
	epoll_ctl(epoll, EPOLL_CTL_ADD, ends[0], &event);
	while (write(ends[1], packet, sizeof(packet)) > 0)
		while (epoll_wait(epoll, &event, 1, 0) > 0)
			if (read(ends[0], packet, sizeof(packet)) > 0)
				for (size_t i = 0; i < sizeof(packet); i++)
					sink += packet[i];
}

static void log_lines(void)
{
	char line[160];
	struct timespec now;

	for (int i = 0;; i++) {
		clock_gettime(CLOCK_REALTIME, &now);
		sink += snprintf(line, sizeof(line), "%ld.%09ld request %d took %d us", now.tv_sec,
				 now.tv_nsec, i, i % 977);
	}
}

static const struct kind kinds[] = {
	{"shared-count", shared_count}, {"paced", paced},   {"interruptible", interruptible},
	{"poller", busy_poller},	{"log", log_lines},
};

int main(int argc, char **argv)
{
	return RUN_KIND(kinds, argc, argv);
}
