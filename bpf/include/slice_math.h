/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * The energy model of one slice in integers: what the kernel programs compute at each switch. Pure
 * functions of numbers, compiled into the programs and into native tests, where they are held
 * against exact arithmetic.
 *
 * Units: ns, events, nJ. Factors are fixed point: Q16 (65536 = 1) or Q20 (1048576 = 1). Nothing
 * here overflows for a slice below one hour at 8 GHz; see docs/design/0003-counters-in-the-kernel.md.
 * Included after the fixed-width types (vmlinux.h or linux/types.h).
 */
#ifndef WATTFEED_SLICE_MATH_H
#define WATTFEED_SLICE_MATH_H

#include "records.h"

#define Q16_SHIFT 16
#define Q16_ONE (1U << Q16_SHIFT)
#define Q20_SHIFT 20
#define Q20_ONE (1U << Q20_SHIFT)

/* Share of a cycle that is the sibling's while both run: 1 - 0.52, and 1 - 0.55 where instructions
 * are not counted and so carry nothing of the difference. */
#define SMT_LOSS_Q16 31457U
#define SMT_LOSS_CYCLES_ONLY_Q16 29491U
/* 0.45 of the overlap, for slices without counters. */
#define SMT_LOSS_UNCOUNTED_Q16 29491U

#ifdef __cplusplus
#define SLICE_MATH static inline
#else
#define SLICE_MATH static __attribute__((always_inline)) inline
#endif

/*
 * floor(value * factor / 2^shift) without the product's overflow: exact while factor < 2^(64 - shift)
 * and the result fits. Two multiplications instead of a division.
 */
SLICE_MATH __u64 mul_fixed(__u64 value, __u64 factor, __u32 shift)
{
	__u64 low = value & ((1ULL << shift) - 1);

	return (value >> shift) * factor + (low * factor >> shift);
}

SLICE_MATH __u64 mul_q16(__u64 value, __u64 factor_q16)
{
	return mul_fixed(value, factor_q16, Q16_SHIFT);
}

SLICE_MATH __u64 mul_q20(__u64 value, __u64 factor_q20)
{
	return mul_fixed(value, factor_q20, Q20_SHIFT);
}

/* The last entry for what is beyond the table. */
SLICE_MATH __u32 clamp_step(__u64 step)
{
	__u64 clamped = step < RECORDS_FACTOR_STEPS ? step : RECORDS_FACTOR_STEPS - 1;

#ifdef __bpf__
	/* or clang drops the mask, and the verifier does not see that it is not needed */
	asm volatile("" : "+r"(clamped));
#endif
	return clamped & (RECORDS_FACTOR_STEPS - 1);
}

/* Entry of the factor table for cycles / slice_ns GHz. A slice of 0 ns has no frequency: the first. */
SLICE_MATH __u32 factor_step(__u64 cycles, __u64 slice_ns)
{
	/* steps of 16 MHz: GHz * 1000 / 16 = GHz * 125 / 2 */
	return clamp_step(slice_ns ? cycles * 125 / (slice_ns << 1) : 0);
}

/* cycles / ns is GHz; counts of a part of a slice are good to 32 bits of it. */
SLICE_MATH __u32 khz_of(__u64 cycles, __u64 slice_ns)
{
	__u64 khz = cycles < 1ULL << 44 && slice_ns ? cycles * 1000000 / slice_ns : 0;

	return khz < 1ULL << 32 ? khz : 0;
}

SLICE_MATH __u32 factor_step_khz(__u32 frequency_khz)
{
	return clamp_step(frequency_khz / (RECORDS_FACTOR_STEP_MHZ * 1000));
}

/*
 * Cycles less the part that belongs to the sibling: C (1 - loss co/dt). overlap_ns <= slice_ns.
 * First the ratio, then the product: C * co passes 2^64 after 1.9 s at 5 GHz.
 */
SLICE_MATH __u64 own_cycles(__u64 cycles, __u64 overlap_ns, __u64 slice_ns, __u32 loss_q16)
{
	__u64 ratio_q16;

	if (!overlap_ns || !slice_ns)
		return cycles;
	ratio_q16 = (overlap_ns << Q16_SHIFT) / slice_ns;
	return cycles - mul_q16(cycles, ratio_q16 * loss_q16 >> Q16_SHIFT);
}

/*
 * An event that shares its counter with others runs for a part of the time: running / enabled, Q16.
 * Both since the same moment; a slice is shorter than the 78 hours that fit.
 */
SLICE_MATH __u32 running_share(__u64 running_ns, __u64 enabled_ns)
{
	return running_ns < enabled_ns ? (running_ns << Q16_SHIFT) / enabled_ns : Q16_ONE;
}

/* What was counted in `own_share` of the slice, cut to a smaller share of it. */
SLICE_MATH __u64 cut_to_share(__u64 value, __u32 own_share_q16, __u32 share_q16)
{
	if (own_share_q16 <= share_q16)
		return value;
	return mul_q16(value, (share_q16 << Q16_SHIFT) / own_share_q16);
}

