// SPDX-License-Identifier: Apache-2.0
/* honest2 KIND: works for ever at bytes: codes, checksums, searches, pictures.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "kinds.h"
#include "random.h"

#define SIZE (1 << 16)

static uint8_t bytes[SIZE], others[2 * SIZE];
static volatile uint64_t sink;

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

static const struct kind kinds[] = {
	{"base64", base64},
	{"crc", crc},
	{"lz", lz},
	{"bits", bits},
	{"bit-table", bit_table},
	{"memchr", find_char},
	{"life", life},
	{"long-sum", long_sum},
	{"strlen", string_length},
	{"video", video},
	{"distance", edit_distance},
	{"transform", transform},
	{"lookups", lookups},
};

int main(int argc, char **argv)
{
	for (int i = 0; i < SIZE; i++)
		bytes[i] = next_random();
	return RUN_KIND(kinds, argc, argv);
}
