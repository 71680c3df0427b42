// SPDX-License-Identifier: Apache-2.0
/* spin-calls KIND: asks the kernel again and again for what is not there or
 * does not change. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <mqueue.h>
#include <netinet/in.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/inotify.h>
#include <sys/ipc.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/times.h>
#include <time.h>
#include <unistd.h>

#include "kinds.h"

static volatile int flag;

static void sleep_zero(void)
{
	const struct timespec none = {0};

	while (!flag)
		nanosleep(&none, NULL);
}

static void sleep_until_past(void)
{
	const struct timespec past = {.tv_sec = 1};

	while (!flag)
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &past, NULL);
}

static void signal_file(void)
{
	sigset_t set;
	struct signalfd_siginfo info;
	int fd;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	fd = signalfd(-1, &set, SFD_NONBLOCK);
	while (read(fd, &info, sizeof(info)) < 0)
		;
}

static void file_changes(void)
{
	char events[4096];
	int fd = inotify_init1(IN_NONBLOCK);

	inotify_add_watch(fd, "/proc/self", IN_CREATE);
	while (read(fd, events, sizeof(events)) < 0)
		;
}

static void ring_enter(void)
{
	struct io_uring_params parameters = {0};
	int fd = (int)syscall(SYS_io_uring_setup, 4, &parameters);

	while (fd >= 0 &&
	       syscall(SYS_io_uring_enter, fd, 0, 0, IORING_ENTER_GETEVENTS, NULL, 0) == 0)
		;
}

static void message_queue(void)
{
	struct mq_attr attributes = {.mq_maxmsg = 1, .mq_msgsize = 8};
	char text[8];
	mqd_t queue =
		mq_open("/wattfeed-spinner", O_CREAT | O_RDWR | O_NONBLOCK, 0600, &attributes);

	mq_unlink("/wattfeed-spinner");
	while (mq_receive(queue, text, sizeof(text), NULL) < 0)
		;
}

static void record_lock(void)
{
	char path[] = "/tmp/wattfeed-spinner-XXXXXX";
	struct flock lock = {.l_type = F_WRLCK};
	int fd = mkstemp(path);

	fcntl(fd, F_SETLK, &lock);
	if (!fork()) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		while (fcntl(fd, F_SETLK, &lock) < 0)
			;
	}
	unlink(path);
	pause();
}

static void record_question(void)
{
	char path[] = "/tmp/wattfeed-spinner-XXXXXX";
	struct flock lock = {.l_type = F_WRLCK};
	int fd = mkstemp(path);

	unlink(path);
	while (!fcntl(fd, F_GETLK, &lock) && lock.l_type == F_UNLCK)
		lock.l_type = F_WRLCK;
}

static void process_there(void)
{
	while (!kill(getppid(), 0))
		;
}

static void full_pipe(void)
{
	static char block[4096];
	int ends[2];

	if (pipe2(ends, O_NONBLOCK))
		return;
	while (write(ends[1], block, sizeof(block)) > 0)
		;
	while (write(ends[1], block, sizeof(block)) < 0 && errno == EAGAIN)
		;
}

static void refused(void)
{
	const struct sockaddr_in nobody = {.sin_family = AF_INET,
					   .sin_port = htons(1),
					   .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	while (connect(fd, (const struct sockaddr *)&nobody, sizeof(nobody)))
		;
}

static void no_datagram(void)
{
	char packet[1500];
	struct iovec part = {packet, sizeof(packet)};
	struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0);

	while (recvmsg(fd, &message, 0) < 0)
		;
}

static void open_missing(void)
{
	while (open("/tmp/wattfeed-no-such", O_RDONLY) < 0)
		;
}

static void lock_file(void)
{
	char path[] = "/tmp/wattfeed-spinner-XXXXXX";

	mkdtemp(path);
	if (!fork()) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		while (mkdir(path, 0700))
			;
	}
	usleep(3000000);
	for (;;)
		pause();
}

/* As one waits for a switch in /sys: open, read, close. */
static void flag_file(void)
{
	char text[32] = "0";

	while (text[0] != '9') {
		int fd = open("/proc/sys/vm/overcommit_memory", O_RDONLY);

		if (read(fd, text, sizeof(text) - 1) < 0)
			return;
		close(fd);
	}
}

static void flag_file_again(void)
{
	char text[32] = "0";
	int fd = open("/proc/sys/vm/overcommit_memory", O_RDONLY);

	while (text[0] != '9')
		if (pread(fd, text, sizeof(text) - 1, 0) < 0)
			return;
}

static void file_end(void)
{
	char path[] = "/tmp/wattfeed-spinner-XXXXXX";
	int fd = mkstemp(path);

	unlink(path);
	while (lseek(fd, 0, SEEK_END) == 0)
		;
}

static void semaphore_value(void)
{
	int set = semget(IPC_PRIVATE, 1, 0600);

	while (semctl(set, 0, GETVAL) == 0)
		;
}

static void processor_time(void)
{
	while (clock() < 1L << 62)
		;
}

static void usage(void)
{
	struct rusage used;

	do
		getrusage(RUSAGE_SELF, &used);
	while (used.ru_utime.tv_sec < 1L << 40);
}

static void tick_count(void)
{
	struct tms used;

	while (times(&used) < 1L << 62 && !flag)
		;
}

static void coarse_clock(void)
{
	struct timespec now;

	do
		clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
	while (now.tv_sec < 1L << 40);
}

static void which_cpu(void)
{
	while (sched_getcpu() < 4096)
		;
}

static void group(void)
{
	while (getpgid(0) > 1 && !flag)
		;
}

static const struct kind kinds[] = {
	{"sleep-zero", sleep_zero},
	{"sleep-past", sleep_until_past},
	{"signalfd", signal_file},
	{"inotify", file_changes},
	{"io_uring", ring_enter},
	{"mq", message_queue},
	{"record-lock", record_lock},
	{"record-question", record_question},
	{"kill-0", process_there},
	{"full-pipe", full_pipe},
	{"refused", refused},
	{"no-datagram", no_datagram},
	{"open-missing", open_missing},
	{"lock-file", lock_file},
	{"flag-file", flag_file},
	{"flag-file-again", flag_file_again},
	{"file-end", file_end},
	{"semctl", semaphore_value},
	{"processor-time", processor_time},
	{"getrusage", usage},
	{"times", tick_count},
	{"coarse-clock", coarse_clock},
	{"getcpu", which_cpu},
	{"getpgid", group},
};

int main(int argc, char **argv)
{
	return RUN_KIND(kinds, argc, argv);
}
