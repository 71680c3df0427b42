// SPDX-License-Identifier: Apache-2.0
/*
 * spinners KIND: waits for ever, awake, in one of the ways that people have written. Another
 * thread keeps what is waited for away, where there has to be one.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <immintrin.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static volatile int flag, other;
static pthread_spinlock_t lock;
static int futex_word = 1;

static void pause_loop(void)
{
	while (!flag)
		_mm_pause();
}

static void flag_loop(void)
{
	while (!flag)
		;
}

static void two_flags(void)
{
	while (!flag && other == 0)
		;
}

static void empty_loop(void)
{
	for (;;)
		__asm__ volatile("");
}

static int is_set(const volatile int *word)
{
	return *word != 0;
}

/* Through a pointer to a function, as a library that waits for a condition does. */
static void callback_loop(void)
{
	int (*volatile ready)(const volatile int *) = is_set;

	while (!ready(&flag))
		;
}

static void bounded_pauses(void)
{
	for (;;)
		for (int round = 0; round < 1000 && !flag; round++)
			_mm_pause();
}

static void spin_lock(void)
{
	pthread_spin_lock(&lock); /* main() holds it */
}

static void compare_and_swap(void)
{
	int expected = 1;

	while (!__atomic_compare_exchange_n((int *)&flag, &expected, 2, 0, __ATOMIC_SEQ_CST,
					    __ATOMIC_SEQ_CST))
		expected = 1;
}

static void yield_loop(void)
{
	while (!flag)
		sched_yield();
}

static void poll_loop(void)
{
	int ends[2];
	struct pollfd fd = {.events = POLLIN};

	if (pipe(ends))
		exit(1);
	fd.fd = ends[0];
	while (poll(&fd, 1, 0) == 0)
		;
}

static void epoll_loop(void)
{
	int ends[2], epoll = epoll_create1(0);
	struct epoll_event event = {.events = EPOLLIN};

	if (pipe(ends))
		exit(1);
	epoll_ctl(epoll, EPOLL_CTL_ADD, ends[0], &event);
	while (epoll_wait(epoll, &event, 1, 0) == 0)
		;
}

static void select_loop(void)
{
	int ends[2];

	if (pipe(ends))
		exit(1);
	for (;;) {
		fd_set set;
		struct timeval none = {0, 0};

		FD_ZERO(&set);
		FD_SET(ends[0], &set);
		if (select(ends[0] + 1, &set, NULL, NULL, &none))
			return;
	}
}

static void receive_loop(void)
{
	int ends[2];
	char buffer[64];

	socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
	while (recv(ends[0], buffer, sizeof(buffer), MSG_DONTWAIT) < 0)
		;
}

static void read_loop(void)
{
	int ends[2];
	char buffer[64];

	if (pipe2(ends, O_NONBLOCK))
		exit(1);
	while (read(ends[0], buffer, sizeof(buffer)) < 0 && errno == EAGAIN)
		;
}

static void clock_loop(void)
{
	struct timespec now;

	do
		clock_gettime(CLOCK_MONOTONIC, &now);
	while (now.tv_sec < 1L << 40);
}

static void futex_loop(void)
{
	/* The word is not what is expected: EAGAIN at once. */
	while (syscall(SYS_futex, &futex_word, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0) && !flag)
		;
}

static const struct {
	const char *name;
	void (*run)(void);
} kinds[] = {
	{"pause", pause_loop},	     {"flag", flag_loop},	  {"two-flags", two_flags},
	{"empty", empty_loop},	     {"callback", callback_loop}, {"bounded", bounded_pauses},
	{"spinlock", spin_lock},     {"cas", compare_and_swap},	  {"yield", yield_loop},
	{"poll", poll_loop},	     {"epoll", epoll_loop},	  {"select", select_loop},
	{"receive", receive_loop},   {"read", read_loop},	  {"clock", clock_loop},
	{"futex", futex_loop},
};

int main(int argc, char **argv)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
	pthread_spin_lock(&lock);
	for (size_t at = 0; at < sizeof(kinds) / sizeof(kinds[0]); at++)
		if (argc > 1 && !strcmp(argv[1], kinds[at].name))
			kinds[at].run();
	return 2;
}
