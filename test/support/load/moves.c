// SPDX-License-Identifier: Apache-2.0
/*
 * moves ROUNDS: at each line, goes from CPU 0 to CPU 1 and back ROUNDS times and sleeps twice on
 * each, so that every arrival is followed by switches there.
 */
#include "load.h"

#define NAP_USEC 200

static void visit(int cpu)
{
	pin_to(cpu);
	usleep(NAP_USEC);
	usleep(NAP_USEC);
}

int main(int argc, char **argv)
{
	int rounds = number(argc, argv, 1, 10);

	pin_to(0);
	for (;;) {
		say("ready");
		wait_for_line();
		for (int round = 0; round < rounds; round++) {
			visit(1);
			visit(0);
		}
	}
}
