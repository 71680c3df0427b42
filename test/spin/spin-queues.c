// SPDX-License-Identifier: Apache-2.0
/* spin-queues KIND: consumers, schedulers and event loops that find nothing to
 * do and never sleep. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#include "kinds.h"

static volatile int flag;

/* One producer, one consumer; the consumer keeps what it last saw of the other.
 */
struct ring {
	atomic_size_t head;
	size_t head_seen;
	atomic_size_t tail;
	int slots[256];
};

static int take(struct ring *ring, int *out)
{
	size_t tail = atomic_load_explicit(&ring->tail, memory_order_relaxed);

	if (tail == ring->head_seen) {
		ring->head_seen = atomic_load_explicit(&ring->head, memory_order_acquire);
		if (tail == ring->head_seen)
			return 0;
	}
	*out = ring->slots[tail % 256];
	atomic_store_explicit(&ring->tail, tail + 1, memory_order_release);
	return 1;
}

static void single_consumer(void)
{
	static struct ring ring;
	int value;

	while (!take(&ring, &value))
		;
}

/* Each cell says by a sequence number whose turn it is. */
static void many_consumers(void)
{
	static struct {
		atomic_size_t sequence;
		int value;
	} cells[16];
	static atomic_size_t place;

	for (size_t i = 0; i < 16; i++)
		atomic_store(&cells[i].sequence, i);
	for (;;) {
		size_t at = atomic_load(&place);
		size_t sequence = atomic_load(&cells[at % 16].sequence);

		if (sequence == at + 1 && atomic_compare_exchange_weak(&place, &at, at + 1))
			return;
	}
}

static void mailbox(void)
{
	static _Atomic(void *) slot;

	while (!atomic_exchange(&slot, NULL))
		;
}

struct actor {
	int (*receive)(struct actor *actor);
	pthread_mutex_t mutex;
	struct actor *next;
	int count;
};

static int nothing_there(struct actor *actor)
{
	int count;

	pthread_mutex_lock(&actor->mutex);
	count = actor->count;
	pthread_mutex_unlock(&actor->mutex);
	return count;
}

static struct actor *six_actors(void)
{
	struct actor *first = NULL;

	for (int i = 0; i < 6; i++) {
		struct actor *actor = calloc(1, sizeof(*actor));

		pthread_mutex_init(&actor->mutex, NULL);
		actor->receive = nothing_there;
		actor->next = first;
		first = actor;
	}
	return first;
}

static void actors(void)
{
	struct actor *first = six_actors();

	for (int got = 0; !got;)
		for (struct actor *actor = first; actor; actor = actor->next)
			got |= actor->receive(actor);
}

/* Whose turn it is goes round by a remainder, and each turn is counted. */
static void round_robin(void)
{
	static unsigned long turns;
	struct actor *all[6], *actor = six_actors();

	for (int i = 0; i < 6; i++, actor = actor->next)
		all[i] = actor;
	while (!all[turns % 6]->receive(all[turns % 6]))
		turns++;
}

static void yielding_queues(void)
{
	static struct ring rings[3];
	int value;

	for (;;) {
		for (int i = 0; i < 3; i++)
			if (take(&rings[i], &value))
				return;
		sched_yield();
	}
}

/* Whose queue it looks into next is drawn by lot. */
static void thief(void)
{
	static struct {
		atomic_long top, bottom;
	} queues[8];
	uint64_t x = 88172645463325252ULL;

	for (;;) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		if (atomic_load(&queues[x % 8].top) < atomic_load(&queues[x % 8].bottom))
			return;
	}
}

/* As an event loop does: the timers, the sources, what was posted. */
static void event_loop(void)
{
	static struct ring posted;
	struct timespec now;
	struct epoll_event event;
	int ends[2], epoll = epoll_create1(0), value;

	if (pipe(ends))
		return;
	event.events = EPOLLIN;
	epoll_ctl(epoll, EPOLL_CTL_ADD, ends[0], &event);
	for (long due = 1L << 40;;) {
		clock_gettime(CLOCK_MONOTONIC, &now);
		if (now.tv_sec > due || epoll_wait(epoll, &event, 1, 0) || take(&posted, &value))
			return;
	}
}

