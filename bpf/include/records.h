/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * THE boundary: every record that crosses between the kernel programs, the addon and TypeScript.
 *
 * Included by bpf/<name>.bpf.c (after vmlinux.h), by native/src (after <linux/types.h>) and, through the
 * object's BTF, turned into native/layout.generated.ts. Fixed-width members, padding spelled out.
 *
 * Two families:
 *   *_record   shared memory. Written in the kernel at context switches, read by user space through
 *              mmap. Counters only rise; user space subtracts; nothing here is reset while live.
 *   window_*   what the addon hands to TypeScript after each window: differences, never totals.
 */
#ifndef WATTFEED_RECORDS_H
#define WATTFEED_RECORDS_H

/* Compared at load with the value in the object's rodata. Raise it when any layout below changes. */
#define RECORDS_ABI 2

#define RECORDS_COMM_LEN 16      /* TASK_COMM_LEN of every kernel */
#define RECORDS_COUNTERS_MAX 6   /* hardware counters per slot: enum counter_kind and one spare */
#define RECORDS_CPUS_MAX 1024    /* entries of the CPU table; NR_CPUS beyond it is refused at load */
#define RECORDS_CPU_DOMAINS_MAX 16 /* package x core type x NUMA node */
#define RECORDS_PACKAGES_MAX 16 /* packages beyond share the last one's record */
#define RECORDS_FACTOR_STEPS 512  /* entries of the table of phi(f), to 8.2 GHz */
#define RECORDS_FACTOR_STEP_MHZ 16
#define RECORDS_SLOTS_DEFAULT 65536 /* a power of two: the free ring masks with it */
#define RECORDS_SOURCE_TEXT_LEN 40 /* longest reading kept of an energy file, see window_source */

#ifdef __cplusplus
#define RECORD_ASSERT(expr) static_assert(expr, #expr)
#else
#define RECORD_ASSERT(expr) _Static_assert(expr, #expr)
#endif

/* Values of slot_record.state. FREE -> LIVE in the kernel, LIVE -> DEAD in the kernel (last switch of
 * the task), DEAD -> FREE in user space after the last difference was booked. */
enum slot_state {
	SLOT_FREE = 0,
	SLOT_LIVE = 1,
	SLOT_DEAD = 2,
};

/* Bits of slot_record.flags and window_task.flags. */
enum slot_flag {
	SLOT_FLAG_KTHREAD = 1 << 0,    /* PF_KTHREAD */
	SLOT_FLAG_GROUP_DEAD = 1 << 1, /* this task's exit left no live thread in its process */
	SLOT_FLAG_EXECED = 1 << 2,     /* identity changed by exec since the slot was taken */
	SLOT_FLAG_PREEXISTING = 1 << 3,/* was running before the attach: charged from the attach on */
	/* set by the addon in window_task.flags only */
	WINDOW_FLAG_FIRST = 1 << 8,    /* first row of this (slot, sequence) */
	WINDOW_FLAG_DEAD = 1 << 9,     /* last row of this (slot, sequence): the thread is gone */
};

/* Per-CPU event counts, in cpu_record.stat[]. Each is exported: a loss that nobody counts is a lie. */
enum acct_stat {
	ACCT_STAT_SWITCHES = 0,     /* sched_switch seen */
	ACCT_STAT_STORAGE_MISS,     /* next task has no storage: charged to unslotted, seed pass wanted */
	ACCT_STAT_SLOTS_EXHAUSTED,  /* free ring empty: charged to overflow */
	ACCT_STAT_DISCONTINUITY,    /* running task was not the one switched in last: a switch was not seen */
	ACCT_STAT_STORAGE_FAILED,   /* task storage could not be created at fork */
	ACCT_STAT_FORKS,            /* task_newtask seen */
	ACCT_STAT_EXITS,            /* last switch of a task seen */
	ACCT_STAT_FLUSHES,          /* window-edge flushes run on this CPU */
	ACCT_STAT_CGROUP_MOVES,     /* a task was seen in another cgroup than before */
	ACCT_STAT_OVERFLOW_CGROUP_FULL, /* overflow time could not be kept by cgroup */
	ACCT_STAT_MAX = 12,         /* two spare */
};

