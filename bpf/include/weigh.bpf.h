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
	__u64 counted_ns; /* of task_ns */
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
	cpu->counted_ns += slice->counted_ns;
	cpu->cycles += counts->rise[COUNTER_CYCLES];
	if (is_counted_anywhere(COUNTER_INSTRUCTIONS))
		cpu->instructions += counts->rise[COUNTER_INSTRUCTIONS];
	if (!slot)
		return;
	for (int kind = 0; kind < COUNTER_KINDS; kind++)
		if (is_counted_anywhere(kind))
			slot->counter[kind] += counts->rise[kind];
}

/*
 * The rest of a slice of which a part was counted: the same cycles per time, at the same clock. The
 * prediction takes all of it for as busy as the part.
 */
static __noinline int weigh_rest(struct slot_record *slot, const struct slice *slice,
				 __u32 share_q16, struct slice_weights *weights)
{
	__u64 phi_cycles;

	if (!slice || !weights)
		return 0;
	phi_cycles = of_whole(weights->phi_cycles, share_q16);
	if (slot) {
		slot->uncounted_phi_cycles += phi_cycles - weights->phi_cycles;
		if (has_smt)
			slot->uncounted_overlap_ns +=
				slice->overlap_ns - mul_q16(slice->overlap_ns, share_q16);
	}
	weights->phi_cycles = phi_cycles;
	weights->phi_instructions = of_whole(weights->phi_instructions, share_q16);
	weights->phi_vector = of_whole(weights->phi_vector, share_q16);
	weights->llc_misses = of_whole(weights->llc_misses, share_q16);
	return 0;
}

static __always_inline void weigh_counted(struct cpu_record *cpu, __u32 cpu_number,
					  struct slot_record *slot, const struct slice *slice,
					  const struct counts *counts,
					  const struct domain_model *model,
					  struct slice_weights *weights)
{
	__u64 cycles = counts->rise[COUNTER_CYCLES], vector = counts->rise[COUNTER_VECTOR_OPS];
	__u64 counting_ns = mul_q16(slice->slice_ns, counts->share_q16);
	__u32 factor_q16 = model->factor_q16[factor_step(cycles, counting_ns)];

	weights->is_counted = 1;
	if (has_smt)
		cycles = own_cycles(cycles, slice->overlap_ns, slice->slice_ns, smt_loss_q16);
	weights->phi_cycles = mul_q16(cycles, factor_q16);
	if (is_counted_anywhere(COUNTER_INSTRUCTIONS))
		weights->phi_instructions = mul_q16(counts->rise[COUNTER_INSTRUCTIONS], factor_q16);
	/* twice the bits, twice the work */
	if (is_counted_anywhere(COUNTER_VECTOR512_OPS))
		vector += counts->rise[COUNTER_VECTOR512_OPS];
	if (is_counted_anywhere(COUNTER_VECTOR_OPS))
		weights->phi_vector = mul_q16(vector, factor_q16);
	weights->llc_misses = counts->rise[COUNTER_LLC_MISSES];
	if (slot) {
		slot->phi_cycles += weights->phi_cycles;
		if (is_counted_anywhere(COUNTER_INSTRUCTIONS))
			slot->phi_instructions += weights->phi_instructions;
		if (is_counted_anywhere(COUNTER_VECTOR_OPS))
			slot->phi_vector += weights->phi_vector;
	}
	if (counts->share_q16 == Q16_ONE)
		return;
	/* what is uncounted here goes by a known clock then, like what user space adds to it */
	if (counting_ns)
		set_frequency(cpu, cpu_number, khz_of(cycles, counting_ns));
	weigh_rest(slot, slice, counts->share_q16, weights);
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
		weigh_counted(cpu, cpu_number, slot, slice, counts, model, &weights);
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
