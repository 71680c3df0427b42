// SPDX-License-Identifier: Apache-2.0
/* work-again KIND: computes the same from the same few bytes again and again,
 * as benchmarks do. */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kinds.h"

static volatile uint64_t sink;
static uint8_t block[64] = "a block of sixty-three characters that never changes at all, no.";
/* Opaque to the compiler, which would take the work out of the loop. */
#define AGAIN() __asm__ volatile("" ::: "memory")

static void checksum_counted(void)
{
	for (uint32_t round = 0;; round++) {
		uint32_t a = 1 + round, b = 0;

		for (int i = 0; i < 64; i++) {
			a += block[i];
			b += a;
		}
		sink = b << 16 | a;
	}
}

static void checksum(void)
{
	for (;;) {
		uint32_t a = 1, b = 0;

		AGAIN();
		for (int i = 0; i < 64; i++) {
			a += block[i];
			b += a;
		}
		sink += b << 16 | a;
	}
}

static void small_sum(void)
{
	static int numbers[8] = {3, 1, 4, 1, 5, 9, 2, 6};

	for (;;) {
		int sum = 0;

		AGAIN();
		for (int i = 0; i < 8; i++)
			sum += numbers[i];
		sink += sum;
	}
}

static void dot_product(void)
{
	static double a[16] = {1, 2, 3, 4}, b[16] = {5, 6, 7, 8};

	for (;;) {
		double sum = 0;

		AGAIN();
		for (int i = 0; i < 16; i++)
			sum += a[i] * b[i];
		sink += (uint64_t)sum;
	}
}

static void small_matrix(void)
{
	static float a[4][4] = {{1, 2}, {3, 4}}, b[4][4] = {{5, 6}, {7, 8}}, c[4][4];

	for (;;) {
		AGAIN();
		for (int i = 0; i < 4; i++)
			for (int j = 0; j < 4; j++) {
				float sum = 0;

				for (int k = 0; k < 4; k++)
					sum += a[i][k] * b[k][j];
				c[i][j] = sum;
			}
		sink += (uint64_t)c[1][1];
	}
}

static void small_integers(void)
{
	static int a[4][4] = {{1, 2}, {3, 4}}, b[4][4] = {{5, 6}, {7, 8}}, c[4][4];

	for (;;) {
		AGAIN();
		for (int i = 0; i < 4; i++)
			for (int j = 0; j < 4; j++) {
				int sum = 0;

				for (int k = 0; k < 4; k++)
					sum += a[i][k] * b[k][j];
				c[i][j] += sum;
			}
	}
}

static void text_length(void)
{
	static char text[40] = "the same text for ever";

	for (;;) {
		AGAIN();
		sink += strlen(text);
	}
}

static void text_compare(void)
{
	static char a[40] = "the same text for ever", b[40] = "the same text for even";

	for (;;) {
		AGAIN();
		sink += strcmp(a, b) > 0;
	}
}

static void own_compare(void)
{
	static char a[40] = "the same text for ever", b[40] = "the same text for even";

	for (;;) {
		int at = 0;

		AGAIN();
		while (a[at] && a[at] == b[at])
			at++;
		sink += at;
	}
}

static void find_byte(void)
{
	for (unsigned int n = 0;; n++) {
		block[n % 32] = 'z';
		sink += (uint8_t *)memchr(block, 'z', sizeof(block)) - block;
		block[n % 32] = 'a';
	}
}

static void crc_block(void)
{
	for (;;) {
		uint32_t c = ~0u;

		AGAIN();
		for (int i = 0; i < 16; i++) {
			c ^= block[i];
			for (int bit = 0; bit < 8; bit++)
				c = c & 1 ? c >> 1 ^ 0xedb88320u : c >> 1;
		}
		sink += c;
	}
}

static void parse_number(void)
{
	static char text[16] = "31415926";

	for (;;) {
		AGAIN();
		sink += strtoul(text, NULL, 10);
	}
}

static void print_number(void)
{
	static char text[32];

	for (;;) {
		AGAIN();
		sink += snprintf(text, sizeof(text), "%d-%s", 42, "x");
	}
}

