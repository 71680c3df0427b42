// SPDX-License-Identifier: Apache-2.0
/* work-search KIND: looks things up in tables and trees that stay as they are,
 * plays and parses. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kinds.h"
#include "random.h"

static volatile uint64_t sink;

static void binary_search(void)
{
	static uint32_t table[1024];

	for (uint32_t i = 0; i < 1024; i++)
		table[i] = 7 * i;
	for (uint32_t key = 0;; key = key * 1103515245 + 12345) {
		int low = 0, high = 1024;

		while (low < high) {
			int middle = (low + high) / 2;

			if (table[middle] < key % 7168)
				low = middle + 1;
			else
				high = middle;
		}
		sink += low;
	}
}

/* Ever the same sixteen keys, by turns. */
static void few_keys(void)
{
	static uint32_t table[64];

	for (uint32_t i = 0; i < 64; i++)
		table[i] = 7 * i;
	for (uint32_t key = 0;; key = (key + 31) % 448) {
		int at = 0;

		while (at < 63 && table[at] < key)
			at++;
		sink += at;
	}
}

static void misses(void)
{
	static uint64_t table[256];

	for (int i = 0; i < 128; i++)
		table[next_random() % 256] = 2 * i + 2;
	for (uint64_t key = 1;; key += 2) {
		uint64_t at = key * 0x9e3779b97f4a7c15ULL >> 56;

		while (table[at] && table[at] != key)
			at = (at + 1) % 256;
		sink += table[at] == 0;
	}
}

static void bloom(void)
{
	static uint64_t words[128];

	for (int i = 0; i < 500; i++)
		words[next_random() % 128] |= 1ULL << (next_random() & 63);
	for (uint64_t key = 0;; key++) {
		uint64_t hash = key * 0x9e3779b97f4a7c15ULL;
		int is_in = 1;

		for (int i = 0; i < 4 && is_in; i++, hash = hash << 13 | hash >> 51)
			is_in = words[hash & 127] >> (hash >> 8 & 63) & 1;
		sink += is_in;
	}
}

static void moves(void)
{
	for (uint64_t own = 0x8100000000000081ULL, n = 1;; n += 0x9e3779b97f4a7c15ULL) {
		uint64_t attacked = 0;

		for (uint64_t left = own ^ n; left; left &= left - 1) {
			uint64_t one = left & -left;

			attacked |= one << 17 | one >> 15 | one << 10 | one >> 6;
		}
		sink += __builtin_popcountll(attacked & ~own);
	}
}

struct trie {
	struct trie *next[4];
	int count;
};

static void trie_walk(void)
{
	struct trie *root = calloc(1, sizeof(*root));

	for (int word = 0; word < 200; word++) {
		struct trie *at = root;

		for (uint64_t left = next_random(), i = 0; i < 5; i++, left >>= 2) {
			if (!at->next[left & 3])
				at->next[left & 3] = calloc(1, sizeof(*at));
			at = at->next[left & 3];
		}
		at->count++;
	}
	for (;;) {
		struct trie *at = root;

		for (uint64_t left = next_random(); at; left >>= 2) {
			sink += at->count;
			at = at->next[left & 3];
		}
	}
}

static void anneal(void)
{
	static int16_t places[64];

	for (int64_t heat = 1 << 20, cost = 0;; heat -= heat >> 12) {
		int a = next_random() & 63, b = next_random() & 63;
		int64_t change = (places[b] - places[a]) * (a - b);

		if (change < heat >> 14 || (next_random() & 1023) == 0) {
			int16_t held = places[a];

			places[a] = places[b] + (int16_t)(next_random() & 3) - 1;
			places[b] = held;
			cost += change;
		}
		if (heat < 4096)
			heat = 1 << 20;
		sink = cost;
	}
}