/* What a hardware counter counts: index into slot_record.counter[], bit of cpu_record.counter_kinds. */
enum counter_kind {
	COUNTER_CYCLES = 0,   /* core cycles, unhalted */
	COUNTER_INSTRUCTIONS, /* retired */
	COUNTER_LLC_MISSES,   /* last-level cache misses, or fills from memory */
	COUNTER_VECTOR_OPS,   /* wide (256 bit and more) vector operations */
	COUNTER_VECTOR512_OPS, /* those of them that are 512 bits wide */
	COUNTER_KINDS = 5,
};

/*
 * One (task, CPU domain). Taken from the free ring when a task first runs in a domain; written only
 * by the CPU that runs the task (so plain += is safe); 320 bytes so that two CPUs never share a line.
 * A slot keeps its identity from take to return; `sequence` tells one owner from the next.
 */
struct slot_record {
	/* first cache line: written at each switch */
	__u64 runtime_ns;      /* rise of se.sum_exec_runtime: task time, without steal */
	__u64 slice_ns;        /* rise of CLOCK_MONOTONIC while on a CPU: steal included */
	__u64 overlap_ns;      /* part of slice_ns during which the SMT sibling was busy too */
	__u64 voluntary_switches;   /* as nvcsw of /proc/PID/status counts them */
	__u64 involuntary_switches; /* as nivcsw */
	__u64 migrations;      /* times the task was switched out on another CPU than the time before */
	__u64 css_set;         /* kernel address of task->cgroups; only ever compared */
	__u32 last_cpu;
	__u32 state;           /* enum slot_state */
	/* second: a slice is counted for the part of it in which all counters ran, else uncounted */
	__u64 uncounted_ns;    /* task time in which not all counters ran, or were not read */
	__u64 booked_sum_exec_ns; /* se.sum_exec_runtime up to which the last booking here went */
	__u64 counter[RECORDS_COUNTERS_MAX]; /* counted time: rise of each, by enum counter_kind */
	/* third: what the energy model needs, see slice_math.h */
	__u64 phi_cycles;      /* counted: cycles less the part shared with the sibling, x phi(f) */
	__u64 phi_instructions; /* counted: instructions x phi(f) */
	__u64 phi_vector;      /* counted: vector operations, twice those of 512 bits, x phi(f) */
	__u64 uncounted_phi_cycles; /* uncounted: the same as phi_cycles from the CPU's known frequency */
	__u64 uncounted_overlap_ns; /* part of overlap_ns that lies in uncounted time */
	__u64 package_on_ns;   /* slice_ns / busy CPUs of the package, integrated */
	__u64 predicted_core_nj; /* predicted energy of the core, x the CPU's core scale */
	__u64 predicted_nj;    /* the same and the shares of memory path and package */
	/* fourth */
	__u64 queue_wait_ns;   /* rise of sched_info.run_delay, seen at the next switch-in; 0 = kernel lacks it */
	__u64 spare[4];
	/* identity */
	__u64 start_boottime_ns;   /* thread's start, CLOCK_BOOTTIME, as /proc/PID/stat field 22 has it in ticks */
	__u64 leader_start_boottime_ns; /* same of the thread group's leader: (tgid, this) names a process */
	__u64 cgroup_id;       /* of the hierarchy chosen at load; the task's cgroup at its last switch */
	__u32 tid;
	__u32 tgid;
	__u32 sequence;        /* rises each time the slot is taken; never 0 in a taken slot */
	__u32 cpu_domain;
	__u32 tag;             /* set by user space for a process tree, inherited at fork; 0 = none */
	__u32 uid;             /* real uid in the initial user namespace, at take or exec */
	__u32 flags;           /* enum slot_flag */
	__u32 parent_tgid;     /* at take */
	char comm[RECORDS_COMM_LEN];        /* of the thread; not always NUL-terminated, any byte */
	char leader_comm[RECORDS_COMM_LEN]; /* of the thread group's leader */
};
RECORD_ASSERT(sizeof(struct slot_record) == 320);

/* As bpf_perf_event_read_value() gives it: running_ns rises less than enabled_ns while the event has to
 * share the PMU with others, and not at all while it is dead. */
