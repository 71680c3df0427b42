// SPDX-License-Identifier: Apache-2.0
/*
 * crowd COUNT CPU_MICROS: forks COUNT children that all live at once. At a line each of them burns
 * its time a little at a time, between sleeps; at the next line they all exit.
 */
#include "load.h"

#define BURSTS 4
#define PAUSE_USEC 2000

static void child_main(int go, int gone, uint64_t cpu_ns, int finished)
{
	char byte;

	if (read(go, &byte, 1) != 1)
		_exit(0);
	for (int burst = 0; burst < BURSTS; burst++) {
		burn(cpu_ns / BURSTS);
		usleep(PAUSE_USEC);
	}
	if (write(finished, "", 1) != 1)
		_exit(1);
	/* end of file when the parent closes its end */
	if (read(gone, &byte, 1) != 0)
		_exit(1);
	_exit(0);
}

int main(int argc, char **argv)
{
	uint64_t count = number(argc, argv, 1, 300);
	uint64_t cpu_ns = number(argc, argv, 2, 1000) * NSEC_PER_USEC;
	int go[2], gone[2], finished[2];
	char byte = 0;

	if (pipe(go) || pipe(gone) || pipe(finished))
		die("pipe");
	for (uint64_t child = 0; child < count; child++) {
		pid_t pid = fork();

		if (pid < 0)
			die("fork");
		if (pid == 0) {
			close(gone[1]);
			close(go[1]);
			child_main(go[0], gone[0], cpu_ns, finished[1]);
		}
	}
	say("ready");
	wait_for_line();
	for (uint64_t child = 0; child < count; child++)
		if (write(go[1], &byte, 1) != 1)
			die("write");
	for (uint64_t child = 0; child < count; child++)
		if (read(finished[0], &byte, 1) != 1)
			die("read");
	say("done");
	wait_for_line();
	close(gone[1]);
	while (wait(NULL) > 0)
		;
	say("gone");
	wait_for_line();
	return 0;
}
