// SPDX-License-Identifier: Apache-2.0
/*
 * What the accounting replaces: reads /proc/PID/stat of every process once per interval and keeps the
 * CPU time of each. As lean as such a poller can be: one buffer, one array by pid, no allocation.
 *
 *   proc-poller ROUNDS INTERVAL_MS   prints "PROCESSES CPU_NS" of the mean round
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define PIDS_MAX (4 << 20) /* as high as pid_max can be */

static unsigned long long ticks_of[PIDS_MAX];

static unsigned long long thread_cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

/* Returns 0 if the process has gone meanwhile. */
static int read_process(int proc_fd, const char *pid)
{
	char path[300], text[1024];
	unsigned long long user_ticks, system_ticks;
	const char *after_name;
	ssize_t size;
	int fd;

	snprintf(path, sizeof(path), "%s/stat", pid);
	fd = openat(proc_fd, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	size = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (size <= 0)
		return 0;
	text[size] = '\0';
	after_name = strrchr(text, ')'); /* the name may hold anything, brackets too */
	if (!after_name || sscanf(after_name + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu",
				  &user_ticks, &system_ticks) != 2)
		return 0;
	ticks_of[atoi(pid) & (PIDS_MAX - 1)] = user_ticks + system_ticks;
	return 1;
}

static int read_all(DIR *proc)
{
	struct dirent *entry;
	int processes = 0;

	rewinddir(proc);
	while ((entry = readdir(proc)) != NULL) {
		if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9')
			processes += read_process(dirfd(proc), entry->d_name);
	}
	return processes;
}

int main(int argc, char **argv)
{
	DIR *proc = opendir("/proc");
	int rounds, interval_ms, processes = 0;
	unsigned long long start_ns;

	if (argc != 3 || !proc) {
		fprintf(stderr, "usage: proc-poller ROUNDS INTERVAL_MS\n");
		return 2;
	}
	rounds = atoi(argv[1]);
	interval_ms = atoi(argv[2]);
	read_all(proc);
	start_ns = thread_cpu_ns();
	for (int round = 0; round < rounds; round++) {
		usleep(interval_ms * 1000);
		processes = read_all(proc);
	}
	printf("%d %llu\n", processes, (thread_cpu_ns() - start_ns) / rounds);
	return 0;
}
