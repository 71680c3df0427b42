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
	__u64 rise[COUNTER_KINDS];
	bool is_trusted; /* every counter of this CPU was read at both ends and ran in between */
	bool is_multiplexed;
};

static __always_inline bool is_counted_anywhere(enum counter_kind kind)
{
	return counter_kinds & (1U << kind);
}

/*
 * Moves one counter's base. A rise is not to be trusted if the event did not run for all of the
 * time it was enabled, ran not at all (it is dead: its CPU was offline), or went backwards (it was
 * replaced). The kernel leaves the value zeroed on a failure, which is why the result is looked at.
 */
static __always_inline void take_count(struct cpu_record *cpu, void *events, enum counter_kind kind,
				       struct counts *counts)
{
	struct counter_reading *base = &cpu->counter_base[kind];
	struct bpf_perf_event_value now = {};
	__u64 running_ns;

	if (!(cpu->counter_kinds & (1U << kind)))
		return;
	if (bpf_perf_event_read_value(events, BPF_F_CURRENT_CPU, &now, sizeof(now))) {
		cpu->counter_failures++;
		cpu->counters_known = 0;
		counts->is_trusted = false;
		return;
	}
	running_ns = now.running - base->running_ns;
	counts->rise[kind] = now.counter - base->value;
	if (now.enabled - base->enabled_ns != running_ns)
		counts->is_multiplexed = true;
	if (now.counter < base->value || !running_ns)
		counts->is_trusted = false;
	base->value = now.counter;
	base->enabled_ns = now.enabled;
	base->running_ns = now.running;
}

/* The rises since the last call on this CPU. Always moves the bases, also behind an idle CPU. */
static __always_inline void take_counts(struct cpu_record *cpu, struct counts *counts)
{
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
	/* a CPU that runs a task has cycles: a counter that says otherwise does not count */
	if (counts->is_multiplexed || !counts->rise[COUNTER_CYCLES])
		counts->is_trusted = false;
}

#endif /* WATTFEED_COUNTERS_BPF_H */