struct counter_reading {
	__u64 value;
	__u64 enabled_ns;
	__u64 running_ns;
};

/*
 * One CPU. Written only on that CPU (by sched_switch and by the flush, both with preemption off),
 * read by its SMT sibling and by user space.
 */
struct cpu_record {
	__u64 busy_word;       /* busy wall time in ONE word so that a reader is never torn:
				* running: ((now - busy_ns) << 1) | 1, idle: busy_ns << 1 */
	__u64 switched_in_ns;  /* CLOCK_MONOTONIC of the last switch or flush */
	__u64 task_base_ns;    /* running task's se.sum_exec_runtime already charged */
	__u64 sibling_base_ns; /* sibling's busy time at switched_in_ns */
	__u64 nvcsw_base;      /* running task's nvcsw at switch-in */
	__u32 slot;            /* of the running task; 0 = none (idle, unslotted or overflow) */
	__u32 tid;             /* of the running task; 0 = idle */
	__u32 known;           /* 0 until the first switch or flush on this CPU */
	__u32 charge_to;       /* enum charge_to: where a running task without slot goes */
	__u64 task_address;    /* kernel address of the running task: tells whether a switch was not seen
				* (its tid may change under it in exec) and lets its time be read then */
	/* sums since load */
	__u64 task_ns;         /* all task time charged on this CPU: equals slots + unslotted + overflow */
	__u64 busy_ns;         /* all wall time with a task on the CPU: same identity for slices */
	__u64 unslotted_ns;    /* task time of tasks without storage or behind an unseen switch */
	__u64 unslotted_slice_ns;
	__u64 overflow_ns;     /* task time of tasks for which no slot was free */
	__u64 overflow_slice_ns;
	/* kernel_cpustat of this CPU, copied at each window's edge; 0xff..ff where not readable, the
	 * interrupts' also where the kernel charges them to the tasks they interrupt */
	__u64 irq_ns;
	__u64 softirq_ns;
	__u64 steal_ns;
	__u64 stat[ACCT_STAT_MAX];
	__u64 overflow_cgroup_id; /* cgroup of the running task when charge_to is CHARGE_OVERFLOW */
	/* hardware counters: readings at switched_in_ns, base of the running slice */
	struct counter_reading counter_base[COUNTER_KINDS];
	__u32 counters_known;  /* 1: those are readings; 0: none yet, or the last one failed */
	__u32 is_active;       /* 1: this CPU is in its package's count of busy CPUs */
	__u32 pad;
	/* written by user space, read here: single words, each good by itself */
	__u32 on_share_q16;    /* PACKAGE_ON_MEAN: 1 / busy CPUs of the package, last window's mean */
	__u32 counter_kinds;   /* bit by enum counter_kind: has an event on this CPU; 0 = counts nothing */
	__u32 frequency_khz;   /* last known; 0 = unknown. Also written at a frequency change */
	__u32 uncounted_rate_q16; /* phi(f) x f, cycles per ns, for slices without counters */
	__u32 core_scale_q16;  /* measured / predicted energy of the core; 1.0 where there is no measure */
	__u64 package_on_base_ns; /* the package's integral of 1 / busy CPUs at switched_in_ns */
	__u64 queue_wait_ns;   /* the running task's, not booked yet */
	/* sums since load */
	__u64 counted_ns;      /* task time that was counted */
	__u64 cycles;          /* of counted time */
	__u64 instructions;    /* of counted time */
	__u64 predicted_core_nj; /* of all slices, without core_scale_q16 */
	__u64 counter_failures; /* readings that failed */
	__u64 multiplexed_ns;  /* slice time uncounted because an event had to share its counter */
	__u64 spare[7];
};
RECORD_ASSERT(sizeof(struct cpu_record) == 512);

/*
 * What an event costs on the CPUs of one domain, in .bss: written by user space, read at each switch.
 * Each number is read alone, so a slice at the moment of a change may mix old and new.
 */
