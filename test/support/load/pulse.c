// SPDX-License-Identifier: Apache-2.0
/* pulse ROUNDS ON_MICROS OFF_MICROS CPU: at a line, burns and sleeps in turn, pinned. */
#include "load.h"

int main(int argc, char **argv)
{
	uint64_t rounds = number(argc, argv, 1, 100);
	uint64_t on_ns = number(argc, argv, 2, 1000) * NSEC_PER_USEC;
	uint64_t off_us = number(argc, argv, 3, 1000);

	pin_to(number(argc, argv, 4, 0));
	for (;;) {
		say("ready");
		wait_for_line();
		for (uint64_t round = 0; round < rounds; round++) {
			burn(on_ns);
			usleep(off_us);
		}
	}
}