static void machine(void)
{
	static const char program[] = "++++++++[>++++[>++>+++>+++>+<<<<-]>+>+>->>+[<]<-]>>.>---.";
	static uint8_t cells[64];

	for (;;) {
		uint8_t *cell = cells;

		memset(cells, 0, sizeof(cells));
		for (const char *at = program; *at; at++) {
			int depth = 0;

			switch (*at) {
			case '+':
				++*cell;
				break;
			case '-':
				--*cell;
				break;
			case '>':
				cell++;
				break;
			case '<':
				cell--;
				break;
			case '.':
				sink += *cell;
				break;
			case '[':
				if (*cell)
					break;
				do
					depth += (*at == '[') - (*at == ']');
				while (depth && *++at);
				break;
			case ']':
				if (!*cell)
					break;
				do
					depth += (*at == ']') - (*at == '[');
				while (depth && at-- > program);
				break;
			}
		}
	}
}

static void json(void)
{
	char text[80];

	for (unsigned int n = 0;; n++) {
		int depth = 0, numbers = 0;

		snprintf(text, sizeof(text), "{\"a\": [%u, 2, 3], \"b\": {\"c\": %u}}", n, n % 977);
		for (const char *at = text; *at; at++) {
			depth += (*at == '{' || *at == '[') - (*at == '}' || *at == ']');
			if (*at >= '0' && *at <= '9')
				numbers = 10 * numbers + *at - '0';
		}
		sink += depth + numbers;
	}
}

static void utf8(void)
{
	static uint8_t text[4096];

	for (int i = 0; i + 1 < 4096; i += 2) {
		text[i] = 0xc3;
		text[i + 1] = 0x80 | (next_random() & 63);
	}
	for (;;) {
		uint32_t points = 0;

		for (int i = 0; i < 4096;) {
			if (text[i] < 0x80) {
				points += text[i++];
			} else {
				points += (text[i] & 31) << 6 | (text[i + 1] & 63);
				i += 2;
			}
		}
		sink += points;
		text[1 + 2 * (next_random() % 2047)] ^= 1;
	}
}

/* States of an automaton over a short text, which it goes through for ever. */
static void automaton(void)
{
	static volatile uint8_t next[4][4] = {
		{1, 0, 2, 3}, {1, 2, 0, 3}, {3, 1, 2, 0}, {0, 3, 1, 2}};
	static volatile uint8_t text[8] = {0, 1, 2, 3, 2, 1, 0, 2};

	for (;;) {
		unsigned int state = 0;

		for (int i = 0; i < 8; i++)
			state = next[state][text[i]];
		sink += state;
	}
}

static void aes_like(void)
{
	static uint8_t box[256];
	uint8_t state[16] = {0};

	for (int i = 0; i < 256; i++)
		box[i] = (uint8_t)(i * 167 + 13);
	for (;;)
		for (int i = 0; i < 16; i++)
			state[i] = box[state[i] ^ state[(i + 5) & 15]] ^ (uint8_t)sink++;
}

static void heap(void)
{
	static uint32_t items[64];

	for (;;) {
		uint32_t one = (uint32_t)next_random(), at = 0;

		sink += items[0];
		for (uint32_t child; (child = 2 * at + 1) < 63; at = child) {
			child += items[child + 1] < items[child];
			if (one <= items[child])
				break;
			items[at] = items[child];
		}
		items[at] = one;
	}
}

static void shortest(void)
{
	static int weight[8][8], distance[8];

	for (int i = 0; i < 64; i++)
		weight[i / 8][i % 8] = 1 + (int)(next_random() % 9);
	for (;;) {
		for (int i = 1; i < 8; i++)
			distance[i] = 1000;
		for (int round = 0; round < 8; round++)
			for (int i = 0; i < 8; i++)
				for (int j = 0; j < 8; j++)
					if (distance[i] + weight[i][j] < distance[j])
						distance[j] = distance[i] + weight[i][j];
		sink += distance[7];
	}
}

static const struct kind kinds[] = {
	{"binary-search", binary_search},
	{"few-keys", few_keys},
	{"misses", misses},
	{"bloom", bloom},
	{"moves", moves},
	{"trie", trie_walk},
	{"anneal", anneal},
	{"machine", machine},
	{"json", json},
	{"utf8", utf8},
	{"automaton", automaton},
	{"aes-like", aes_like},
	{"heap", heap},
	{"shortest", shortest},
};

int main(int argc, char **argv)
{
	return RUN_KIND(kinds, argc, argv);
}
