// SPDX-License-Identifier: Apache-2.0
/* busy N: as many threads that all work, at a generator of numbers. */
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/prctl.h>

static void *work(void *unused)
{
	uint64_t x = 88172645463325252ULL;

	(void)unused;
	for (;;) {
		x = x * 6364136223846793005ULL + 1442695040888963407ULL;
		__asm__ volatile("" : "+r"(x));
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (int at = 1; at < (argc > 1 ? atoi(argv[1]) : 1); at++)
		if (pthread_create(&thread, NULL, work, NULL))
			return 1;
	work(NULL);
	return 0;
}