static int by_value(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static void sort_again(void)
{
	static const int from[8] = {3, 1, 4, 1, 5, 9, 2, 6};
	int numbers[8];

	for (;;) {
		memcpy(numbers, from, sizeof(numbers));
		qsort(numbers, 8, sizeof(int), by_value);
		sink += numbers[3];
	}
}

static void sort_in_place(void)
{
	int numbers[8] = {3, 1, 4, 1, 5, 9, 2, 6};

	for (;;) {
		for (int i = 1; i < 8; i++) {
			int one = numbers[i], j = i;

			for (; j > 0 && numbers[j - 1] > one; j--)
				numbers[j] = numbers[j - 1];
			numbers[j] = one;
		}
		sink += numbers[0];
		numbers[0] = 7;
		AGAIN();
	}
}

static void copy_block(void)
{
	static uint8_t to[4096], from[4096];

	for (;;) {
		memcpy(to, from, sizeof(to));
		__asm__ volatile("" : : "r"(to), "r"(from) : "memory");
	}
}

static void clear_block(void)
{
	static uint8_t to[65536];

	for (;;) {
		memset(to, 0, sizeof(to));
		__asm__ volatile("" : : "r"(to) : "memory");
	}
}

static void still_life(void)
{
	static uint8_t now[6][6] = {{0}, {0, 0, 1, 1}, {0, 0, 1, 1}}, next[6][6];

	for (;;) {
		for (int y = 1; y < 5; y++)
			for (int x = 1; x < 5; x++) {
				int count = -now[y][x];

				for (int dy = -1; dy <= 1; dy++)
					for (int dx = -1; dx <= 1; dx++)
						count += now[y + dy][x + dx];
				next[y][x] = count == 3 || (count == 2 && now[y][x]);
			}
		memcpy(now, next, sizeof(now));
		AGAIN();
	}
}

static void allocate_free(void)
{
	for (;;) {
		void *volatile memory = malloc(100);

		free(memory);
	}
}

static void constant_tree(void)
{
	static struct node {
		struct node *left, *right;
		int value;
	} nodes[15];
	struct node *stack[16];

	for (int i = 0; i < 15; i++) {
		nodes[i].value = i;
		nodes[i].left = 2 * i + 1 < 15 ? &nodes[2 * i + 1] : NULL;
		nodes[i].right = 2 * i + 2 < 15 ? &nodes[2 * i + 2] : NULL;
	}
	for (;;) {
		int top = 0, sum = 0;

		AGAIN();
		stack[top++] = nodes;
		while (top) {
			struct node *node = stack[--top];

			sum += node->value;
			if (node->left)
				stack[top++] = node->left;
			if (node->right)
				stack[top++] = node->right;
		}
		sink += sum;
	}
}

static void references(void)
{
	struct object {
		long count;
		int value;
	} *object = calloc(1, sizeof(*object));

	object->value = 3;
	for (;;) {
		struct object *volatile mine = object;

		__atomic_fetch_add(&mine->count, 1, __ATOMIC_RELAXED);
		sink += mine->value;
		__atomic_fetch_sub(&mine->count, 1, __ATOMIC_RELAXED);
	}
}

static void longest(void)
{
	static int lengths[12] = {4, 8, 1, 7, 3, 9, 2, 2, 6, 5, 8, 1};

	for (;;) {
		int best = 0;

		AGAIN();
		for (int i = 0; i < 12; i++)
			if (lengths[i] > best)
				best = lengths[i];
		sink += best;
	}
}

static const struct kind kinds[] = {
	{"checksum-counted", checksum_counted},
	{"checksum", checksum},
	{"small-sum", small_sum},
	{"dot-product", dot_product},
	{"small-matrix", small_matrix},
	{"small-integers", small_integers},
	{"text-length", text_length},
	{"text-compare", text_compare},
	{"own-compare", own_compare},
	{"find-byte", find_byte},
	{"crc-block", crc_block},
	{"parse-number", parse_number},
	{"print-number", print_number},
	{"sort-again", sort_again},
	{"sort-in-place", sort_in_place},
	{"copy-block", copy_block},
	{"clear-block", clear_block},
	{"still-life", still_life},
	{"allocate-free", allocate_free},
	{"constant-tree", constant_tree},
	{"references", references},
	{"longest", longest},
};

int main(int argc, char **argv)
{
	return RUN_KIND(kinds, argc, argv);
}
