/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * Hardware counters of the CPU that runs this, read once per switch or flush: the reading ends one
 * slice and begins the next, so no time is left out. Nothing is read where nothing is counted, and
 * without counters at all the verifier removes every line of this.
 */
#ifndef WATTFEED_COUNTERS_BPF_H
#define WATTFEED_COUNTERS_BPF_H

#include "maps.bpf.h"

/* Rises since the base in the CPU's record. */
struct counts {
	__u64 rise[COUNTER_KINDS]; /* in share_q16 of the time */
	__u32 own_share_q16[COUNTER_KINDS]; /* in which each event ran */
	__u32 share_q16; /* the least of them: of the rest of the time nothing is said */
	bool is_trusted; /* every counter of this CPU was read at both ends and ran in between */
};

/* Below, a rise is more of the kernel's own turning on and off than of the task. */
#define LEAST_SHARE_Q16 (Q16_ONE / 64)

static __always_inline bool is_counted_anywhere(enum counter_kind kind)
{
	return counter_kinds & (1U << kind);
}

/*
 * Moves one counter's base. A rise is not to be trusted if the event ran (nearly) not at all (it is
 * dead: its CPU was offline; or others had the counter), or went backwards (it was replaced). The
 * kernel leaves the value zeroed on a failure, which is why the result is looked at.
 */
static __always_inline void take_count(struct cpu_record *cpu, void *events, enum counter_kind kind,
				       struct counts *counts)
{
	struct counter_reading *base = &cpu->counter_base[kind];
	struct bpf_perf_event_value now = {};
	__u64 running_ns, enabled_ns;
	__u32 share_q16;

	if (!(cpu->counter_kinds & (1U << kind)))
		return;
	if (bpf_perf_event_read_value(events, BPF_F_CURRENT_CPU, &now, sizeof(now))) {
		cpu->counter_failures++;
		cpu->counters_known = 0;
		counts->is_trusted = false;
		return;
	}
	running_ns = now.running - base->running_ns;
	enabled_ns = now.enabled - base->enabled_ns;
	counts->rise[kind] = now.counter - base->value;
	share_q16 = running_share(running_ns, enabled_ns);
	counts->own_share_q16[kind] = share_q16;
	if (share_q16 < counts->share_q16)
		counts->share_q16 = share_q16;
	if (now.counter < base->value || !running_ns)
		counts->is_trusted = false;
	base->value = now.counter;
	base->enabled_ns = now.enabled;
	base->running_ns = now.running;
}

/*
 * Events take turns one by one, so their rises are of different parts of the slice. Cut to the least,
 * they are those of one part: the task as it was then, and the rest of its time is uncounted. Nothing
 * is multiplied up here: user space knows more of the task than one slice says.
 */
static __noinline int cut_counts(struct counts *counts)
{
	__u32 share_q16;

	if (!counts)
		return 0;
	share_q16 = counts->share_q16;
	if (share_q16 < LEAST_SHARE_Q16)
		counts->is_trusted = false;
	for (int kind = 0; kind < COUNTER_KINDS; kind++)
		counts->rise[kind] =
			cut_to_share(counts->rise[kind], counts->own_share_q16[kind], share_q16);
	return 0;
}

/* The rises since the last call on this CPU. Always moves the bases, also behind an idle CPU. */
static __always_inline void take_counts(struct cpu_record *cpu, struct counts *counts)
{
	counts->share_q16 = Q16_ONE;
	if (!counter_kinds)
		return;
	counts->is_trusted = cpu->counters_known;
	cpu->counters_known = 1;
	if (!cpu->counter_kinds) {
		counts->is_trusted = false;
		cpu->counters_known = 0;
		return;
	}
	if (is_counted_anywhere(COUNTER_CYCLES))
		take_count(cpu, &cycles_events, COUNTER_CYCLES, counts);
	if (is_counted_anywhere(COUNTER_INSTRUCTIONS))
		take_count(cpu, &instructions_events, COUNTER_INSTRUCTIONS, counts);
	if (is_counted_anywhere(COUNTER_LLC_MISSES))
		take_count(cpu, &llc_misses_events, COUNTER_LLC_MISSES, counts);
	if (is_counted_anywhere(COUNTER_VECTOR_OPS))
		take_count(cpu, &vector_ops_events, COUNTER_VECTOR_OPS, counts);
	if (is_counted_anywhere(COUNTER_VECTOR512_OPS))
		take_count(cpu, &vector512_ops_events, COUNTER_VECTOR512_OPS, counts);
	if (counts->share_q16 < Q16_ONE)
		cut_counts(counts);
	/* a CPU that runs a task has cycles: a counter that says otherwise does not count */
	if (!counts->rise[COUNTER_CYCLES])
		counts->is_trusted = false;
}

#endif /* WATTFEED_COUNTERS_BPF_H */
