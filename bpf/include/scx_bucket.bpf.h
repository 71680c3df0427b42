/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * A budget of watts as a leaky bucket that is kept as one time, as cell-rate algorithms do: energy moves `due` on by
 * energy / budget; while due lies more than the burst window ahead of now, the budget is used up.
 */
#ifndef WATTFEED_SCX_BUCKET_BPF_H
#define WATTFEED_SCX_BUCKET_BPF_H

#include "scx_energy.bpf.h"

#define DEBT_NS 1000000000ULL /* a bucket is never further over than this: bounds forgiveness */
#define CAS_ATTEMPTS 8

/* Budget owner -> its bucket. Made when first charged; full: that budget is not enforced, which is counted. */
struct budget_bucket {
	u64 due_ns;
	u64 charged_nj; /* rises; for people */
};
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, POWER_FEED_CGROUPS_MAX);
	__type(key, u64);
	__type(value, struct budget_bucket);
} buckets SEC(".maps");

u64 buckets_full;

/* One budget that binds a task. */
struct cap {
	u64 id;
	u64 burst_ns;
	u32 budget_mw;
	bool is_soft;
};

/* How long until the bucket is down to its burst window; 0 = not over. */
static __always_inline u64 wait_of(const struct cap *cap, u64 now_ns)
{
	u64 id = cap->id;
	struct budget_bucket *bucket = bpf_map_lookup_elem(&buckets, &id);
	u64 due_ns;

	if (!bucket)
		return 0;
	due_ns = POWER_FEED_READ(bucket->due_ns);
	return due_ns > now_ns + cap->burst_ns ? due_ns - now_ns - cap->burst_ns : 0;
}

static __always_inline struct budget_bucket *bucket_of(u64 id)
{
	struct budget_bucket fresh = {}, *bucket = bpf_map_lookup_elem(&buckets, &id);

	if (bucket)
		return bucket;
	bpf_map_update_elem(&buckets, &id, &fresh, BPF_NOEXIST);
	bucket = bpf_map_lookup_elem(&buckets, &id);
	if (!bucket)
		buckets_full++;
	return bucket;
}

/* A settling may be negative. Several CPUs charge one bucket at once: compare and swap. */
static __noinline int charge(const struct cap *cap, u64 energy_nj, bool is_refund, u64 now_ns)
{
	struct budget_bucket *bucket;
	u64 step_ns;

	if (!cap)
		return 0;
	bucket = bucket_of(cap->id);
	if (!bucket)
		return 0;
	step_ns = time_of_energy(energy_nj, cap->budget_mw);
	if (step_ns > DEBT_NS)
		step_ns = DEBT_NS;
	stats.capped_charges++;
	for (int attempt = 0; attempt < CAS_ATTEMPTS; attempt++) {
		u64 old = POWER_FEED_READ(bucket->due_ns);
		u64 due = old > now_ns ? old : now_ns;

		if (is_refund)
			due = due > now_ns + step_ns ? due - step_ns : now_ns;
		else
			due += step_ns;
		if (due > now_ns + cap->burst_ns + DEBT_NS)
			due = now_ns + cap->burst_ns + DEBT_NS;
		if (__sync_val_compare_and_swap(&bucket->due_ns, old, due) == old)
			break;
	}
	if (is_refund)
		__sync_fetch_and_sub(&bucket->charged_nj, energy_nj);
	else
		__sync_fetch_and_add(&bucket->charged_nj, energy_nj);
	return 0;
}

#endif /* WATTFEED_SCX_BUCKET_BPF_H */
