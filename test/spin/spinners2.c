// SPDX-License-Identifier: Apache-2.0
/*
 * spinners2 KIND: more ways to wait for ever, awake: locks, counted waits, back-offs, many flags,
 * clocks and short sleeps. Where another thread holds what is waited for, the waiter is the one that is
 * named `waiter`.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <immintrin.h>
#include <linux/futex.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

static volatile int flag;
static atomic_int word = 1;
static atomic_uint sequence = 1;
static volatile unsigned long spins;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_spinlock_t spin;
static volatile unsigned long counter;

static void counted(void)
{
	unsigned long rounds = 0;

	while (!flag)
		rounds++;
	spins = rounds;
}

static void counted_in_memory(void)
{
	while (atomic_load_explicit(&word, memory_order_relaxed) == 1 && !flag)
		spins++;
}

static void backoff(void)
{
	for (unsigned int delay = 1; !flag; delay = delay < 1024 ? delay * 2 : 1024)
		for (unsigned int i = 0; i < delay; i++)
			_mm_pause();
}

static void seqlock(void)
{
	unsigned int before;

	do
		before = atomic_load_explicit(&sequence, memory_order_acquire);
	while (before & 1);
}

static void ticket(void)
{
	static struct {
		atomic_uint next, owner;
	} lock = {.next = 1};
	unsigned int mine = atomic_fetch_add(&lock.next, 1);

	while (atomic_load(&lock.owner) != mine)
		_mm_pause();
}

static void test_and_set(void)
{
	while (atomic_exchange(&word, 1))
		;
}

static void try_lock(void)
{
	while (pthread_mutex_trylock(&mutex))
		;
}

static void try_wait(void)
{
	sem_t semaphore;

	sem_init(&semaphore, 0, 0);
	while (sem_trywait(&semaphore))
		;
}

/* As a library that makes progress on several requests. */
#define REQUESTS 8
static struct request {
	volatile int done;
	int tag;
	char data[56];
} requests[REQUESTS];

__attribute__((noinline)) static int progress(struct request *request)
{
	return request->done;
}

static void many_flags(void)
{
	for (int done = 0; !done;)
		for (int i = 0; i < REQUESTS; i++)
			done |= progress(&requests[i]);
}

/* Several channels, none of them ready, and a default. */
static struct channel {
	pthread_mutex_t mutex;
	int count;
} channels[3];

static int receive(struct channel *channel)
{
	int count = 0;

	if (pthread_mutex_trylock(&channel->mutex))
		return 0;
	count = channel->count;
	pthread_mutex_unlock(&channel->mutex);
	return count;
}

static void busy_select(void)
{
	for (int i = 0; i < 3; i++)
		pthread_mutex_init(&channels[i].mutex, NULL);
	for (;;) {
		if (receive(&channels[0]))
			break;
		if (receive(&channels[1]))
			break;
		if (receive(&channels[2]))
			break;
	}
}

static void *work_under_lock(void *unused)
{
	(void)unused;
	prctl(PR_SET_NAME, "holder");
	for (;;) {
		pthread_spin_lock(&spin);
		for (int i = 0; i < 2000000; i++)
			counter = counter * 31 + 7;
		pthread_spin_unlock(&spin);
	}
	return NULL;
}

static void contended(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, work_under_lock, NULL);
	for (;;) {
		pthread_spin_lock(&spin);
		counter++;
		pthread_spin_unlock(&spin);
	}
}

static atomic_int park_word;

static void park_lock(void)
{
	for (int i = 0; i < 3000; i++) {
		int free = 0;

		if (atomic_compare_exchange_strong(&park_word, &free, 1))
			return;
		_mm_pause();
	}
	while (atomic_exchange(&park_word, 2))
		syscall(SYS_futex, &park_word, FUTEX_WAIT_PRIVATE, 2, NULL, NULL, 0);
}

static void park_unlock(void)
{
	if (atomic_exchange(&park_word, 0) == 2)
		syscall(SYS_futex, &park_word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static void *hold_and_free(void *unused)
{
	(void)unused;
	prctl(PR_SET_NAME, "holder");
	for (;;) {
		park_lock();
		for (int i = 0; i < 100000; i++)
			counter = counter * 31 + 7;
		park_unlock();
	}
	return NULL;
}

/* Spins, then sleeps; the lock is held for about as long as it spins. */
static void spin_then_park(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, hold_and_free, NULL);
	for (;;) {
		park_lock();
		park_unlock();
	}
}

static void tsc(void)
{
	unsigned long long end = __rdtsc() + (1ULL << 60);

	while (__rdtsc() < end)
		;
}

static void tsc_pause(void)
{
	unsigned long long end = __rdtsc() + (1ULL << 60);

	while (__rdtsc() < end && !flag)
		_mm_pause();
}

static void time_of_day(void)
{
	struct timeval now;

	do
		gettimeofday(&now, NULL);
	while (now.tv_sec < 1L << 40);
}

static void deadline(void)
{
	struct timespec now;

	do
		clock_gettime(CLOCK_MONOTONIC, &now);
	while (!flag && now.tv_sec * 1000000000L + now.tv_nsec < 1L << 62);
}

static void event_fd(void)
{
	int fd = eventfd(0, EFD_NONBLOCK);
	uint64_t value;

	while (read(fd, &value, sizeof(value)) < 0)
		;
}

static void accept_loop(void)
{
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);

	listen(fd, 1);
	while (accept(fd, NULL, NULL) < 0)
		;
}

static void file_lock(void)
{
	char path[] = "/tmp/wattfeed-spinner-XXXXXX";
	int held = mkstemp(path), fd = open(path, O_RDWR);

	unlink(path);
	flock(held, LOCK_EX);
	while (flock(fd, LOCK_EX | LOCK_NB))
		;
}

static void wait_child(void)
{
	pid_t child = fork();

	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		pause();
	}
	while (!waitpid(child, NULL, WNOHANG))
		;
}

static void file_appears(void)
{
	while (access("/tmp/wattfeed-no-such-file", F_OK))
		;
}

static void sleep_none(void)
{
	while (!flag)
		usleep(0);
}

static void sleep_little(void)
{
	while (!flag)
		usleep(1);
}

static void yield_trylock(void)
{
	while (pthread_mutex_trylock(&mutex))
		sched_yield();
}

static void nops(void)
{
	while (!flag)
		__asm__ volatile("nop; nop; nop; nop");
}

static const struct {
	const char *name;
	void (*run)(void);
} kinds[] = {
	{"counted", counted},	    {"counted-memory", counted_in_memory},
	{"backoff", backoff},	    {"seqlock", seqlock},
	{"ticket", ticket},	    {"tas", test_and_set},
	{"trylock", try_lock},	    {"trywait", try_wait},
	{"many-flags", many_flags}, {"busy-select", busy_select},
	{"contended", contended},   {"park", spin_then_park},
	{"tsc", tsc},		    {"tsc-pause", tsc_pause},
	{"timeofday", time_of_day}, {"deadline", deadline},
	{"eventfd", event_fd},	    {"accept", accept_loop},
	{"flock", file_lock},	    {"waitpid", wait_child},
	{"access", file_appears},   {"usleep0", sleep_none},
	{"usleep1", sleep_little},  {"yield-trylock", yield_trylock},
	{"nops", nops},
};

int main(int argc, char **argv)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_NAME, "waiter");
	pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
	pthread_mutex_lock(&mutex);
	for (size_t at = 0; at < sizeof(kinds) / sizeof(kinds[0]); at++)
		if (argc > 1 && !strcmp(argv[1], kinds[at].name))
			kinds[at].run();
	return 2;
}
