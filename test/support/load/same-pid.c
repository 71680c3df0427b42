// SPDX-License-Identifier: Apache-2.0
/*
 * same-pid FIRST_MILLIS SECOND_MILLIS: at a line, runs two children one after the other under one
 * and the same process id (clone3 with set_tid), each burning its time. Says "done <pid>".
 */
#include "load.h"
#include <linux/sched.h>

static pid_t run_child(pid_t wanted, uint64_t cpu_ns)
{
	struct clone_args args = {
		.exit_signal = SIGCHLD,
		.set_tid = wanted ? (uintptr_t)&wanted : 0,
		.set_tid_size = wanted ? 1 : 0,
	};
	pid_t pid = syscall(SYS_clone3, &args, sizeof(args));

	if (pid < 0)
		die("clone3");
	if (pid == 0) {
		burn(cpu_ns);
		_exit(0);
	}
	if (waitpid(pid, NULL, 0) != pid)
		die("waitpid");
	return pid;
}

int main(int argc, char **argv)
{
	char line[64];
	pid_t pid;

	say("ready");
	wait_for_line();
	pid = run_child(0, number(argc, argv, 1, 20) * NSEC_PER_MSEC);
	run_child(pid, number(argc, argv, 2, 20) * NSEC_PER_MSEC);
	snprintf(line, sizeof(line), "done %d", pid);
	say(line);
	wait_for_line();
	return 0;
}
