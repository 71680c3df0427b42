/* SPDX-License-Identifier: GPL-2.0 */
/*
 * simhw: a server whose true joules per process are known.
 *
 * The module watches which task runs where (sched_switch), gives each task the physics of its workload class
 * and keeps books in integers: every nanojoule is added to one owner and, in the same step, to the zone that
 * the counters show. So the owners always sum to the zones, exactly. It shares no code with the product.
 *
 * Units are in the names. Rates are per CPU and constant between two events, so integration is exact:
 *   power_uw * ns = 10^-15 J, carried until it makes whole nanojoules;
 *   rate_khz * ns = 10^-6 events, carried likewise.
 *
 * Locking: books.lock (raw, interrupts off) guards everything below. It is taken under the runqueue lock, so
 * nothing may be allocated, woken or printed while it is held.
 */
#ifndef SIMHW_HW_H
#define SIMHW_HW_H

#include <linux/limits.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#define SIM_MAX_CPUS 16
#define SIM_MAX_PACKAGES 4 /* a package is a memory node too: the shapes have one each */
#define SIM_MAX_CLASSES 32
#define SIM_NAME_LEN 16    /* TASK_COMM_LEN */
#define SIM_NONE 0         /* record 0 is never handed out */
#define SIM_HOME_AUTO 0xff

/* What a workload class does to the machine; see docs/simulated-machine.md for the origin of the values. */
struct sim_class {
	char name[SIM_NAME_LEN];   /* tasks whose name starts with it belong to it; longest match wins */
	u32 ipc_milli;             /* alone on its core at SIM_REF_KHZ */
	u32 kappa_milli;           /* energy per instruction, 1000 = plain integer code */
	u32 lines_per_minstr;      /* 64-byte lines to and from memory per million instructions */
	u32 visible_milli;         /* part of the lines read that the LLC-miss counter sees */
	u32 writeback_milli;       /* part of the lines that are writes */
	u32 row_miss_milli;        /* part of the lines that open a DRAM row */
	u32 pressure_milli;        /* how much it slows its SMT sibling */
	u32 sensitivity_milli;     /* how much it is slowed */
	u32 memory_bound_milli;    /* 1000: IPC falls as 1/f; 0: IPC does not depend on f */
	u32 vector256_milli;       /* packed 256-bit operations per thousand instructions */
	u32 vector512_milli;
	u32 branches_milli;        /* branches per thousand instructions */
	u32 branch_misses_ppm;     /* mispredicted per million instructions */
	u32 cache_refs_per_minstr; /* LLC references per million instructions */
	u32 cap_khz;               /* licence limit of vector code; 0 = none */
};

enum sim_counter {
	SIM_CYCLES,
	SIM_INSTRUCTIONS,
	SIM_CACHE_REFS,
	SIM_CACHE_MISSES,
	SIM_BRANCHES,
	SIM_BRANCH_MISSES,
	SIM_VECTOR256,
	SIM_VECTOR512,
	SIM_REF_CYCLES,
	SIM_LINES, /* true traffic: in the truth, not in the PMU */
	SIM_COUNTERS,
};

/* Energy that has an owner, per package (dram: per memory node). */
enum sim_part {
	SIM_OWN,  /* the thread's instructions */
	SIM_CORE, /* Shapley share of clock and leakage of its core: equal among the busy siblings */
	SIM_ON,   /* Shapley share of package-on power: equal among the busy CPUs of the package */
	SIM_MEM,  /* memory controller and mesh, on the home package of the memory */
	SIM_DRAM, /* lines in DRAM, on the home node of the memory; a zone of its own */
	SIM_PARTS,
};

/* Energy that belongs to no task. */
enum sim_bucket {
	SIM_IDLE_FLOOR,      /* package: floor */
	SIM_IDLE_CORE,       /* package, core zone: cores with no busy thread */
	SIM_IGPU,            /* package, uncore zone */
	SIM_DRAM_BACKGROUND, /* dram */
	SIM_BUCKETS,
};

