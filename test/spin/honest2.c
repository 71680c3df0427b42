// SPDX-License-Identifier: Apache-2.0
/*
 * honest2 KIND: works for ever at things that were thought of after the rules were made: codes,
 * searches, games, pictures, sums, and loops that look at a clock or ask the kernel on the way.
 */
#define _GNU_SOURCE
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#define SIZE (1 << 16)

static uint8_t bytes[SIZE], others[2 * SIZE];
static volatile uint64_t sink;

static uint64_t next_random(void)
{
	static uint64_t x = 88172645463325252ULL;

	x ^= x << 13;
	x ^= x >> 7;
	return x ^= x << 17;
}

static void base64(void)
{
	static const char code[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	for (;;) {
		int to = 0;

		for (int i = 0; i + 2 < SIZE; i += 3) {
			uint32_t three = bytes[i] << 16 | bytes[i + 1] << 8 | bytes[i + 2];

			for (int shift = 18; shift >= 0; shift -= 6)
				others[to++] = code[three >> shift & 63];
		}
		sink += others[to / 2];
	}
}

static void crc(void)
{
	static uint32_t table[256];

	for (uint32_t i = 0; i < 256; i++) {
		uint32_t c = i;

		for (int bit = 0; bit < 8; bit++)
			c = c & 1 ? c >> 1 ^ 0xedb88320u : c >> 1;
		table[i] = c;
	}
	for (uint32_t c = ~0u;; sink = c)
		for (int i = 0; i < SIZE; i++)
			c = c >> 8 ^ table[(c ^ bytes[i]) & 255];
}

static void mandelbrot(void)
{
	for (;;)
		for (double y = -1.5; y < 1.5; y += 0.003)
			for (double x = -2; x < 1; x += 0.003) {
				double r = 0, i = 0;
				int n = 0;

				for (; n < 200 && r * r + i * i < 4; n++) {
					double t = r * r - i * i + x;

					i = 2 * r * i + y;
					r = t;
				}
				sink += n;
			}
}

static int queens(int n, uint32_t columns, uint32_t left, uint32_t right)
{
	uint32_t free = ((1u << n) - 1) & ~(columns | left | right);
	int count = columns == (1u << n) - 1;

	for (; free; free &= free - 1) {
		uint32_t bit = free & -free;

		count += queens(n, columns | bit, (left | bit) << 1, (right | bit) >> 1);
	}
	return count;
}

static void n_queens(void)
{
	for (;;)
		sink += queens(11, 0, 0, 0);
}

/* Repeats are looked for by a table of where three bytes were last. */
static void lz(void)
{
	static uint32_t last[4096];

	for (;;) {
		for (int i = 0; i + 8 < SIZE; i++) {
			uint32_t three = bytes[i] | bytes[i + 1] << 8 | bytes[i + 2] << 16;
			uint32_t at = three * 2654435761u >> 20, from = last[at], length = 0;

			while (i + length < SIZE - 1 && from < (uint32_t)i &&
			       bytes[from + length] == bytes[i + length])
				length++;
			last[at] = i;
			sink += length;
		}
		for (int i = 0; i < 64; i++)
			bytes[next_random() % SIZE] = next_random();
	}
}

static void bits(void)
{
	for (uint64_t n = 0;; n++)
		for (uint64_t x = n * 0x9e3779b97f4a7c15ULL; x; x &= x - 1)
			sink++;
}

static void bit_table(void)
{
	uint64_t sum = 0;

	for (;;) {
		for (int i = 0; i < SIZE; i++)
			sum += __builtin_popcount(bytes[i]) * i;
		sink = sum;
	}
}

static void find_char(void)
{
	memset(others, 'a', SIZE);
	for (int at = 0;; at = (at + 1) % SIZE) {
		others[at] = 'b';
		sink += (uint8_t *)memchr(others, 'b', SIZE) - others;
		others[at] = 'a';
	}
}

static void walk(void)
{
	int64_t x = 0, y = 0;

	for (;;) {
		switch (next_random() >> 62) {
		case 0:
			x++;
			break;
		case 1:
			x--;
			break;
		case 2:
			y++;
			break;
		default:
			y--;
		}
		sink = x * x + y * y;
	}
}

static void life(void)
{
	static uint8_t now[128][128], next[128][128];

	for (int i = 0; i < 128; i++)
		for (int j = 0; j < 128; j++)
			now[i][j] = next_random() & 1;
	for (;;) {
		for (int y = 1; y < 127; y++)
			for (int x = 1; x < 127; x++) {
				int count = 0;

				for (int dy = -1; dy <= 1; dy++)
					for (int dx = -1; dx <= 1; dx++)
						count += now[y + dy][x + dx];
				count -= now[y][x];
				next[y][x] = count == 3 || (count == 2 && now[y][x]);
			}
		memcpy(now, next, sizeof(now));
		now[next_random() % 128][next_random() % 128] ^= 1;
	}
}

static void long_sum(void)
{
	static uint32_t words[1 << 20];
	uint64_t sum = 0;

	for (;; sink = sum) {
		words[next_random() % (1 << 20)] = next_random();
		for (int i = 0; i < 1 << 20; i++)
			sum += words[i] ^ i;
	}
}

static void string_length(void)
{
	memset(others, 'x', SIZE);
	for (int length = 1;; length = length * 7 % (SIZE - 1) + 1) {
		others[length] = 0;
		sink += strlen((char *)others);
		others[length] = 'x';
	}
}

static void chain(void)
{
	uint64_t a = 1, b = 2;

	for (;;) {
		a += b;
		b += a ^ 5;
		__asm__ volatile("" : "+r"(a), "+r"(b));
	}
}

static void divide(void)
{
	for (uint64_t n = 3;; n += 2)
		for (uint64_t d = 3;; d += 2) {
			if (d * d > n) {
				sink++;
				break;
			}
			if (n % d == 0)
				break;
		}
}

static int fits(const uint8_t *cells, int at, int digit)
{
	for (int i = 0; i < 9; i++)
		if (cells[at / 9 * 9 + i] == digit || cells[at % 9 + 9 * i] == digit ||
		    cells[at / 27 * 27 + at % 9 / 3 * 3 + i / 3 * 9 + i % 3] == digit)
			return 0;
	return 1;
}

static int solve(uint8_t *cells, int at, int *budget)
{
	while (at < 81 && cells[at])
		at++;
	if (at == 81 || --*budget == 0)
		return 1;
	for (int digit = 1; digit <= 9; digit++)
		if (fits(cells, at, digit)) {
			cells[at] = digit;
			if (solve(cells, at + 1, budget))
				return 1;
			cells[at] = 0;
		}
	return 0;
}

static void sudoku(void)
{
	for (;;) {
		uint8_t cells[81] = {0};
		int budget = 100000;

		for (int i = 0; i < 12; i++) {
			int at = next_random() % 81, digit = 1 + next_random() % 9;

			if (!cells[at] && fits(cells, at, digit))
				cells[at] = digit;
		}
		sink += solve(cells, 0, &budget);
	}
}

static void floats(void)
{
	for (float x = 2, y = 1;; y = sink & 1 ? 1 : 2) {
		for (int i = 0; i < 1000; i++) {
			y = 0.5f * (y + x / y);
			x += 0.001f;
		}
		sink += (uint64_t)y;
		x = 2;
	}
}

/* Sums of differences of blocks, as an encoder looks for movement. */
static void video(void)
{
	for (;;)
		for (int y = 0; y < 240; y += 16)
			for (int dx = -8; dx < 8; dx++) {
				uint32_t sum = 0;

				for (int row = 0; row < 16; row++)
					for (int x = 0; x < 16; x++)
						sum += abs(bytes[(y + row) * 256 + x + 16] -
							   others[(y + row) * 256 + x + 16 + dx]);
				sink += sum;
			}
}

static void edit_distance(void)
{
	static int row[257];

	for (;;) {
		const uint8_t *a = bytes + next_random() % (SIZE - 256);
		const uint8_t *b = bytes + next_random() % (SIZE - 256);

		for (int j = 0; j <= 256; j++)
			row[j] = j;
		for (int i = 1; i <= 256; i++)
			for (int j = 1, corner = i - 1; j <= 256; j++) {
				int best = corner + (a[i - 1] != b[j - 1]);

				corner = row[j];
				if (row[j] + 1 < best)
					best = row[j] + 1;
				if (row[j - 1] + 1 < best)
					best = row[j - 1] + 1;
				row[j] = best;
			}
		sink += row[256];
	}
}

static void transform(void)
{
	static double re[1024], im[1024];

	for (int i = 0; i < 1024; i++)
		re[i] = i % 7;
	for (;;)
		for (int half = 1; half < 1024; half *= 2)
			for (int i = 0; i < 1024; i += 2 * half)
				for (int k = i; k < i + half; k++) {
					double r = re[k + half] * 0.7, s = im[k + half] * 0.7;

					re[k + half] = re[k] - r;
					im[k + half] = im[k] - s;
					re[k] = 0.6 * (re[k] + r);
					im[k] = 0.6 * (im[k] + s);
				}
}

static void greatest_divisor(void)
{
	for (uint64_t i = 1;; i++) {
		uint64_t a = next_random() | 1, b = i;

		while (b) {
			uint64_t t = a % b;

			a = b;
			b = t;
		}
		sink += a;
	}
}

/* Threads that share a counter without a lock: it always succeeds in the end. */
static void shared_count(void)
{
	static atomic_ulong count;

	for (;;) {
		unsigned long seen = atomic_load(&count);

		while (!atomic_compare_exchange_weak(&count, &seen, seen * 3 + 1))
			;
	}
}

/* A game's or a simulation's loop: the time is read each round, and there is a round's work. */
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
	uint8_t packet[1500];

	if (pipe(ends))
		exit(1);
	epoll_ctl(epoll, EPOLL_CTL_ADD, ends[0], &event);
	while (write(ends[1], bytes, sizeof(packet)) > 0)
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

static void lookups(void)
{
	static struct {
		uint64_t key, value;
	} table[1024];

	for (int i = 0; i < 1024; i++)
		table[i].key = i * 2654435761ULL % 1024, table[i].value = i;
	for (;;) {
		uint64_t key = next_random() % 1024, at = key * 2654435761ULL % 1024;

		for (int tries = 0; table[at].key != key && tries < 64; tries++)
			at = (at + 1) % 1024;
		sink += table[at].value;
	}
}

static void permute(void)
{
	int items[9] = {0, 1, 2, 3, 4, 5, 6, 7, 8}, counts[9] = {0};

	for (;;) {
		for (int i = 0; i < 9;) {
			if (counts[i] >= i) {
				counts[i++] = 0;
				continue;
			}
			int j = i % 2 ? counts[i] : 0, held = items[j];

			items[j] = items[i];
			items[i] = held;
			sink += items[0] * 10 + items[8];
			counts[i]++;
			i = 0;
		}
	}
}

static const struct {
	const char *name;
	void (*run)(void);
} kinds[] = {
	{"base64", base64},
	{"crc", crc},
	{"mandelbrot", mandelbrot},
	{"queens", n_queens},
	{"lz", lz},
	{"bits", bits},
	{"bit-table", bit_table},
	{"memchr", find_char},
	{"walk", walk},
	{"life", life},
	{"long-sum", long_sum},
	{"strlen", string_length},
	{"chain", chain},
	{"divide", divide},
	{"sudoku", sudoku},
	{"floats", floats},
	{"video", video},
	{"distance", edit_distance},
	{"transform", transform},
	{"gcd", greatest_divisor},
	{"shared-count", shared_count},
	{"paced", paced},
	{"interruptible", interruptible},
	{"poller", busy_poller},
	{"log", log_lines},
	{"lookups", lookups},
	{"permute", permute},
};

int main(int argc, char **argv)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (int i = 0; i < SIZE; i++)
		bytes[i] = next_random();
	for (size_t at = 0; at < sizeof(kinds) / sizeof(kinds[0]); at++)
		if (argc > 1 && !strcmp(argv[1], kinds[at].name))
			kinds[at].run();
	return 2;
}
