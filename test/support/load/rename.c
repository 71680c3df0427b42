// SPDX-License-Identifier: Apache-2.0
/*
 * rename NAME: at a line, the leader takes NAME and burns 20 ms; a second thread keeps its own
 * name.
 */
#include "load.h"
#include <sys/prctl.h>

static void *work(void *unused)
{
	(void)unused;
	prctl(PR_SET_NAME, "own-name");
	for (;;) {
		burn(NSEC_PER_MSEC);
		usleep(5000);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, work, NULL))
		die("pthread_create");
	say("ready");
	wait_for_line();
	prctl(PR_SET_NAME, argc > 1 ? argv[1] : "renamed");
	burn(20 * NSEC_PER_MSEC);
	say("done");
	wait_for_line();
	return 0;
}
