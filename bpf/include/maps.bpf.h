/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * Maps, load-time configuration and their accessors. No policy.
 *
 * One file of the linked object, maps.bpf.c, defines what the others declare.
 */
#ifndef WATTFEED_MAPS_BPF_H
#define WATTFEED_MAPS_BPF_H

#include "compat.bpf.h"
#include "power_feed_maps.bpf.h"
#include "power_feed_read.h"
#include "records.h"
#include "slice_math.h"

#ifdef WATTFEED_MAPS_OWNER
#define SHARED
#else
#define SHARED extern
#endif

#define SLOT_NONE 0 /* entry 0 of `slots` is never handed out */
#define SLOTS_PER_WORD 64
#define OVERFLOW_CGROUPS_MAX 4096 /* far above the cgroups that one full table can be spread over */

#define READ_ONCE(x) (*(volatile typeof(x) *)&(x))
#define WRITE_ONCE(x, value) (*(volatile typeof(x) *)&(x) = (value))

/*
 * Slot number -> slot_record. Taken and marked dead here, returned by user space. Full: the task is
 * charged to the overflow sums. User space sets max_entries (a power of two) before load, here and
 * below.
 */
SHARED struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, RECORDS_SLOTS_DEFAULT);
	__type(key, __u32);
	__type(value, struct slot_record);
} slots SEC(".maps");

/*
 * Slot number / 64 -> bits of the slots written since user space last cleared the word. A set bit
 * may be seen a moment before the writes it stands for (see mark_touched()).
 */
SHARED struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, RECORDS_SLOTS_DEFAULT / SLOTS_PER_WORD);
	__type(key, __u32);
	__type(value, __u64);
} touched SEC(".maps");

/* Position & slot_mask -> number of a free slot. Pushed by user space, taken here. */
SHARED struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, RECORDS_SLOTS_DEFAULT);
	__type(key, __u32);
	__type(value, __u64);
} free_ring SEC(".maps");

/* CPU number -> cpu_record. Written on that CPU only. */
SHARED struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, RECORDS_CPUS_MAX);
	__type(key, __u32);
	__type(value, struct cpu_record);
} cpus SEC(".maps");

/*
 * Task -> its slots. Created at fork and by the seed pass, never in sched_switch: allocating under
 * the runqueue lock can deadlock before Linux 6.4. Removed by the kernel with the task.
 */
SHARED struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct task_state);
} task_states SEC(".maps");

/*
 * (cgroup, CPU domain) -> rising task time that found no slot, ns. Added to here, never removed.
 * Full: counted as ACCT_STAT_OVERFLOW_CGROUP_FULL; the per-CPU sum still has it.
 */
SHARED struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, OVERFLOW_CGROUPS_MAX);
	__type(key, struct overflow_key);
	__type(value, __u64);
} overflow SEC(".maps");

/*
 * CPU -> perf event, one map per enum counter_kind. Filled by user space before the attach and when
 * a CPU comes online; the kernel takes an event out when its last descriptor is closed. User space
 * sets max_entries to the number of CPUs.
 */
struct counter_map {
	__uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
};
SHARED struct counter_map cycles_events SEC(".maps");
SHARED struct counter_map instructions_events SEC(".maps");
SHARED struct counter_map llc_misses_events SEC(".maps");
SHARED struct counter_map vector_ops_events SEC(".maps");
SHARED struct counter_map vector512_ops_events SEC(".maps");

/*
 * Task -> its entry of the power feed: the feed's pinned `task` map, put here by user space. Made where
 * task_states is, written where a slice is booked (feed.bpf.h). Without a feed it does not exist.
 */
SHARED struct power_feed_task_map feed_tasks SEC(".maps");

/*
 * Configuration: set between open and load, constant for the verifier, which drops what is switched
 * off. slot_mask is slots - 1; without has_smt nothing is done for the overlap; a sibling of -1 is
 * none; cgroup_subsys_id is the v1 controller whose hierarchy names workloads, -1 the unified one;
 * without has_irq_time the kernel charges interrupts to the task they interrupt. counter_kinds has a
 * bit by enum counter_kind for what is counted on any CPU; without has_model no slice is weighed;
 * package_on is an enum package_on_method.
 */
SHARED const volatile __u32 slot_mask;
SHARED const volatile __u32 cpu_domain_count;
SHARED const volatile __u8 cpu_domain_of[RECORDS_CPUS_MAX];
SHARED const volatile __s16 smt_sibling_of[RECORDS_CPUS_MAX];
SHARED const volatile bool has_smt;
SHARED const volatile bool has_irq_time;
SHARED const volatile __s32 cgroup_subsys_id;
SHARED const volatile bool has_feed;
SHARED const volatile __u32 feed_dram_line_nj; /* memory energy of one last-level miss */
SHARED const volatile __u8 package_of[RECORDS_CPUS_MAX];
SHARED const volatile __u32 counter_kinds;
SHARED const volatile bool has_model;
SHARED const volatile __u32 package_on;
SHARED const volatile __u32 smt_loss_q16;

SHARED struct ring_ends ring_ends;
SHARED struct tag_request tag_request;
SHARED struct domain_model domain_models[RECORDS_CPU_DOMAINS_MAX];
SHARED struct package_state packages[RECORDS_PACKAGES_MAX];

static __always_inline struct slot_record *slot_at(__u32 slot)
{
	return bpf_map_lookup_elem(&slots, &slot);
}

static __always_inline struct cpu_record *cpu_at(__u32 cpu)
{
	return bpf_map_lookup_elem(&cpus, &cpu);
}

static __always_inline struct cpu_record *this_cpu_record(void)
{
	return cpu_at(bpf_get_smp_processor_id());
}

/* Plain +=: the record belongs to the CPU that runs this, and preemption is off. */
static __always_inline void stat_inc(struct cpu_record *cpu, enum acct_stat stat)
{
	cpu->stat[stat]++;
}

/* For programs in task context, where an interrupt may count on the same CPU in between. */
static __always_inline void stat_inc_atomic(enum acct_stat stat)
{
	struct cpu_record *cpu = this_cpu_record();

	if (cpu)
		__sync_fetch_and_add(&cpu->stat[stat], 1);
}

static __always_inline __u32 domain_of(__u32 cpu)
{
	if (cpu_domain_count <= 1)
		return 0;
	return cpu_domain_of[cpu & (RECORDS_CPUS_MAX - 1)] & (RECORDS_CPU_DOMAINS_MAX - 1);
}

/*
 * Says that a slot was written. Tested first because the atomic is the dearer part. The test may be
 * served before the slot's writes are visible: then user space, which clears the word and reads the
 * slot in that very moment, gets this difference in a later window; it is never lost, because
 * counters rise.
 */
static __always_inline void mark_touched(__u32 slot)
{
	__u32 word = slot / SLOTS_PER_WORD;
	__u64 bit = 1ULL << (slot % SLOTS_PER_WORD);
	__u64 *bits = bpf_map_lookup_elem(&touched, &word);

	if (bits && !(READ_ONCE(*bits) & bit))
		__sync_fetch_and_or(bits, bit);
}

#endif /* WATTFEED_MAPS_BPF_H */
