/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stdint.h>

/* The same numbers in each run. */
static inline uint64_t next_random(void)
{
	static uint64_t x = 88172645463325252ULL;

	x ^= x << 13;
	x ^= x >> 7;
	return x ^= x << 17;
}