static void ticks(void)
{
	struct timespec now, last = {0};
	double elapsed = 0;

	clock_gettime(CLOCK_MONOTONIC, &last);
	while (elapsed < 1e9) {
		clock_gettime(CLOCK_MONOTONIC, &now);
		elapsed = (double)(now.tv_sec - last.tv_sec) +
			  1e-9 * (double)(now.tv_nsec - last.tv_nsec);
	}
}

enum state { STARTED, ASKED, PENDING, DONE };

struct task {
	enum state state;
	enum state (*step)(struct task *task);
	unsigned long polls;
};

static enum state step(struct task *task)
{
	switch (task->state) {
	case STARTED:
		return task->state = ASKED;
	case ASKED:
		return task->state = PENDING;
	case PENDING:
		task->polls++;
		return flag ? DONE : PENDING;
	default:
		return DONE;
	}
}

static void pending_task(void)
{
	struct task *task = calloc(1, sizeof(*task));

	task->step = step;
	while (task->step(task) != DONE)
		;
}

static void long_jump(void)
{
	static jmp_buf back;

	if (_setjmp(back) == 1000)
		return;
	if (!flag)
		longjmp(back, 1);
}

/* A program for a machine of this program's own: load, test, jump back. */
static void interpreted(void)
{
	static const unsigned char program[] = {0, 1, 2, 3, 0};
	static void *const labels[] = {&&load, &&test, &&nothing, &&back};
	int at = 0, value = 0;

	goto *labels[program[at]];
load:
	value = flag;
	goto *labels[program[++at]];
test:
	if (value)
		return;
	goto *labels[program[++at]];
nothing:
	goto *labels[program[++at]];
back:
	at = 0;
	goto *labels[program[at]];
}

static void switched(void)
{
	static const volatile unsigned char program[] = {4, 1, 2, 3, 5};
	int stack[4] = {0}, top = 0;

	for (int at = 0;;)
		switch (program[at++]) {
		case 1:
			stack[top++] = flag;
			break;
		case 2:
			if (stack[--top])
				return;
			break;
		case 3:
			at = 0;
			break;
		case 4:
			__asm__ volatile("");
			break;
		case 5:
			puts("never");
			break;
		case 6:
			stack[0] = 1;
			break;
		}
}

static int (*is_ready)(const volatile int *);

static int looked_up_ready(const volatile int *word)
{
	return *word;
}

static void looked_up(void)
{
	int (*compare)(const void *, const void *, size_t);
	const int zero = 0;

	is_ready = looked_up_ready;
	*(void **)&compare = dlsym(RTLD_DEFAULT, "memcmp");
	while (!is_ready(&flag) && !compare((const void *)&flag, &zero, sizeof(zero)))
		;
}

static void timer_list(void)
{
	static struct timer {
		struct timer *next;
		long due;
	} timers[5];
	struct timer *first = NULL;

	for (int i = 0; i < 5; i++) {
		timers[i] = (struct timer){.next = first, .due = 1000 + i};
		first = &timers[i];
	}
	for (;;) {
		__asm__ volatile("" ::: "memory");
		for (struct timer *timer = first; timer; timer = timer->next)
			if (timer->due <= flag)
				return;
	}
}

static const struct kind kinds[] = {
	{"single-consumer", single_consumer},
	{"many-consumers", many_consumers},
	{"mailbox", mailbox},
	{"actors", actors},
	{"round-robin", round_robin},
	{"yielding-queues", yielding_queues},
	{"thief", thief},
	{"event-loop", event_loop},
	{"ticks", ticks},
	{"pending-task", pending_task},
	{"long-jump", long_jump},
	{"interpreted", interpreted},
	{"switched", switched},
	{"looked-up", looked_up},
	{"timer-list", timer_list},
};

int main(int argc, char **argv)
{
	return RUN_KIND(kinds, argc, argv);
}