struct domain_model {
	__u32 cycle_q20;       /* a, nJ; Q20 holds up to 4095 */
	__u32 instruction_q20; /* b, nJ */
	__u32 vector_q20;      /* v, nJ */
	__u32 llc_miss_q20;    /* u, nJ */
	__u32 core_q20;        /* l, W = nJ/ns */
	__u32 package_on_q20;  /* P_on, W */
	__u32 uncounted_cycle_q20; /* a + 1.2 b, nJ */
	__u32 pad;
	__u32 factor_q16[RECORDS_FACTOR_STEPS]; /* phi(f), by steps of RECORDS_FACTOR_STEP_MHZ */
};
RECORD_ASSERT(sizeof(struct domain_model) == 32 + 4 * RECORDS_FACTOR_STEPS);

/* How package_on_ns is integrated. */
enum package_on_method {
	PACKAGE_ON_NONE = 0,
	PACKAGE_ON_COUNTED, /* busy CPUs counted at each idle or busy edge, exact */
	PACKAGE_ON_MEAN,    /* cpu_record.on_share_q16 is user space's: the last window's mean */
};

/*
 * One package, alone on its cache line. In one word, so that it changes and is read as a whole: the
 * number of its busy CPUs, and with the clock the integral of 1 / that number; see slice_math.h.
 */
struct package_state {
	__u64 word;
	__u64 pad[7];
};
RECORD_ASSERT(sizeof(struct package_state) == 64);

enum charge_to {
	CHARGE_SLOT = 0,
	CHARGE_UNSLOTTED = 1,
	CHARGE_OVERFLOW = 2,
	CHARGE_IDLE = 3,
};

/* Not available, for fields where zero is a real value. */
#define RECORDS_UNAVAILABLE (~0ULL)

/* Value of the task storage: which slot a task has in each CPU domain (0 = none yet). */
struct task_state {
	__u32 slot[RECORDS_CPU_DOMAINS_MAX];
	__u32 tag;
	__u32 flags; /* enum slot_flag: SLOT_FLAG_PREEXISTING, SLOT_FLAG_GROUP_DEAD */
	__u64 run_delay_ns; /* sched_info.run_delay when the task was switched in last */
};
RECORD_ASSERT(sizeof(struct task_state) == 80);

/*
 * The free ring's ends; slots themselves are in the `free_ring` map. User space pushes at tail, the
 * kernel takes at head by compare-and-swap; both only rise, so there is no ABA. Each on its own line.
 */
struct ring_ends {
	__u64 head;
	__u64 head_pad[7];
	__u64 tail;
	__u64 tail_pad[7];
};
RECORD_ASSERT(sizeof(struct ring_ends) == 128);

/* Arguments of the tag pass (iter/task), in .bss: every thread of tgid gets the tag. */
struct tag_request {
	__u32 tgid;
	__u32 tag;
	__u32 matched; /* out: threads that were tagged */
	__u32 pad;
};

/*
 * ---- what the addon hands to TypeScript ----
 *
 * A batch is one or more windows, one behind the other. A window is:
 *   window_header | cpu_count x window_cpu | source_count x window_source
 *                 | overflow_count x window_overflow | task_count x window_task
 * All members are naturally aligned, all sizes are multiples of 8. u64 differences of one window stay
 * below 2^53, so TypeScript may read them as numbers; clocks and raw energy values may not.
 */
struct window_header {
	__u64 index;              /* 1 for the first window after start */
	__u64 size_bytes;         /* whole window, header included */
	__u64 start_ns;           /* CLOCK_MONOTONIC of the previous window's flush end (attach for the first) */
	__u64 flush_start_ns;
	__u64 flush_end_ns;       /* = end of this window */
	__u64 energy_end_ns;
	__u64 scan_end_ns;
	__u64 boottime_offset_ns; /* CLOCK_BOOTTIME - CLOCK_MONOTONIC at the flush: grows over a suspend */
	__u64 realtime_ns;        /* CLOCK_REALTIME at the flush, for export timestamps only */
	__u64 due_ns;             /* when this window should have ended; late = flush_start_ns - due_ns */
	__u64 thread_cpu_ns;      /* CPU time of the window thread for this pass */
	__u32 cpu_count;
	__u32 source_count;
	__u32 overflow_count;
	__u32 task_count;
	__u32 slots_used;         /* taken and not returned */
	__u32 slots_limit;
	__u32 flushed_cpus;
	__u32 flags;              /* enum window_flag */
};
RECORD_ASSERT(sizeof(struct window_header) == 120);

