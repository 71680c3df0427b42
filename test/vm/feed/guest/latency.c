// SPDX-License-Identifier: Apache-2.0
/*
 * latency NAME SECONDS PERIOD_US REQUEST_KINSTR: an interactive task. At each period it wakes and works until its
 * own instruction counter has risen by the size of a request; the latency is from when it was due to when it is
 * done. In the simulated machine instructions come at the simulated frequency, so a package that throttles makes
 * requests slow as it would a real one. They go on while the host keeps the virtual CPU from running: a request is done when
 * the counter was at its size, between the last two looks at it, not when that was seen. Prints one line:
 * requests, then latency, wake-up and the time between wake-up and done, in us at p50, p90, p99 and the highest.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_S 1000000000LL
#define NS_PER_US 1000LL
#define REQUESTS_MAX 100000

static long long latency_ns[REQUESTS_MAX], wakeup_ns[REQUESTS_MAX], service_ns[REQUESTS_MAX];

static long long now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * NS_PER_S + t.tv_nsec;
}

static void sleep_until(long long until_ns)
{
	struct timespec t = {until_ns / NS_PER_S, until_ns % NS_PER_S};

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR)
		;
}

static int open_instructions(void)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_HARDWARE,
		.config = PERF_COUNT_HW_INSTRUCTIONS,
		.exclude_hv = 1,
	};

	return syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
}

static unsigned long long count(int event)
{
	unsigned long long value = 0;

	if (read(event, &value, sizeof(value)) != sizeof(value)) {
		perror("latency: read instructions");
		exit(1);
	}
	return value;
}

/* Works until the counter is at `goal`; when that was, in ns. */
static long long work_until(int event, unsigned long long goal)
{
	unsigned long long before, seen = count(event);
	long long before_ns, seen_ns = now_ns();

	do {
		before = seen;
		before_ns = seen_ns;
		seen = count(event);
		seen_ns = now_ns();
	} while (seen < goal);
	return before_ns + (long long)((double)(goal - before) / (double)(seen - before) *
				       (double)(seen_ns - before_ns));
}

static int ascending(const void *left, const void *right)
{
	long long a = *(const long long *)left, b = *(const long long *)right;

	return (a > b) - (a < b);
}

static void print_quantiles(long long *values, int size)
{
	qsort(values, size, sizeof(*values), ascending);
	printf("\t%lld\t%lld\t%lld\t%lld", values[size / 2] / NS_PER_US,
	       values[size * 9 / 10] / NS_PER_US, values[size * 99 / 100] / NS_PER_US,
	       values[size - 1] / NS_PER_US);
}

int main(int argc, char **argv)
{
	long long due_ns, end_ns, period_ns;
	unsigned long long request;
	int event, requests = 0;

	if (argc != 5) {
		fprintf(stderr, "usage: latency NAME SECONDS PERIOD_US REQUEST_KINSTR\n");
		return 2;
	}
	prctl(PR_SET_NAME, argv[1]);
	period_ns = atoll(argv[3]) * NS_PER_US;
	request = strtoull(argv[4], NULL, 10) * 1000;
	event = open_instructions();
	if (event < 0) {
		perror("latency: open instructions");
		return 1;
	}
	due_ns = now_ns() + period_ns;
	end_ns = due_ns + (long long)(atof(argv[2]) * NS_PER_S);
	for (; due_ns < end_ns && requests < REQUESTS_MAX; requests++) {
		sleep_until(due_ns);
		wakeup_ns[requests] = now_ns() - due_ns;
		latency_ns[requests] = work_until(event, count(event) + request) - due_ns;
		service_ns[requests] = latency_ns[requests] - wakeup_ns[requests];
		/* a request that is late delays the next one, it does not hide it */
		due_ns = due_ns + period_ns > now_ns() ? due_ns + period_ns : now_ns() + period_ns;
	}
	if (!requests)
		return 1;
	printf("%d", requests);
	print_quantiles(latency_ns, requests);
	print_quantiles(wakeup_ns, requests);
	print_quantiles(service_ns, requests);
	printf("\n");
	return 0;
}
