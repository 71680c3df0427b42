// SPDX-License-Identifier: Apache-2.0
/* honest KIND: works for ever at one of the things that programs do in tight loops. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define SIZE (1 << 20)

static uint8_t *bytes;
static uint64_t *words;
static volatile uint64_t sink;

static void hash(void)
{
	for (uint64_t h = 14695981039346656037ULL;;)
		for (int i = 0; i < SIZE; i++)
			sink = h = (h ^ bytes[i]) * 1099511628211ULL;
}

/* The same 64 bytes again and again: nothing changes but the hash. */
static void short_hash(void)
{
	uint64_t h = 1;

	for (;;) {
		for (int i = 0; i < 64; i++)
			h = (h ^ bytes[i]) * 1099511628211ULL;
		__asm__ volatile("" : "+r"(h));
	}
}

static void prng(void)
{
	uint64_t x = 88172645463325252ULL;

	for (;;) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		__asm__ volatile("" : "+r"(x));
	}
}

static void counter(void)
{
	for (uint64_t i = 0;; i++)
		__asm__ volatile("" : "+r"(i));
}

static void memory_counter(void)
{
	for (;;)
		sink++;
}

static void doubles(void)
{
	double x = 0.5;

	for (;;) {
		x = 3.9 * x * (1 - x);
		__asm__ volatile("" : "+x"(x));
	}
}

static void reduction(void)
{
	uint64_t sum = 0;

	for (;;)
		for (int i = 0; i < 512; i++) {
			sum += words[i];
			__asm__ volatile("" : "+r"(sum));
		}
}

static void chase(void)
{
	uint64_t at = 0;

	for (int i = 0; i < SIZE / 8; i++)
		words[i] = (i * 40503ULL + 12345) % (SIZE / 8);
	for (;;) {
		at = words[at];
		__asm__ volatile("" : "+r"(at));
	}
}

static void copy(void)
{
	uint8_t *to = malloc(SIZE);

	for (;;) {
		memcpy(to, bytes, SIZE);
		__asm__ volatile("" ::"r"(to) : "memory");
	}
}

static void small_copy(void)
{
	uint8_t to[256];

	for (;;) {
		memcpy(to, bytes, sizeof(to));
		__asm__ volatile("" ::"r"(to) : "memory");
		bytes[to[0]]++;
	}
}

static void fill(void)
{
	for (int value = 0;; value++) {
		memset(bytes, value, SIZE);
		__asm__ volatile("" ::: "memory");
	}
}

static int ascending(const void *a, const void *b)
{
	return (*(const uint64_t *)a > *(const uint64_t *)b) -
	       (*(const uint64_t *)a < *(const uint64_t *)b);
}

static void sort(void)
{
	for (uint64_t seed = 1;; seed++) {
		for (int i = 0; i < 4096; i++)
			words[i] = (words[i] + seed) * 6364136223846793005ULL;
		qsort(words, 4096, sizeof(*words), ascending);
	}
}

static void matrix(void)
{
	static double a[64][64], b[64][64], c[64][64];

	for (;;)
		for (int i = 0; i < 64; i++)
			for (int j = 0; j < 64; j++) {
				double sum = 0;

				for (int k = 0; k < 64; k++)
					sum += a[i][k] * b[k][j];
				c[i][j] = sum;
				__asm__ volatile("" ::"r"(c) : "memory");
			}
}

static void sieve(void)
{
	for (;;) {
		memset(bytes, 1, SIZE);
		for (int i = 2; i < 1024; i++)
			for (int j = i * i; bytes[i] && j < SIZE; j += i)
				bytes[j] = 0;
	}
}

static void search(void)
{
	bytes[SIZE - 1] = 0;
	memset(bytes, 'x', SIZE - 1);
	for (;;)
		sink += strlen((char *)bytes) + (memchr(bytes, 'y', SIZE - 1) != NULL);
}

static void collatz(void)
{
	for (uint64_t n = 1;; n++)
		for (uint64_t x = n; x > 1; x = x & 1 ? 3 * x + 1 : x / 2)
			__asm__ volatile("" : "+r"(x));
}

static void allocate(void)
{
	for (size_t size = 16;; size = 16 + size * 7 % 4096) {
		char *memory = malloc(size);

		memory[size - 1] = 1;
		__asm__ volatile("" ::"r"(memory) : "memory");
		free(memory);
	}
}

static void format(void)
{
	char text[128];

	for (int i = 0;; i++)
		sink += snprintf(text, sizeof(text), "%d %s %f", i, "text", i * 0.5);
}

static void fibonacci_of(int n)
{
	if (n < 2)
		sink++;
	else {
		fibonacci_of(n - 1);
		fibonacci_of(n - 2);
	}
}

static void recurse(void)
{
	for (;;)
		fibonacci_of(30);
}

static void read_file(void)
{
	int fd = open("/dev/zero", O_RDONLY);

	while (read(fd, bytes, 65536) > 0)
		;
}

static void pipe_through(void)
{
	int ends[2];

	if (pipe(ends))
		exit(1);
	while (write(ends[1], bytes, 4096) > 0 && read(ends[0], bytes, 4096) > 0)
		;
}

static void interpreter(void)
{
	uint64_t accumulator = 1;
	static const uint8_t program[] = {0, 1, 2, 0, 3, 1, 2, 4};

	for (unsigned pc = 0;; pc = (pc + 1) % sizeof(program))
		switch (program[pc]) {
		case 0:
			accumulator += 7;
			break;
		case 1:
			accumulator *= 31;
			break;
		case 2:
			accumulator ^= accumulator >> 11;
			break;
		case 3:
			words[accumulator % 64] = accumulator;
			break;
		default:
			sink = accumulator;
		}
}

static const struct {
	const char *name;
	void (*run)(void);
} kinds[] = {
	{"hash", hash},		{"short-hash", short_hash}, {"prng", prng},
	{"counter", counter},	{"memory-counter", memory_counter},
	{"doubles", doubles},	{"reduction", reduction},   {"chase", chase},
	{"copy", copy},		{"small-copy", small_copy}, {"fill", fill},
	{"sort", sort},		{"matrix", matrix},	    {"sieve", sieve},
	{"search", search},	{"collatz", collatz},	    {"allocate", allocate},
	{"format", format},	{"recurse", recurse},	    {"read", read_file},
	{"pipe", pipe_through}, {"interpreter", interpreter},
};

int main(int argc, char **argv)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	bytes = malloc(SIZE);
	words = malloc(SIZE);
	memset(bytes, 7, SIZE);
	memset(words, 3, SIZE);
	for (size_t at = 0; at < sizeof(kinds) / sizeof(kinds[0]); at++)
		if (argc > 1 && !strcmp(argv[1], kinds[at].name))
			kinds[at].run();
	return 2;
}