/* A process: (tgid, start of its leader). Kept after its end until the record is needed again. */
struct sim_process {
	u64 start_ns; /* CLOCK_BOOTTIME */
	s32 tgid;
	u32 hash_next;
	u32 fifo_prev, fifo_next; /* list of the ended, oldest first */
	u32 live_threads;
	u32 delta_milli;          /* hidden effect of the data that it works on */
	u8 home;                  /* memory node; SIM_HOME_AUTO until it first runs */
	s8 forced_class;          /* -1 = by name */
	bool is_used, is_ended;
	char comm[SIM_NAME_LEN];
	u64 energy_nj[SIM_PARTS][SIM_MAX_PACKAGES];
	u64 run_ns;     /* CLOCK_MONOTONIC between switch-in and switch-out */
	u64 exec_ns;    /* rise of se.sum_exec_runtime, read at switch-out */
	u64 overlap_ns; /* part of run_ns with a busy SMT sibling */
	u64 counter[SIM_COUNTERS];
};

/* A thread, found by its task_struct while that lives. */
struct sim_thread {
	struct task_struct *task;
	u64 start_ns;
	s32 tid;
	u32 process;
	u32 hash_next;
	u32 fifo_prev, fifo_next;
	s32 cpu; /* running on; -1 = not running */
	u8 class;
	bool is_used, is_ended;
	char comm[SIM_NAME_LEN];
	u64 exec_seen_ns; /* se.sum_exec_runtime already booked */
	u64 run_ns, exec_ns, overlap_ns;
};

struct sim_cpu {
	int sibling; /* -1 = none */
	u8 package;
	bool is_present;
	u32 thread; /* record that runs here; SIM_NONE = idle */
	u32 khz;
	/* rates since the last event; all 0 while idle */
	u64 part_uw[SIM_PARTS];
	u64 part_carry[SIM_PARTS];
	u8 home;
	u64 counter_khz[SIM_COUNTERS];
	u64 counter_carry[SIM_COUNTERS];
	u64 counter[SIM_COUNTERS];
};

struct sim_package {
	bool is_present;
	int first_cpu;
	u32 set_khz[SIM_MAX_CPUS]; /* by the first CPU of each core: what cpufreq or debugfs asked for */
	u32 limit_khz;             /* what the power limit leaves */
	u64 igpu_uw;
	u64 bucket_uw[SIM_BUCKETS];
	u64 bucket_carry[SIM_BUCKETS];
	u64 bucket_nj[SIM_BUCKETS];
	/* the counters, in the sense of the hardware: sums of all that was added above and to processes */
	u64 package_nj, core_nj, uncore_nj, dram_nj;
};

struct sim_books {
	raw_spinlock_t lock;
	u64 last_ns;  /* CLOCK_MONOTONIC up to which everything is booked */
	u64 begin_ns; /* when the books began */
	int cpus, packages;
	struct sim_cpu cpu[SIM_MAX_CPUS];
	struct sim_package package[SIM_MAX_PACKAGES];
	u64 rest_carry, rest_nj;   /* platform outside packages and DRAM, in psys only */
	u64 meter_carry, meter_rest_nj; /* what the wall meter sees beside them */
	/* energy of ended processes whose records were needed again */
	u64 folded_nj[SIM_PARTS][SIM_MAX_PACKAGES];
	u64 folded_run_ns, folded_exec_ns, folded_overlap_ns;
	u64 folded_processes;
	/* tasks for which no record could be had */
	u64 lost_nj[SIM_PARTS][SIM_MAX_PACKAGES];
	u64 lost_switches;
	u64 switches;
};

extern struct sim_books books;
extern struct sim_class sim_classes[SIM_MAX_CLASSES];
extern int sim_class_count;

/* constants of the physics, all module parameters */
#define SIM_REF_KHZ 3200000
#define SIM_MIN_KHZ 800000
#define SIM_MAX_KHZ 3500000
#define SIM_TSC_KHZ 2400000
extern uint sim_floor_mw, sim_on_mw, sim_idle_core_mw, sim_dram_background_mw, sim_rest_mw, sim_meter_rest_mw,
	sim_data_sigma_milli, sim_seed;

/* simhw_classes.c */
int sim_class_by_name(const char *comm);
int sim_class_define(const char *name, char *settings);

/* simhw_physics.c: rates of every CPU and package from who runs where. books.lock held. */
void sim_physics_update(void);
u32 sim_delta_milli(s32 tgid, u64 start_ns);

