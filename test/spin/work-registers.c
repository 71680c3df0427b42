// SPDX-License-Identifier: Apache-2.0
/* work-registers KIND: computes for ever in registers and on a few words:
 * nothing to be seen but numbers. */
#include <math.h>
#include <stdint.h>

#include "kinds.h"

static volatile uint64_t sink;
/* Not known to the compiler, which would work it all out beforehand. */
static volatile int one = 1, two = 2;

static void modular_power(void)
{
	for (uint64_t base = 3;; base += 2) {
		uint64_t result = 1, square = base % 1000000007;

		for (uint64_t power = 1000000005; power; power >>= 1) {
			if (power & 1)
				result = result * square % 1000000007;
			square = square * square % 1000000007;
		}
		sink = result;
	}
}

/* The same question for ever: the root of two from one, until it does not
 * change. */
static void newton(void)
{
	for (;;) {
		double x = 1, before = 0;

		while (x != before) {
			before = x;
			x = 0.5 * (x + two / x);
		}
		sink = (uint64_t)(x * 1e6);
	}
}

/* Points whose orbit comes back after two steps. */
static void inner_points(void)
{
	for (;;) {
		double r = 0, i = 0;

		for (int n = 0; n < 100000 && r * r + i * i < 4; n++) {
			double t = r * r - i * i - 1;

			i = 2 * r * i;
			r = t;
		}
		sink += r < 0;
	}
}

static void fixed_orbit(void)
{
	for (;;) {
		int32_t r = 0, i = 0, n = 0, c = one;

		for (; n < 100000 && r < 1 << 18; n++) {
			int32_t t = (r * r >> 16) - (i * i >> 16) - (c << 16);

			i = 2 * (r * i >> 16);
			r = t;
		}
		sink += n;
	}
}

static uint64_t next_of(uint64_t x)
{
	return (x * x + 1) % 1000003;
}

static void cycle_finding(void)
{
	for (uint64_t start = 2;; start++) {
		uint64_t slow = next_of(start), fast = next_of(next_of(start));

		while (slow != fast) {
			slow = next_of(slow);
			fast = next_of(next_of(fast));
		}
		sink += slow;
	}
}

static void monte_carlo(void)
{
	uint64_t x = 88172645463325252ULL, inside = 0;

	for (uint64_t n = 1;; n++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		double a = (double)(uint32_t)x / 4294967296.0, b = (double)(x >> 32) / 4294967296.0;

		inside += a * a + b * b < 1;
		if (n % 1000000 == 0)
			sink = inside;
	}
}

/* A generator with a short period, as old machines have it. */
static void short_period(void)
{
	uint8_t x = 1;

	for (;;) {
		x = (uint8_t)(x * 5 + 3);
		sink += x;
	}
}

static void gray_code(void)
{
	for (uint64_t n = 0;; n++) {
		uint64_t x = n ^ n >> 1, y = 0;

		for (; x; x >>= 1)
			y ^= x;
		sink += y;
	}
}

static void low_pass(void)
{
	static int32_t delay[8];
	int32_t in = 1, out = 0;

	for (unsigned int n = 0;; n++) {
		in = in * 1103515245 + 12345;
		out += ((in >> 16) - out) >> 3;
		delay[n % 8] = out;
		sink += (uint32_t)(delay[(n + 3) % 8] - out);
	}
}

/* A constant square wave through a filter that has settled. */
static void settled_filter(void)
{
	int32_t out = 0;

	for (;;) {
		out += (1000 - out) >> 2;
		out += (-1000 - out) >> 2;
		sink = (uint64_t)out;
	}
}

static void shift_register(void)
{
	uint32_t x = 0xace1;

	for (;;) {
		x = x >> 1 ^ (-(x & 1) & 0xb400);
		if (x == 0xace1)
			sink++;
	}
}

static void series(void)
{
	for (double limit = 1;; limit += 1) {
		double sum = 0;

		for (int k = 0; k < 1000; k++)
			sum += (k & 1 ? -1.0 : 1.0) / (2 * k + limit);
		sink = (uint64_t)(sum * 1e9);
	}
}

static void bit_reverse(void)
{
	for (uint32_t n = 0;; n++) {
		uint32_t x = n, y = 0;

		for (int i = 0; i < 32; i++, x >>= 1)
			y = y << 1 | (x & 1);
		sink = y;
	}
}

static void division(void)
{
	uint64_t x = 1;

	for (;;) {
		x = 0x9e3779b97f4a7c15ULL / (x | 1) + x % 977;
		sink = x;
	}
}

static void long_double(void)
{
	long double x = 0.3L;

	for (;;) {
		x = 3.7L * x * (1 - x);
		sink = (uint64_t)(x * 1000);
	}
}

static void sine(void)
{
	for (double x = 0;; x += 0.01)
		sink = (uint64_t)(1000 * sin(x));
}

static const struct kind kinds[] = {
	{"modular-power", modular_power},
	{"newton", newton},
	{"inner-points", inner_points},
	{"fixed-orbit", fixed_orbit},
	{"cycle-finding", cycle_finding},
	{"monte-carlo", monte_carlo},
	{"short-period", short_period},
	{"gray-code", gray_code},
	{"low-pass", low_pass},
	{"settled-filter", settled_filter},
	{"shift-register", shift_register},
	{"series", series},
	{"bit-reverse", bit_reverse},
	{"division", division},
	{"long-double", long_double},
	{"sine", sine},
};

int main(int argc, char **argv)
{
	return RUN_KIND(kinds, argc, argv);
}
