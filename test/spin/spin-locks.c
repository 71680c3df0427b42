// SPDX-License-Identifier: Apache-2.0
/* spin-locks KIND: waits for ever, awake, for a lock or for other threads, as
 * libraries do it. */
#define _GNU_SOURCE
#include <immintrin.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kinds.h"

static volatile int flag;
static atomic_uint word = 1;

struct node {
	atomic_int is_locked;
	struct node *before;
};

static void clh(void)
{
	struct node *before = calloc(1, sizeof(*before)), *mine = calloc(1, sizeof(*mine));

	atomic_store(&before->is_locked, 1);
	mine->before = before;
	while (atomic_load(&mine->before->is_locked))
		;
}

/* The longer the queue, the longer until it looks again. */
static void ticket_proportional(void)
{
	static atomic_uint owner;
	unsigned int mine = 7, ahead;

	while ((ahead = mine - atomic_load(&owner)) != 0)
		for (unsigned int i = 0; i < ahead * 50; i++)
			__asm__ volatile("");
}

static void try_read(void)
{
	pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

	pthread_rwlock_wrlock(&lock);
	while (pthread_rwlock_tryrdlock(&lock))
		;
}

static void bakery(void)
{
	static atomic_int choosing[4] = {0, 0, 1, 0}, number[4] = {1, 2, 3, 4};

	for (int other = 0; other < 3; other++) {
		while (atomic_load(&choosing[other]))
			;
		while (other != 0 && atomic_load(&number[other]) && atomic_load(&number[other]) < 4)
			;
	}
}

/* Reads all of it and finds that somebody is writing. */
static void sequence_retry(void)
{
	static atomic_uint sequence = 1;
	static volatile uint64_t data[6];
	uint64_t copy[6];
	unsigned int before;

	do {
		before = atomic_load_explicit(&sequence, memory_order_acquire);
		for (int i = 0; i < 6; i++)
			copy[i] = data[i];
		atomic_thread_fence(memory_order_acquire);
	} while ((before & 1) || before != atomic_load(&sequence));
	flag = (int)copy[0];
}

static void hazard(void)
{
	static atomic_uintptr_t head = 0x1001, slot;
	uintptr_t seen;

	do {
		seen = atomic_load(&head);
		atomic_store(&slot, seen);
	} while ((seen & 1) || seen != atomic_load(&head));
}

/* One bit of a word is the lock. */
static void bit_lock(void)
{
	unsigned int seen = atomic_load(&word);

	for (;;) {
		if (seen & 1) {
			seen = atomic_load(&word);
			continue;
		}
		if (atomic_compare_exchange_weak(&word, &seen, seen | 1))
			return;
	}
}

static void fetch_or(void)
{
	while (atomic_fetch_or(&word, 1) & 1)
		;
}

static void add_and_take_back(void)
{
	while (atomic_fetch_add(&word, 1) != 0)
		atomic_fetch_sub(&word, 1);
}

static void grace_period(void)
{
	static atomic_ulong counters[4];
	unsigned long before[4];

	for (int i = 0; i < 4; i++)
		before[i] = atomic_load(&counters[i]);
	for (int done = 0; done < 4;) {
		done = 0;
		for (int i = 0; i < 4; i++)
			done += atomic_load(&counters[i]) != before[i];
	}
}

/* No two wait equally long: the jitter is a generator's. */
static void jitter(void)
{
	uint32_t seed = 1;

	while (atomic_exchange(&word, 1)) {
		seed = seed * 1103515245 + 12345;
		for (uint32_t i = (seed >> 16) % 256; i > 0; i--)
			_mm_pause();
	}
}

static void test_then_set(void)
{
	for (unsigned int delay = 1;; delay = delay < 4096 ? 2 * delay : 1) {
		if (!atomic_load_explicit(&word, memory_order_relaxed) &&
		    !atomic_exchange(&word, 1))
			return;
		for (volatile unsigned int i = 0; i < delay; i++)
			;
	}
}

static void sense_barrier(void)
{
	static atomic_int sense, count = 2;
	int mine = !atomic_load(&sense);

	if (atomic_fetch_sub(&count, 1) == 1)
		atomic_store(&sense, mine);
	while (atomic_load(&sense) != mine)
		_mm_pause();
}

static void other_process(void)
{
	volatile int *shared =
		mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (!fork()) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		pause();
	}
	while (!*shared)
		;
}

static void flushed(void)
{
	while (!flag)
		_mm_clflush((const void *)&flag);
}

static void float_progress(void)
{
	static volatile double progress = 0.25;

	while (progress < 1.0)
		;
}

static void two_out_of_reach(void)
{
	int tries = 0;

	while (!flag || atomic_load(&word) != 3) {
		if (++tries % 1000 == 0)
			atomic_thread_fence(memory_order_seq_cst);
	}
}

static void bytes_change(void)
{
	static volatile char now[48];
	char before[48] = {0};

	while (!memcmp((const char *)now, before, sizeof(before)))
		__asm__ volatile("" ::: "memory");
}

static void text_number(void)
{
	static char text[16] = "0";

	while (strtol(text, NULL, 10) == 0)
		__asm__ volatile("" ::: "memory");
}

static const struct kind kinds[] = {
	{"clh", clh},
	{"ticket-proportional", ticket_proportional},
	{"try-read", try_read},
	{"bakery", bakery},
	{"sequence-retry", sequence_retry},
	{"hazard", hazard},
	{"bit-lock", bit_lock},
	{"fetch-or", fetch_or},
	{"add-take-back", add_and_take_back},
	{"grace-period", grace_period},
	{"jitter", jitter},
	{"test-then-set", test_then_set},
	{"sense-barrier", sense_barrier},
	{"other-process", other_process},
	{"flushed", flushed},
	{"float-progress", float_progress},
	{"two-flags-tries", two_out_of_reach},
	{"bytes-change", bytes_change},
	{"text-number", text_number},
};

int main(int argc, char **argv)
{
	return RUN_KIND(kinds, argc, argv);
}