/* What the whole slice has by what a part of it had: value / share. */
SLICE_MATH __u64 of_whole(__u64 value, __u32 share_q16)
{
	return share_q16 < Q16_ONE ? (value << Q16_SHIFT) / share_q16 : value;
}

/* Time a core is held: all of what runs alone, half of what runs beside the sibling. */
SLICE_MATH __u64 core_ns(__u64 slice_ns, __u64 overlap_ns)
{
	return slice_ns - (overlap_ns >> 1);
}

/* phi(f) f in cycles per ns, Q16. Nothing known of the CPU's frequency: 1 GHz at phi = 1. */
SLICE_MATH __u32 uncounted_rate(const __u32 *factor_q16, __u32 frequency_khz)
{
	if (!frequency_khz)
		return Q16_ONE;
	return (__u64)factor_q16[factor_step_khz(frequency_khz)] * frequency_khz / 1000000;
}

/* phi(f) f (dt - 0.45 co) */
SLICE_MATH __u64 uncounted_cycles(__u64 slice_ns, __u64 overlap_ns, __u32 rate_q16)
{
	return mul_q16(slice_ns - mul_q16(overlap_ns, SMT_LOSS_UNCOUNTED_Q16), rate_q16);
}

/*
 * The time a package is on, dealt out among its busy CPUs: V = integral of dt / n. A package's word
 * holds n in its low bits and, above, what V(now) exceeds now / n by; both change by one
 * compare-and-swap, and V runs on by itself in between. V is modulo 2^54 ns (half a year): only
 * differences over a slice are used.
 */
#define PACKAGE_CPUS_BITS 10
#define PACKAGE_CPUS_MASK ((1ULL << PACKAGE_CPUS_BITS) - 1)
#define PACKAGE_ON_BITS (64 - PACKAGE_CPUS_BITS)
#define PACKAGE_ON_MASK ((1ULL << PACKAGE_ON_BITS) - 1)

SLICE_MATH __u64 clock_part(__u64 now_ns, __u32 busy_cpus)
{
	return busy_cpus ? mul_q16(now_ns, Q16_ONE / busy_cpus) : 0;
}

SLICE_MATH __u64 package_on_at(__u64 word, __u64 now_ns)
{
	__u64 part = clock_part(now_ns, word & PACKAGE_CPUS_MASK);

	return ((word >> PACKAGE_CPUS_BITS) + part) & PACKAGE_ON_MASK;
}

/* The word with that many CPUs busy from now on; V does not jump. */
SLICE_MATH __u64 package_word(__u64 word, __u64 now_ns, __u32 busy_cpus)
{
	__u64 offset = package_on_at(word, now_ns) - clock_part(now_ns, busy_cpus);

	return offset << PACKAGE_CPUS_BITS | busy_cpus;
}

/*
 * V of a slice. The clocks of two CPUs may differ by some ns, so a rise may be a little negative (a
 * huge number here) or more than the slice.
 */
SLICE_MATH __u64 package_on_ns(__u64 now_on_ns, __u64 base_on_ns, __u64 slice_ns)
{
	__u64 rise_ns = (now_on_ns - base_on_ns) & PACKAGE_ON_MASK;

	if (rise_ns >> (PACKAGE_ON_BITS - 1))
		return 0;
	return rise_ns < slice_ns ? rise_ns : slice_ns;
}

/* What a slice weighs, see slot_record. */
struct slice_weights {
	__u64 phi_cycles; /* counted, or uncounted with is_counted = 0 */
	__u64 phi_instructions;
	__u64 phi_vector;
	__u64 llc_misses;
	__u64 core_ns;
	__u64 package_on_ns;
	__u64 is_counted;
};

/* Energy of the core, nJ: a phiC + b phiI + v phiX + l t; uncounted (a + 1.2 b) phiC + l t. */
SLICE_MATH __u64 core_energy(const struct domain_model *model, const struct slice_weights *weights)
{
	__u64 energy_nj = mul_q20(weights->core_ns, model->core_q20);

	if (!weights->is_counted)
		return energy_nj + mul_q20(weights->phi_cycles, model->uncounted_cycle_q20);
	return energy_nj + mul_q20(weights->phi_cycles, model->cycle_q20) +
	       mul_q20(weights->phi_instructions, model->instruction_q20) +
	       mul_q20(weights->phi_vector, model->vector_q20);
}

/* The rest of the package's: u L + P_on V_on, nJ. */
SLICE_MATH __u64 shared_energy(const struct domain_model *model, const struct slice_weights *weights)
{
	return mul_q20(weights->llc_misses, model->llc_miss_q20) +
	       mul_q20(weights->package_on_ns, model->package_on_q20);
}

#endif /* WATTFEED_SLICE_MATH_H */
