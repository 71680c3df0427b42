/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * What a slice weighs in the energy model, and the energy predicted from it: sums that user space
 * splits the measured energy by. The arithmetic is in slice_math.h.
 */
#ifndef WATTFEED_WEIGH_BPF_H
#define WATTFEED_WEIGH_BPF_H

#include "counters.bpf.h"

/* What one booking moves. */
struct slice {
	__u64 task_ns; /* without steal */
	__u64 slice_ns; /* steal included */
	__u64 overlap_ns; /* of slice_ns */
	__u64 package_on_ns;
	__u64 predicted_nj; /* out: filled by weigh() */
};

static __always_inline struct domain_model *model_of(__u32 cpu_number)
{
	return &domain_models[domain_of(cpu_number)];
}

static __always_inline void set_frequency(struct cpu_record *cpu, __u32 cpu_number,
					  __u32 frequency_khz)
{
	WRITE_ONCE(cpu->frequency_khz, frequency_khz);
	WRITE_ONCE(cpu->uncounted_rate_q16,
		   uncounted_rate(model_of(cpu_number)->factor_q16, frequency_khz));
}

/* The counters themselves, raw. A CPU's sums hold what no slot has as well. */
static __always_inline void add_counts(struct cpu_record *cpu, struct slot_record *slot,
				       const struct slice *slice, const struct counts *counts)
{
	cpu->counted_ns += slice->task_ns;
	cpu->cycles += counts->rise[COUNTER_CYCLES];
	if (is_counted_anywhere(COUNTER_INSTRUCTIONS))
		cpu->instructions += counts->rise[COUNTER_INSTRUCTIONS];
	if (!slot)
		return;
	for (int kind = 0; kind < COUNTER_KINDS; kind++)
		if (is_counted_anywhere(kind))
			slot->counter[kind] += counts->rise[kind];
}

static __always_inline void weigh_counted(struct slot_record *slot, const struct slice *slice,
					  const struct counts *counts,
					  const struct domain_model *model,
					  struct slice_weights *weights)
{
	__u64 cycles = counts->rise[COUNTER_CYCLES];
	__u32 factor_q16 = model->factor_q16[factor_step(cycles, slice->slice_ns)];

	weights->is_counted = 1;
	if (has_smt)
		cycles = own_cycles(cycles, slice->overlap_ns, slice->slice_ns, smt_loss_q16);
	weights->phi_cycles = mul_q16(cycles, factor_q16);
	if (is_counted_anywhere(COUNTER_INSTRUCTIONS))
		weights->phi_instructions = mul_q16(counts->rise[COUNTER_INSTRUCTIONS], factor_q16);
	if (is_counted_anywhere(COUNTER_VECTOR_OPS))
		weights->phi_vector = mul_q16(counts->rise[COUNTER_VECTOR_OPS], factor_q16);
	weights->llc_misses = counts->rise[COUNTER_LLC_MISSES];
	if (!slot)
		return;
	slot->phi_cycles += weights->phi_cycles;
	if (is_counted_anywhere(COUNTER_INSTRUCTIONS))
		slot->phi_instructions += weights->phi_instructions;
	if (is_counted_anywhere(COUNTER_VECTOR_OPS))
		slot->phi_vector += weights->phi_vector;
}

static __always_inline void weigh_uncounted(struct cpu_record *cpu, struct slot_record *slot,
					    const struct slice *slice,
					    struct slice_weights *weights)
{
	weights->phi_cycles = uncounted_cycles(slice->slice_ns, has_smt ? slice->overlap_ns : 0,
					       READ_ONCE(cpu->uncounted_rate_q16));
	if (!slot)
		return;
	slot->uncounted_phi_cycles += weights->phi_cycles;
	if (has_smt)
		slot->uncounted_overlap_ns += slice->overlap_ns;
}

/* `slot` may be none: the CPU's sums hold the slice all the same. */
static __always_inline void weigh(struct cpu_record *cpu, __u32 cpu_number,
				  struct slot_record *slot, struct slice *slice,
				  const struct counts *counts)
{
	const struct domain_model *model = model_of(cpu_number);
	struct slice_weights weights = {};
	__u64 core_nj;

	if (counts->is_trusted)
		weigh_counted(slot, slice, counts, model, &weights);
	else
		weigh_uncounted(cpu, slot, slice, &weights);
	weights.core_ns = core_ns(slice->slice_ns, has_smt ? slice->overlap_ns : 0);
	weights.package_on_ns = slice->package_on_ns;
	core_nj = core_energy(model, &weights);
	cpu->predicted_core_nj += core_nj;
	if (!slot && !has_feed)
		return;
	core_nj = mul_q16(core_nj, READ_ONCE(cpu->core_scale_q16));
	slice->predicted_nj = core_nj + shared_energy(model, &weights);
	if (!slot)
		return;
	slot->predicted_core_nj += core_nj;
	slot->predicted_nj += slice->predicted_nj;
	if (package_on)
		slot->package_on_ns += slice->package_on_ns;
}

#endif /* WATTFEED_WEIGH_BPF_H */
