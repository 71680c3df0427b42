// SPDX-License-Identifier: Apache-2.0
/* honest3 KIND: works for ever at numbers and games. */
#include <stdint.h>

#include "kinds.h"
#include "random.h"

static volatile uint64_t sink;

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

static const struct kind kinds[] = {
	{"mandelbrot", mandelbrot}, {"queens", n_queens},      {"walk", walk},
	{"chain", chain},	    {"divide", divide},	       {"sudoku", sudoku},
	{"floats", floats},	    {"gcd", greatest_divisor}, {"permute", permute},
};

int main(int argc, char **argv)
{
	return RUN_KIND(kinds, argc, argv);
}