/* simhw_records.c: processes and threads. books.lock held, but for init and exit. */
extern struct sim_process *sim_processes;
extern struct sim_thread *sim_threads;
extern uint sim_max_processes, sim_max_threads;
extern u32 sim_processes_used, sim_threads_used;
int sim_records_init(void);
void sim_records_exit(void);
u32 sim_thread_of(struct task_struct *task, bool create);
void sim_thread_ended(u32 thread);
u32 sim_process_by_tgid(s32 tgid);

/* simhw_books.c */
int sim_books_init(void);
void sim_books_exit(void);
void sim_books_advance(void); /* books.lock held: brings everything up to now */
u64 sim_cpu_counter(int cpu, enum sim_counter counter);
int sim_probes_register(void);
void sim_probes_unregister(void);

/* simhw_zones.c: what the counters show, with the faults on them */
enum sim_zone_kind { SIM_ZONE_PACKAGE, SIM_ZONE_CORE, SIM_ZONE_UNCORE, SIM_ZONE_DRAM, SIM_ZONE_PSYS, SIM_ZONE_MMIO };
enum sim_fault { SIM_FAULT_NONE, SIM_FAULT_FREEZE, SIM_FAULT_GARBAGE, SIM_FAULT_ERROR };
struct sim_zone {
	char name[24];
	enum sim_zone_kind kind;
	int package;
	u64 range_uj;  /* largest value; then 0 */
	u64 offset_uj; /* added before the range is applied */
	u64 jump_nj;   /* added to what perf shows: a fault, not energy */
	enum sim_fault fault;
	u64 fault_value;
	u64 frozen_nj;
};
#define SIM_MAX_ZONES (4 * SIM_MAX_PACKAGES + 1 + SIM_MAX_PACKAGES)
extern struct sim_zone sim_zones[SIM_MAX_ZONES];
extern int sim_zone_count;
extern ulong sim_range_uj;
void sim_zones_init(void);
struct sim_zone *sim_zone_find(const char *name);
struct sim_zone *sim_zone_get(enum sim_zone_kind kind, int package);
u64 sim_zone_total_nj(const struct sim_zone *zone);       /* books.lock held; no fault in it */
u64 sim_zone_counter_uj(const struct sim_zone *zone);     /* books.lock held; wrapped, no other fault in it */
int sim_zone_shown_uj(struct sim_zone *zone, u64 *value); /* takes the lock; as powercap shows it */
u64 sim_zone_perf_nj(struct sim_zone *zone);              /* takes the lock; as the power PMU shows it */
int sim_zone_fault(struct sim_zone *zone, const char *kind, u64 value);
void sim_zones_reset_all(void);

/* the parts that can be switched while loaded; 0 or -errno */
struct sim_device {
	const char *name;
	int (*on)(void);
	void (*off)(void);
	bool is_on;
};
extern struct sim_device sim_powercap, sim_pmu, sim_power_pmu, sim_cpufreq, sim_hwmon;
struct sim_device *sim_device_find(const char *name);
int sim_device_switch(struct sim_device *device, bool on);

/* power limit, used by powercap and by the tick */
extern u64 sim_limit_uw[SIM_MAX_PACKAGES][2];
extern u64 sim_limit_window_us[SIM_MAX_PACKAGES][2];
extern bool sim_limit_enabled[SIM_MAX_PACKAGES];
void sim_limit_tick(u64 dt_ns); /* books.lock held */
void sim_hwmon_tick(void);      /* books.lock held */
u64 sim_meter_nj(void);         /* books.lock held */

void sim_set_khz(int cpu, u32 khz); /* takes the lock */
u32 sim_get_khz(int cpu);

/* simhw_suspend.c; may sleep */
int sim_suspend(u64 millis, bool reset_counters);

/* simhw_reads.c */
struct dentry;
void sim_read_note(const struct sim_zone *zone, bool is_perf, s64 value, bool has_failed);
int sim_reads_init(struct dentry *dir);
void sim_reads_exit(void);

/* simhw_truth.c, simhw_control.c */
void sim_truth_init(struct dentry *dir);
void sim_control_init(struct dentry *dir);

#endif
