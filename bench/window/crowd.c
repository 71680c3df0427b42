// SPDX-License-Identifier: Apache-2.0
/*
 * A crowd of small processes, each idle for ever or awake once per period.
 *
 *   crowd COUNT PERIOD_MS   PERIOD_MS 0 = idle; prints "ready" when all are there, ends with stdin
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

static void live(int period_ms, int number)
{
	if (!period_ms)
		for (;;)
			pause();
	usleep((number * 997) % (period_ms * 1000)); /* spread over the period */
	for (;;)
		usleep(period_ms * 1000);
}

int main(int argc, char **argv)
{
	char ignored;

	if (argc != 3) {
		fprintf(stderr, "usage: crowd COUNT PERIOD_MS\n");
		return 2;
	}
	for (int number = 0; number < atoi(argv[1]); number++) {
		pid_t child = fork();

		if (child < 0) {
			perror("fork");
			return 1;
		}
		if (child == 0) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			live(atoi(argv[2]), number);
		}
	}
	puts("ready");
	fflush(stdout);
	while (read(STDIN_FILENO, &ignored, 1) > 0)
		;
	return 0;
}
