// SPDX-License-Identifier: Apache-2.0
/* work-kernel KIND: moves data through the kernel, with others and with files,
 * and never waits in vain. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "kinds.h"

static volatile uint64_t sink;

static int temporary(void)
{
	char path[] = "/tmp/wattfeed-worker-XXXXXX";
	int fd = mkstemp(path);

	unlink(path);
	return fd;
}

/* Both ends of a pair, by turns: each question finds something. */
static void echo(void)
{
	int ends[2], epoll = epoll_create1(0);
	struct epoll_event event = {.events = EPOLLIN};
	char text[64] = "question";

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends))
		return;
	epoll_ctl(epoll, EPOLL_CTL_ADD, ends[1], &event);
	while (write(ends[0], text, sizeof(text)) > 0) {
		if (epoll_wait(epoll, &event, 1, 0) > 0 && read(ends[1], text, sizeof(text)) > 0)
			sink += text[0];
	}
}

/* Reads until there is no more, as an edge-triggered server must: half of its
 * reads fail. */
static void drain(void)
{
	int ends[2], epoll = epoll_create1(0);
	struct epoll_event event = {.events = EPOLLIN | EPOLLET};
	char text[512] = "packet";

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends))
		return;
	epoll_ctl(epoll, EPOLL_CTL_ADD, ends[1], &event);
	while (write(ends[0], text, sizeof(text)) > 0 && epoll_wait(epoll, &event, 1, -1) > 0)
		while (read(ends[1], text, sizeof(text)) > 0)
			sink += text[1];
}

static void append_sync(void)
{
	char page[4096] = "record";
	int fd = temporary();

	for (off_t at = 0;; at = (at + 4096) % (1 << 20))
		if (pwrite(fd, page, sizeof(page), at) != sizeof(page) || fdatasync(fd))
			return;
}

static void append(void)
{
	char line[64] = "one more line\n";
	int fd = temporary();

	for (int n = 1; write(fd, line, 14) == 14; n++)
		if (n % 100000 == 0 && (ftruncate(fd, 0) || lseek(fd, 0, SEEK_SET)))
			return;
}

/* Random pages of a file, as a database reads them. */
static void pages(void)
{
	char page[4096];
	int fd = temporary();
	uint32_t at = 1;

	if (ftruncate(fd, 1 << 20))
		return;
	while (pread(fd, page, sizeof(page), (at >> 8) % 256 * 4096) == sizeof(page)) {
		at = at * 1103515245 + 12345;
		sink += page[at % 4096];
	}
}

/* The same file again and again, as a web server sends it. */
static void same_file(void)
{
	static char text[16384];
	int fd = temporary();

	if (ftruncate(fd, sizeof(text)))
		return;
	while (pread(fd, text, sizeof(text), 0) == sizeof(text))
		sink += text[sink % sizeof(text)];
}

static void reopen(void)
{
	static char text[8192];

	for (;;) {
		int fd = open("/proc/self/exe", O_RDONLY);

		while (read(fd, text, sizeof(text)) > 0)
			sink += text[100];
		close(fd);
	}
}

static void statistics(void)
{
	char text[4096];

	for (;;) {
		FILE *file = fopen("/proc/self/stat", "r");

		sink += fread(text, 1, sizeof(text), file);
		fclose(file);
	}
}

static void map_unmap(void)
{
	for (;;) {
		char *memory = mmap(NULL, 65536, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		memory[0] = memory[8192] = 1;
		munmap(memory, 65536);
	}
}

static void null_write(void)
{
	static char block[4096];
	int fd = open("/dev/null", O_WRONLY);

	while (write(fd, block, sizeof(block)) > 0)
		;
}

static void zero_read(void)
{
	static char block[65536];
	int fd = open("/dev/zero", O_RDONLY);

	while (read(fd, block, sizeof(block)) > 0)
		;
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int waiting;

static void *produce(void *unused)
{
	(void)unused;
	for (uint64_t x = 1;; x = x * 31 + 7) {
		pthread_mutex_lock(&mutex);
		while (waiting >= 64)
			pthread_cond_wait(&changed, &mutex);
		waiting++;
		sink += x;
		pthread_cond_broadcast(&changed);
		pthread_mutex_unlock(&mutex);
	}
	return NULL;
}

static void consumer(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, produce, NULL);
	for (;;) {
		pthread_mutex_lock(&mutex);
		while (waiting == 0)
			pthread_cond_wait(&changed, &mutex);
		waiting--;
		pthread_cond_broadcast(&changed);
		pthread_mutex_unlock(&mutex);
		for (int i = 0; i < 300; i++)
			sink = sink * 31 + 7;
	}
}

/* A try-lock that is mostly free: each round does something under it. */
static void try_and_work(void)
{
	for (;;)
		if (!pthread_mutex_trylock(&mutex)) {
			sink += 3;
			pthread_mutex_unlock(&mutex);
		}
}

/* As a cache that throws out what is too old: a clock and a word of work. */
static void time_stamped(void)
{
	static struct {
		long at;
		uint64_t value;
	} entries[256];

	for (uint32_t n = 0;; n++) {
		struct timespec now;

		clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
		for (int i = 0; i < 24; i++) {
			uint32_t slot = (n * 2654435761u + i) % 256;

			if (entries[slot].at < now.tv_sec)
				entries[slot].value = n, entries[slot].at = now.tv_sec;
			sink += entries[slot].value;
		}
	}
}

static void many_files(void)
{
	struct stat status;
	char path[64];

	for (int n = 0;; n = (n + 1) % 1000) {
		snprintf(path, sizeof(path), "/proc/self/fd/%d", n);
		sink += stat(path, &status) == 0;
	}
}

static void fault_in(void)
{
	const size_t size = 1 << 20;
	char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	for (;;) {
		for (size_t at = 0; at < size; at += 4096)
			memory[at]++;
		madvise(memory, size, MADV_DONTNEED);
	}
}

static const struct kind kinds[] = {
	{"echo", echo},
	{"drain", drain},
	{"append-sync", append_sync},
	{"append", append},
	{"pages", pages},
	{"same-file", same_file},
	{"reopen", reopen},
	{"statistics", statistics},
	{"map-unmap", map_unmap},
	{"null-write", null_write},
	{"zero-read", zero_read},
	{"consumer", consumer},
	{"try-and-work", try_and_work},
	{"time-stamped", time_stamped},
	{"many-files", many_files},
	{"fault-in", fault_in},
};

int main(int argc, char **argv)
{
	return RUN_KIND(kinds, argc, argv);
}
