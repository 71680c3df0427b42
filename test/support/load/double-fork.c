// SPDX-License-Identifier: Apache-2.0
/*
 * double-fork CPU_MICROS: at a line, forks a child that forks a grandchild and exits at once; the
 * grandchild, now an orphan, burns its time and exits. Says "done <pid of the grandchild>".
 */
#include "load.h"

int main(int argc, char **argv)
{
	uint64_t cpu_ns = number(argc, argv, 1, 2000) * NSEC_PER_USEC;
	int announce[2];
	char line[64];
	pid_t child, grandchild = 0;

	if (pipe(announce))
		die("pipe");
	say("ready");
	wait_for_line();
	child = fork();
	if (child < 0)
		die("fork");
	if (child == 0) {
		if (fork() == 0) {
			burn(cpu_ns);
			grandchild = getpid();
			if (write(announce[1], &grandchild, sizeof(grandchild)) < 0)
				_exit(1);
		}
		_exit(0);
	}
	waitpid(child, NULL, 0);
	if (read(announce[0], &grandchild, sizeof(grandchild)) != sizeof(grandchild))
		die("read");
	snprintf(line, sizeof(line), "done %d", grandchild);
	say(line);
	wait_for_line();
	return 0;
}
