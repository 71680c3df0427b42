/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * The power feed: what a scheduler, or anybody else who may open the pins, reads about power.
 * This header is the ABI, version 1; power_feed_read.h beside it reads it. docs/power-feed.md says how to use it.
 *
 * Include it after vmlinux.h (or scx/common.bpf.h, which has it) in BPF, after nothing in user space.
 * It needs no other file of ours, calls no helper and allocates nothing. It may be copied.
 *
 * Pins below POWER_FEED_DIRECTORY, mode 0600 in a directory 0700:
 *
 *   name          type          key                 value                        written by
 *   state         array, mmap   0                   struct power_feed_state      the agent
 *   package       array, mmap   package id          struct power_feed_package    the agent
 *   cpu           array, mmap   CPU number          struct power_feed_cpu        the agent
 *   cgroup        array, mmap   index               struct power_feed_cgroup     the agent
 *   cgroup_index  hash          cgroup v2 id (u64)  u32 index into `cgroup`      the agent
 *   task          task storage  task                struct power_feed_task       the kernel, at each switch
 *
 * Rules for readers
 *   1. Nothing holds unless power_feed_open() says POWER_FEED_OK. Anything else: behave as if there
 *      were no feed. A pin outlives its writer, so only the times inside tell whether it is alive.
 *   2. All times are CLOCK_MONOTONIC, bpf_ktime_get_ns(). scx_bpf_now() is another clock.
 *   3. package, cpu and cgroup entries have two halves; the generation says which one holds. Copy it
 *      with power_feed_read.h: its readers check the generation again after the copy.
 *   4. Clamp what you compute with. The readers clamp what they return.
 *   5. Hard caps only on POWER_FEED_MEASURED. A modelled or simulated number may order tasks, it may
 *      not stop one.
 *   6. No signal may hold a task back longer than POWER_FEED_MAX_HOLD_NS.
 *
 * Rules for versions
 *   - A minor version gives a meaning to spare words, which were zero before, and adds enum values.
 *     A reader of an older minor sees nothing new; a reader of a newer one finds zero = unknown.
 *   - Anything else (a size, an offset, a meaning, a map's type or key) is a new major version in a new
 *     directory, so that a running reader of the old one finds it expired, not changed.
 */
#ifndef WATTFEED_POWER_FEED_H
#define WATTFEED_POWER_FEED_H

#ifndef __VMLINUX_H__
#include <linux/types.h>
#endif

#define POWER_FEED_DIRECTORY "/sys/fs/bpf/wattfeed/v1"
#define POWER_FEED_MAGIC 0x44454546u /* "FEED" in memory on a little-endian machine */
#define POWER_FEED_MAJOR 1
#define POWER_FEED_MINOR 0

#define POWER_FEED_PACKAGES_MAX 64
#define POWER_FEED_CPUS_MAX 1024
#define POWER_FEED_CGROUPS_MAX 4096

#define POWER_FEED_MAX_HOLD_NS 200000000ULL /* no signal holds a task back longer */
#define POWER_FEED_FAST_NS 100000000ULL	    /* time constant of the fast averages */
#define POWER_FEED_SLOW_NS 1000000000ULL    /* time constant of the slow averages */
#define POWER_FEED_FOLD_NS 1000000ULL	    /* averages are brought up to date at most this often */

/* What a number is clamped to when read; far above any machine, small enough to multiply. */
#define POWER_FEED_TASK_UW_MAX 1000000000u /* 1 kW for one thread */
#define POWER_FEED_MW_MAX 100000000u	   /* 100 kW */
#define POWER_FEED_PERMILLE_MAX 100000u	   /* a ratio of 100 */
#define POWER_FEED_UNKNOWN16 0xffffu	   /* where zero is a value */

#ifdef __cplusplus
#define POWER_FEED_ASSERT(expr) static_assert(expr, #expr)
#else
#define POWER_FEED_ASSERT(expr) _Static_assert(expr, #expr)
#endif

enum power_feed_status {
	POWER_FEED_OK = 0,
	POWER_FEED_MISSING = 1,	  /* no map or no entry */
	POWER_FEED_FOREIGN = 2,	  /* not this ABI's major version */
	POWER_FEED_EXPIRED = 3,	  /* nobody has published for too long, or the feed was withdrawn */
	POWER_FEED_TORN = 4,	  /* published again while being read; what was read is discarded */
};

/* Where the joules come from. */
enum power_feed_source {
	POWER_FEED_NO_SOURCE = 0,
	POWER_FEED_MEASURED = 1,  /* a hardware counter: the only one that hard caps may act on */
	POWER_FEED_MODELLED = 2,  /* an estimate from utilisation */
	POWER_FEED_SIMULATED = 3, /* invented by `wattfeed feed --simulate` */
};

/* How the joules were split among tasks. */
enum power_feed_split {
	POWER_FEED_BY_NOTHING = 0,
	POWER_FEED_BY_COUNTERS = 1,
	POWER_FEED_BY_TIME = 2,
};

/* What a task or cgroup is like. Judged with hysteresis. */
enum power_feed_class {
	POWER_FEED_CLASS_UNKNOWN = 0,
	POWER_FEED_CLASS_COMPUTE = 1,	   /* most of its time on a CPU, and it gets faster with frequency */
	POWER_FEED_CLASS_MEMORY_BOUND = 2, /* waits for memory: little slower on a slow CPU */
	POWER_FEED_CLASS_SPINNING = 3,	   /* runs without getting anywhere */
	POWER_FEED_CLASS_LATENCY = 4,	   /* short runs after wake-ups: holding it back is felt */
};

enum power_feed_task_flag {
	POWER_FEED_TASK_COUNTED = 1 << 0, /* last slice was predicted from hardware counters, not time */
};

enum power_feed_cgroup_flag {
	POWER_FEED_CGROUP_OVER_BUDGET = 1 << 0, /* with hysteresis, burst used up */
	POWER_FEED_CGROUP_BURSTING = 1 << 1,	/* above its budget, burst not used up yet */
	POWER_FEED_CGROUP_BATCH = 1 << 2,	/* may be held back for the package's headroom */
	POWER_FEED_CGROUP_WORK_CONSERVING = 1 << 3, /* over budget it yields, but may use idle CPUs */
	POWER_FEED_CGROUP_INHERITED = 1 << 4,	/* its budget is an ancestor's: budget_cgroup_id */
};

enum power_feed_state_flag {
	POWER_FEED_STATE_HAS_TASKS = 1 << 0, /* `task` is being written */
	POWER_FEED_STATE_WITHDRAWN = 1 << 1, /* the agent ended in order */
};

/* ---- state: who publishes, until when it holds, which half ---- */

struct power_feed_state_half {
	__u64 generation;     /* of this half; 1 for the first */
	__u64 published_ns;
	__u64 valid_until_ns; /* 0 = withdrawn */
	__u64 window_ns;      /* length of the window that the averages of this generation cover */
	__u32 source;	      /* enum power_feed_source */
	__u32 split;	      /* enum power_feed_split */
	__u32 flags;	      /* enum power_feed_state_flag */
	__u32 cgroup_count;   /* entries of `cgroup` in use are below this */
	__u32 package_count;
	__u32 cpu_count;
	__u32 reference_power_mw; /* a busy CPU's mean power, for turning energy into time; never 0 */
	__u32 pad;
	__u64 spare[8];
};
POWER_FEED_ASSERT(sizeof(struct power_feed_state_half) == 128);

struct power_feed_state {
	__u32 magic;
	__u16 abi_major;
	__u16 abi_minor;
	__u32 writer_pid;     /* in the agent's pid namespace: for messages, never for decisions */
	__u32 package_max;    /* entries of the maps: a reader with smaller tables checks these */
	__u32 cpu_max;
	__u32 cgroup_max;
	__u64 started_ns;     /* when the present agent took the feed over */
	__u64 head_spare[4];
	__u64 generation;     /* the flip: a single store. Half [generation & 1] holds; 0 = nothing yet */
	__u64 generation_pad[7];
	struct power_feed_state_half half[2];
};
POWER_FEED_ASSERT(sizeof(struct power_feed_state) == 384);

/* ---- package ---- */

struct power_feed_package_half {
	__u32 power_mw;	      /* mean of the window, idle floor included */
	__u32 limit_mw;	      /* long-term powercap constraint; 0 = none known */
	__u32 headroom_mw;    /* limit - power, 0 when above it; without a limit: 0 and no HAS_LIMIT */
	__u32 over_mw;	      /* power - limit when above it */
	__u32 idle_floor_mw;  /* what it draws with nothing running; 0 = not known yet */
	__u32 core_mw;	      /* cores only; 0 = not known */
	__u32 dram_mw;	      /* memory of this package; 0 = not known */
	__u32 batch_budget_mw; /* what all batch cgroups together may use below the limit */
	__u32 prediction_scale_permille; /* measured active energy / predicted; 1000 = exact, 0 = unknown */
	__u32 busy_permille;  /* busy time of its CPUs / (CPUs x window) */
	__u32 flags;	      /* enum power_feed_package_flag */
	__u32 pad;
	__u64 pad2[2];
	__u64 spare[8];
};
POWER_FEED_ASSERT(sizeof(struct power_feed_package_half) == 128);

enum power_feed_package_flag {
	POWER_FEED_PACKAGE_HAS_LIMIT = 1 << 0,
	POWER_FEED_PACKAGE_MEASURED = 1 << 1, /* this package's power is a counter's */
};

struct power_feed_package {
	struct power_feed_package_half half[2];
};
POWER_FEED_ASSERT(sizeof(struct power_feed_package) == 256);

/* ---- cpu ---- */

struct power_feed_cpu_half {
	__u32 core_mw;	      /* this CPU's part of the package's active power; 0 = not known */
	__u32 frequency_khz;  /* 0 = not known */
	__u32 busy_permille;
	__u32 package_id;
	/* marginal cost of one more busy thread of average demand, running power */
	__u32 place_sibling_mw; /* here, with the SMT sibling busy already */
	__u32 place_core_mw;  /* here, in an idle core of a busy package */
	__u32 place_package_mw; /* here, in an idle package */
	__u32 flags;
	__u64 pad2[4];
	__u64 spare[8];
};
POWER_FEED_ASSERT(sizeof(struct power_feed_cpu_half) == 128);

struct power_feed_cpu {
	struct power_feed_cpu_half half[2];
};
POWER_FEED_ASSERT(sizeof(struct power_feed_cpu) == 256);

/* ---- cgroup ---- */

struct power_feed_cgroup_half {
	__u64 cgroup_id;      /* inode of the v2 directory, = task->cgroups->dfl_cgrp->kn->id */
	__u64 budget_cgroup_id; /* the cgroup at or above this one whose budget binds; 0 = none */
	__u32 power_mw;	      /* mean of the window; its own tasks and those of all cgroups below */
	__u32 budget_mw;      /* 0 = none */
	__u32 over_permille;  /* power / budget x 1000 over the burst window; 0 = no budget */
	__u32 burst_ms;	      /* energy of this long at the budget may be used ahead */
	__u32 flags;	      /* enum power_feed_cgroup_flag */
	__u16 class_id;	      /* enum power_feed_class */
	__u16 frequency_sensitivity_permille; /* POWER_FEED_UNKNOWN16 = unknown */
	__u32 dram_mw;
	__u32 energy_per_instruction_pj; /* 0 = unknown */
	__u32 queue_wait_us;  /* run-queue wait per second of wall time, all its tasks */
	__u16 spin_permille;  /* part of its power that spins; POWER_FEED_UNKNOWN16 = unknown */
	__u16 budget_index;   /* of budget_cgroup_id's entry; POWER_FEED_UNKNOWN16 = none */
	__u32 headroom_budget_mw; /* for a batch cgroup with a limited package; 0 = none */
	__u32 pad;
	__u64 spare[8];
};
POWER_FEED_ASSERT(sizeof(struct power_feed_cgroup_half) == 128);

struct power_feed_cgroup {
	struct power_feed_cgroup_half half[2];
};
POWER_FEED_ASSERT(sizeof(struct power_feed_cgroup) == 256);

/* ---- task: predicted in the kernel, fresh to the last switch or flush of the task ---- */

struct power_feed_task {
	__u32 sequence;	      /* odd while being written */
	__u32 flags;	      /* enum power_feed_task_flag */
	__u64 updated_ns;     /* end of the last slice booked; 0 = never */
	__u64 energy_nj;      /* rises: package energy of all slices booked */
	__u64 dram_energy_nj; /* rises */
	__u64 run_ns;	      /* rises: time on a CPU of all slices booked */
	__u64 folded_ns;      /* the averages hold for this moment */
	__u32 run_power_uw;   /* power while running, over the last 100 ms of running */
	__u32 power_fast_uw;  /* wall-clock mean, time constant 100 ms, at folded_ns */
	__u32 power_slow_uw;  /* wall-clock mean, time constant 1 s, at folded_ns */
	__u32 dram_power_uw;  /* wall-clock mean, time constant 100 ms, at folded_ns */
	__u64 pending_nj;     /* energy booked since folded_ns: less than 1 ms of running */
	__u64 pending_dram_nj;
	__u64 pending_ns;     /* running booked since folded_ns */
	__u64 pending_instructions;
	__u64 pending_wait_ns; /* run-queue wait booked since folded_ns */
	__u32 energy_per_instruction_pj; /* 0 = unknown */
	__u32 queue_wait_ns;  /* run-queue wait before a slice, mean of the last about 8 */
	__u16 frequency_sensitivity_permille; /* POWER_FEED_UNKNOWN16 = unknown */
	__u16 smt_penalty_permille; /* speed lost beside a busy sibling; POWER_FEED_UNKNOWN16 = unknown */
	__u16 spin_permille;  /* POWER_FEED_UNKNOWN16 = not judged */
	__u16 class_id;	      /* enum power_feed_class */
	__u32 ipc_alone_milli; /* writer's: instructions per 1000 cycles without and with a busy sibling */
	__u32 ipc_shared_milli;
	__u64 pending_llc_misses;
	__u64 pending_cycles;
	__u64 pending_overlap_ns;
	__u64 writer_spare[5]; /* for the writer's own sums */
	__u64 spare[8];
};
POWER_FEED_ASSERT(sizeof(struct power_feed_task) == 256);

#endif /* WATTFEED_POWER_FEED_H */
