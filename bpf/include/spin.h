/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * What the spin sampler says of one thread: the boundary between spin.bpf.c, the addon and TypeScript.
 * Written by the sampler while its event is open, read by user space when it is closed; the counters are
 * filled in by the addon then.
 */
#ifndef SPIN_H
#define SPIN_H

enum spin_limit {
	SPIN_ABI = 4,
	SPIN_RECORDS_MAX = 64, /* threads examined at a time, at most */
	SPIN_SAMPLES_MAX = 512, /* a power of two; later ones are counted only */
	SPIN_WORDS = 9,
	SPIN_ARGUMENTS = 6,
	SPIN_CALL_NUMBERS_MAX = 512,
	SPIN_COUNTERS = 5,
};

#define SPIN_NO_TIMEOUT 0xffffffffffffffffULL

/* Where the clock met the thread. */
enum spin_place {
	SPIN_IN_PROGRAM = 0,
	SPIN_IN_CALL = 1, /* in the kernel, asked by the program */
	SPIN_IN_KERNEL =
		2, /* in the kernel otherwise: an exception, an interrupt, no program at all */
};

/* What `word` holds in the program … */
enum spin_program_word {
	SPIN_REGISTERS_HASH = 0, /* of all general registers and the stack pointer */
	SPIN_MEMORY_HASH = 1, /* of some bytes behind each of them */
	SPIN_BEHIND_CALL = 2, /* the last system call returned to here; 0: no register says so */
	SPIN_CALL_RESULT = 3, /* and if so, this may be its result */
};

/* … and in a call, after its SPIN_ARGUMENTS. */
enum spin_call_word {
	SPIN_RESULT = 6, /* -ENOSYS as long as there is none */
	SPIN_TIMEOUT_NS = 7, /* to go, behind a pointer; SPIN_NO_TIMEOUT: none, or not readable */
	SPIN_CONTENT_HASH =
		8, /* of what its first two arguments point to, up to a zero: a path */
};

/* Hardware events of the thread alone, where there is a PMU; opened and read by user space. */
enum spin_counter {
	SPIN_CYCLES = 0,
	SPIN_INSTRUCTIONS = 1,
	SPIN_CACHE_MISSES = 2,
	SPIN_BRANCHES = 3,
	SPIN_BRANCH_MISSES = 4,
};

struct spin_sample {
	__u64 ip; /* in the program; of a call: where it returns to */
	__u32 place;
	__u32 call; /* its number */
	__u64 word[SPIN_WORDS];
};

struct spin_record {
	__u32 tid; /* 0: not met yet */
	__u32 is_32bit;
	__u32 count; /* samples, those without room too */
	__u32 counted; /* bits of enum spin_counter: these counted */
	__u64 counter[SPIN_COUNTERS]; /* scaled up where it had a counter for a part of the time */
	struct spin_sample sample[SPIN_SAMPLES_MAX];
};

#endif /* SPIN_H */
