// SPDX-License-Identifier: Apache-2.0
/*
 * spinners3 KIND: ways to wait for ever, awake, that were thought of after the rules were made: queues,
 * fences, short waits of the kernel, files that do not grow, delays, states that are compared as text.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <immintrin.h>
#include <mqueue.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

static volatile int flag;

/* A ring of which the other end never writes. */
static void ring_empty(void)
{
	static struct {
		atomic_uint head, tail;
		int slots[64];
	} ring;

	while (atomic_load_explicit(&ring.head, memory_order_acquire) ==
	       atomic_load_explicit(&ring.tail, memory_order_relaxed))
		;
}

/* The node that an MCS lock's waiter looks at. */
static void mcs_node(void)
{
	struct node {
		struct node *volatile next;
		atomic_int is_locked;
	} *node = calloc(1, sizeof(*node));

	atomic_store(&node->is_locked, 1);
	while (atomic_load_explicit(&node->is_locked, memory_order_acquire))
		_mm_pause();
}

static void peterson(void)
{
	static atomic_int wants[2] = {1, 1}, turn = 1;

	while (atomic_load(&wants[1]) && atomic_load(&turn) == 1)
		;
}

static void fences(void)
{
	while (!flag)
		atomic_thread_fence(memory_order_seq_cst);
}

static void text_state(void)
{
	static char state[32] = "running";

	for (;;) {
		__asm__ volatile("" ::: "memory");
		if (!strcmp(state, "done"))
			return;
	}
}

static void bitmap(void)
{
	static volatile uint64_t words[4];

	for (;;)
		for (int i = 0; i < 4; i++)
			if (__builtin_popcountll(words[i]))
				return;
}

static void countdown(void)
{
	while (!flag)
		for (volatile int i = 1000000; i > 0; i--)
			;
}

static void delay(void)
{
	while (!flag)
		for (int i = 0; i < 100000; i++)
			__asm__ volatile("");
}

struct job {
	int (*is_done)(const struct job *job);
	volatile int done;
};

__attribute__((noinline)) static int job_is_done(const struct job *job)
{
	return job->done;
}

/* As a library that tests several requests, each by a function of its own, and counts how often. */
static void callbacks(void)
{
	static volatile unsigned long polls;
	struct job jobs[5];

	for (int i = 0; i < 5; i++)
		jobs[i] = (struct job){.is_done = job_is_done};
	for (;; polls++)
		for (int i = 0; i < 5; i++)
			if (jobs[i].is_done(&jobs[i]))
				return;
}

static void tsc_deadline(void)
{
	for (;;)
		for (uint64_t end = __rdtsc() + 1000000; __rdtsc() < end && !flag;)
			;
}

static int is_over(const struct timeval *end)
{
	struct timeval now;

	gettimeofday(&now, NULL);
	return timercmp(&now, end, >);
}

static void day_deadline(void)
{
	struct timeval end = {.tv_sec = 1L << 40};

	while (!is_over(&end) && !flag)
		;
}

static void time_only(void)
{
	while (time(NULL) < 1L << 40)
		;
}

static void event_poll(void)
{
	struct pollfd fd = {.fd = eventfd(0, 0), .events = POLLIN};

	while (poll(&fd, 1, 0) == 0 && !flag)
		;
}

static void many_messages(void)
{
	int ends[2];
	static char buffers[4][64];
	struct iovec vectors[4];
	struct mmsghdr messages[4] = {0};

	socketpair(AF_UNIX, SOCK_DGRAM, 0, ends);
	for (int i = 0; i < 4; i++) {
		vectors[i] = (struct iovec){buffers[i], sizeof(buffers[i])};
		messages[i].msg_hdr.msg_iov = &vectors[i];
		messages[i].msg_hdr.msg_iovlen = 1;
	}
	while (recvmmsg(ends[0], messages, 4, MSG_DONTWAIT, NULL) < 0)
		;
}

static void sleep_ns(void)
{
	const struct timespec one = {.tv_nsec = 1};

	while (!flag)
		nanosleep(&one, NULL);
}

static void select_nothing(void)
{
	while (!flag) {
		struct timeval none = {0, 0};

		select(0, NULL, NULL, NULL, &none);
	}
}

static void timed_wait(void)
{
	sem_t semaphore;
	const struct timespec past = {0};

	sem_init(&semaphore, 0, 0);
	while (sem_timedwait(&semaphore, &past))
		;
}

static void condition_timed(void)
{
	pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
	const struct timespec past = {0};

	pthread_mutex_lock(&mutex);
	while (!flag)
		pthread_cond_timedwait(&condition, &mutex, &past);
}

static void semaphore_set(void)
{
	int set = semget(IPC_PRIVATE, 1, 0600);
	struct sembuf down = {.sem_op = -1, .sem_flg = IPC_NOWAIT};

	while (semop(set, &down, 1) < 0 && errno == EAGAIN)
		;
}

static void message_queue(void)
{
	int queue = msgget(IPC_PRIVATE, 0600);
	struct {
		long type;
		char text[16];
	} message;

	while (msgrcv(queue, &message, sizeof(message.text), 0, IPC_NOWAIT) < 0)
		;
}

static void bytes_there(void)
{
	int ends[2], count = 0;

	if (pipe(ends))
		exit(1);
	while (!ioctl(ends[0], FIONREAD, &count) && count == 0)
		;
}

/* As `tail -f` without its sleep. */
static void end_of_file(void)
{
	char path[] = "/tmp/wattfeed-spinner-XXXXXX", buffer[64];
	int fd = mkstemp(path);

	unlink(path);
	while (read(fd, buffer, sizeof(buffer)) == 0)
		;
}

static void file_grows(void)
{
	struct stat status;

	do
		stat("/proc/self/exe", &status);
	while (status.st_size > 0 && !flag);
}

static void parent_dies(void)
{
	while (getppid() != 1)
		;
}

static void timer_reads(void)
{
	int fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
	uint64_t count;

	while (read(fd, &count, sizeof(count)) < 0)
		;
}

static void yield_back(void)
{
	for (int round = 0; !flag; round++)
		if (round % 64 == 63)
			sched_yield();
		else
			_mm_pause();
}

static const struct {
	const char *name;
	void (*run)(void);
} kinds[] = {
	{"ring", ring_empty},		{"mcs", mcs_node},
	{"peterson", peterson},		{"fences", fences},
	{"text", text_state},		{"bitmap", bitmap},
	{"countdown", countdown},	{"delay", delay},
	{"callbacks", callbacks},	{"tsc-deadline", tsc_deadline},
	{"day-deadline", day_deadline}, {"time", time_only},
	{"event-poll", event_poll},	{"recvmmsg", many_messages},
	{"sleep-ns", sleep_ns},		{"select-nothing", select_nothing},
	{"timedwait", timed_wait},	{"condition", condition_timed},
	{"semop", semaphore_set},	{"msgrcv", message_queue},
	{"fionread", bytes_there},	{"end-of-file", end_of_file},
	{"stat", file_grows},		{"getppid", parent_dies},
	{"timerfd", timer_reads},	{"pause-yield", yield_back},
};

int main(int argc, char **argv)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (size_t at = 0; at < sizeof(kinds) / sizeof(kinds[0]); at++)
		if (argc > 1 && !strcmp(argv[1], kinds[at].name))
			kinds[at].run();
	return 2;
}
