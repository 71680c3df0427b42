// SPDX-License-Identifier: Apache-2.0
/* burn CPU_MILLIS [CPU]: at each line, burns that much of its own CPU time without a sleep. */
#include "load.h"

int main(int argc, char **argv)
{
	uint64_t cpu_ns = number(argc, argv, 1, 1000) * NSEC_PER_MSEC;

	if (argc > 2)
		pin_to(number(argc, argv, 2, 0));
	for (;;) {
		say("ready");
		wait_for_line();
		burn(cpu_ns);
	}
}
