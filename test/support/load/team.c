// SPDX-License-Identifier: Apache-2.0
/*
 * team CPU_MILLIS...: at a line starts one thread per argument, which names itself team-N and burns
 * that much of its own CPU time. All say "done" together and live on until the next line.
 */
#include "load.h"

#include <sys/prctl.h>

#define MAX_THREADS 16

struct member {
	pthread_t thread;
	int index;
	uint64_t cpu_ns;
};

static pthread_barrier_t has_burned, may_end;

static void *member_main(void *arg)
{
	struct member *member = arg;
	char name[16];

	snprintf(name, sizeof(name), "team-%d", member->index);
	if (prctl(PR_SET_NAME, name))
		die("prctl");
	burn_until_thread_cpu(member->cpu_ns);
	pthread_barrier_wait(&has_burned);
	pthread_barrier_wait(&may_end);
	return NULL;
}

int main(int argc, char **argv)
{
	static struct member members[MAX_THREADS];
	int count = argc - 1 < MAX_THREADS ? argc - 1 : MAX_THREADS;

	pthread_barrier_init(&has_burned, NULL, count + 1);
	pthread_barrier_init(&may_end, NULL, count + 1);
	say("ready");
	wait_for_line();
	for (int index = 0; index < count; index++) {
		struct member *member = &members[index];

		member->index = index;
		member->cpu_ns = number(argc, argv, index + 1, 0) * NSEC_PER_MSEC;
		if (pthread_create(&member->thread, NULL, member_main, member))
			die("pthread_create");
	}
	pthread_barrier_wait(&has_burned);
	say("done");
	wait_for_line();
	pthread_barrier_wait(&may_end);
	for (int index = 0; index < count; index++)
		pthread_join(members[index].thread, NULL);
	say("gone");
	wait_for_line();
	return 0;
}