enum window_flag {
	WINDOW_FINAL = 1 << 0,     /* last window: taken on close, programs already detached */
	WINDOW_RESEEDED = 1 << 1,  /* the seed pass was run again in this window */
	WINDOW_FORCED = 1 << 2,    /* closed early on request */
};

/* Differences over the window. */
struct window_cpu {
	__u32 cpu;
	__u32 cpu_domain;
	__u64 task_ns;
	__u64 busy_ns;
	__u64 unslotted_ns;
	__u64 overflow_ns;
	__u64 irq_ns;     /* irq + softirq; RECORDS_UNAVAILABLE where not readable */
	__u64 steal_ns;   /* RECORDS_UNAVAILABLE where not readable */
	__u64 counted_ns;
	__u64 cycles;
	__u64 instructions;
	__u64 predicted_core_nj;
	__u64 counter_failures;
	__u64 multiplexed_ns;
	__u32 online;
	__u32 frequency_khz; /* at the window's end, not a difference; 0 = unknown */
	__u32 counter_kinds; /* bits by enum counter_kind; 0 = this CPU does not count */
	__u32 pad;
	__u64 stat[ACCT_STAT_MAX];
};
RECORD_ASSERT(sizeof(struct window_cpu) == 216);

enum window_source_kind {
	WINDOW_SOURCE_FILE = 1, /* pread of a sysfs file from offset 0: `text` holds the bytes */
	WINDOW_SOURCE_PERF = 2, /* read of a perf event: value, enabled, running */
};

/* One raw reading of an energy source, in the order given at start. Nothing is interpreted here. */
struct window_source {
	__u32 kind;            /* enum window_source_kind */
	__u32 error;           /* errno of open or read; 0 = fine */
	__u64 before_ns;       /* CLOCK_MONOTONIC around the read */
	__u64 after_ns;
	__u64 value;           /* perf only */
	__u64 enabled_ns;      /* perf only */
	__u64 running_ns;      /* perf only */
	__u32 text_len;        /* bytes of `text`; a longer reading is cut and text_len = its true length */
	__u32 pad;
	char text[RECORDS_SOURCE_TEXT_LEN];
};
RECORD_ASSERT(sizeof(struct window_source) == 96);

/* Time that found no free slot, by cgroup. */
struct window_overflow {
	__u64 cgroup_id;
	__u64 runtime_ns;
	__u32 cpu_domain;
	__u32 pad;
};
RECORD_ASSERT(sizeof(struct window_overflow) == 24);

/* Key of the overflow hash; its value is the rising task time (u64 ns). */
struct overflow_key {
	__u64 cgroup_id;
	__u32 cpu_domain;
	__u32 pad;
};
RECORD_ASSERT(sizeof(struct overflow_key) == 16);

/* Differences of one slot that was touched in the window. */
struct window_task {
	__u64 runtime_ns;
	__u64 slice_ns;
	__u64 overlap_ns;
	__u64 voluntary_switches;
	__u64 involuntary_switches;
	__u64 migrations;
	__u64 uncounted_ns;
	__u64 counter[RECORDS_COUNTERS_MAX];
	__u64 phi_cycles;
	__u64 phi_instructions;
	__u64 phi_vector;
	__u64 uncounted_phi_cycles;
	__u64 uncounted_overlap_ns;
	__u64 package_on_ns;
	__u64 predicted_core_nj;
	__u64 predicted_nj;
	__u64 queue_wait_ns;
	__u64 start_boottime_ns;
	__u64 leader_start_boottime_ns;
	__u64 cgroup_id;
	__u32 slot;
	__u32 sequence;
	__u32 tid;
	__u32 tgid;
	__u32 cpu_domain;
	__u32 tag;
	__u32 uid;
	__u32 flags;
	__u32 parent_tgid;
	__u32 pad;
	char comm[RECORDS_COMM_LEN];
	char leader_comm[RECORDS_COMM_LEN];
};
RECORD_ASSERT(sizeof(struct window_task) == 272);

#endif /* WATTFEED_RECORDS_H */
