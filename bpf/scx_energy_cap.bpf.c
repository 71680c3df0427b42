// SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
/*
 * energy-cap: a cgroup that is over its budget of watts yields until it is back under it. The rest is fair
 * time, in one queue in order of virtual time.
 *
 * Each budget is a leaky bucket kept as one time, as cell-rate algorithms do: energy moves `due` on by
 * energy / budget; while due lies more than the burst window ahead of now, the cgroup is over. Energy
 * comes from the feed's `task` entries, scaled by the agent's measured / predicted, so that the cap acts
 * within a slice and is right to the counter. What a task that is over does:
 *
 *   hard cap (measured joules, not work-conserving): waits in HELD until the bucket has drained, at most
 *     max_hold_ns; then one short slice. Its power is the budget's plus one short slice per max_hold.
 *   soft (work-conserving, or joules that were not measured): waits in YIELD, behind all others, until a
 *     CPU has nothing else to do, at most max_hold_ns.
 *
 * Without a feed that holds, nobody is over: fair time. What is held then leaves after max_hold_ns.
 */
#include "scx_energy.bpf.h"

char LICENSE[] SEC("license") = "GPL";

#define NORMAL 0
#define YIELD 1
#define HELD 2

#define CAPPED_SLICE_NS 2000000ULL
#define LEVELS_MAX 8 /* cgroups upwards that are searched for one the feed knows */
#define DEBT_NS 1000000000ULL /* a bucket is never further over than this: bounds forgiveness */
#define BATCH_ID (~0ULL) /* whose bucket all batch work shares under --headroom */
#define BATCH_BURST_NS 100000000ULL
#define PACKAGES 64
#define CPUS 1024
#define TIMER_BUSY_NS                                                                              \
	2000000ULL /* while somebody is held: how late a hold may end on an idle CPU */
#define TIMER_IDLE_NS 20000000ULL /* while nobody is */
#define CAS_ATTEMPTS 8

/* Set by the loader. */
const volatile u64 max_hold_ns = POWER_FEED_MAX_HOLD_NS;
const volatile u32 cpu_count = 1;
const volatile bool holds_headroom; /* --headroom */
const volatile u8 package_of_cpu[CPUS];

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, PACKAGES);
	__type(key, u32);
	__type(value, struct power_feed_package);
} pf_package SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, POWER_FEED_CGROUPS_MAX);
	__type(key, u32);
	__type(value, struct power_feed_cgroup);
} pf_cgroup SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, POWER_FEED_CGROUPS_MAX);
	__type(key, u64);
	__type(value, u32);
} pf_cgroup_index SEC(".maps");

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

struct timer_slot {
	struct bpf_timer timer;
};
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct timer_slot);
} timers SEC(".maps");

/* measured / predicted active energy by package, refreshed by the timer; 1000 = as predicted. */
u32 scale_permille[PACKAGES];
u64 buckets_full;

/* struct bpf_iter_scx_dsq of the kernel; opaque. */
struct bpf_iter_scx_dsq {
	u64 opaque[6];
} __attribute__((aligned(8)));
int bpf_iter_scx_dsq_new(struct bpf_iter_scx_dsq *it, u64 dsq_id, u64 flags) __ksym;
struct task_struct *bpf_iter_scx_dsq_next(struct bpf_iter_scx_dsq *it) __ksym;
void bpf_iter_scx_dsq_destroy(struct bpf_iter_scx_dsq *it) __ksym;

/* What binds a task, at most one budget of its cgroup and the headroom of all batch work. */
struct cap {
	u64 id;
	u64 burst_ns;
	u32 budget_mw;
	bool is_soft;
};
struct caps {
	struct cap cap[2];
	u32 count;
};

/* The entry of the nearest cgroup at or above the task's that the feed knows. A new one is not in it yet. */
static __noinline int find_cgroup(const struct power_feed_view *view, struct task_struct *p,
				  struct power_feed_cgroup_half *out)
{
	struct cgroup *cgroup = BPF_CORE_READ(p, cgroups, dfl_cgrp);

	if (!view || !out)
		return 0;
	for (int level = 0; level < LEVELS_MAX && cgroup; level++) {
		u64 id = BPF_CORE_READ(cgroup, kn, id);
		u32 *index = bpf_map_lookup_elem(&pf_cgroup_index, &id);
		struct cgroup_subsys_state *parent;

		if (index) {
			u32 at = *index;
			struct power_feed_cgroup *entry = bpf_map_lookup_elem(&pf_cgroup, &at);

			if (power_feed_read_cgroup(feed_state(), view, entry, id, out) ==
			    POWER_FEED_OK)
				return 1;
		}
		parent = BPF_CORE_READ(cgroup, self.parent);
		cgroup = parent ? BPF_CORE_READ(parent, cgroup) : NULL;
	}
	return 0;
}

static __always_inline void find_caps(const struct power_feed_view *view, struct task_struct *p,
				      struct caps *caps)
{
	struct power_feed_cgroup_half half;
	bool is_soft = !power_feed_may_cap(view);

	caps->count = 0;
	if (!find_cgroup(view, p, &half))
		return;
	if (half.budget_mw) {
		caps->cap[0].id = half.budget_cgroup_id;
		caps->cap[0].budget_mw = half.budget_mw;
		caps->cap[0].burst_ns = (u64)half.burst_ms * 1000000;
		caps->cap[0].is_soft = is_soft || half.flags & POWER_FEED_CGROUP_WORK_CONSERVING;
		caps->count = 1;
	}
	if (holds_headroom && half.headroom_budget_mw) {
		struct cap *cap = caps->count ? &caps->cap[1] : &caps->cap[0];

		cap->id = BATCH_ID;
		cap->budget_mw = half.headroom_budget_mw;
		cap->burst_ns = BATCH_BURST_NS;
		cap->is_soft = is_soft;
		caps->count++;
	}
}

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

static __always_inline u64 scaled(u64 energy_nj, s32 cpu)
{
	u32 package = package_of_cpu[cpu & (CPUS - 1)] & (PACKAGES - 1);
	u32 scale = scale_permille[package];

	return scale ? energy_nj * scale / 1000 : energy_nj;
}

static __always_inline void charge_caps(const struct caps *caps, u64 energy_nj, bool is_refund,
					u64 now_ns)
{
	if (!energy_nj)
		return;
	if (caps->count > 0)
		charge(&caps->cap[0], energy_nj, is_refund, now_ns);
	if (caps->count > 1)
		charge(&caps->cap[1], energy_nj, is_refund, now_ns);
}

/* How a task goes on: longest wait of its caps, and whether every cap that makes it wait is soft. */
struct verdict {
	u64 wait_ns;
	bool is_soft;
	bool is_capped;
};

static __always_inline void judge(struct task_struct *p, u64 now_ns, struct verdict *verdict)
{
	struct power_feed_view view = {};
	struct caps caps = {};
	u64 wait_ns;

	verdict->wait_ns = 0;
	verdict->is_soft = true;
	verdict->is_capped = false;
	if (feed_open(now_ns, &view) != POWER_FEED_OK)
		return;
	find_caps(&view, p, &caps);
	verdict->is_capped = caps.count > 0;
	if (caps.count > 0) {
		wait_ns = wait_of(&caps.cap[0], now_ns);
		if (wait_ns) {
			verdict->wait_ns = wait_ns;
			verdict->is_soft = caps.cap[0].is_soft;
		}
	}
	if (caps.count > 1) {
		wait_ns = wait_of(&caps.cap[1], now_ns);
		if (wait_ns && !caps.cap[1].is_soft)
			verdict->is_soft = false;
		if (wait_ns > verdict->wait_ns)
			verdict->wait_ns = wait_ns;
	}
	if (verdict->wait_ns > max_hold_ns)
		verdict->wait_ns = max_hold_ns;
}

SEC("struct_ops/cap_select_cpu")
s32 BPF_PROG(cap_select_cpu, struct task_struct *p, s32 prev_cpu, u64 wake_flags)
{
	bool is_idle = false;
	s32 cpu = scx_bpf_select_cpu_dfl(p, prev_cpu, wake_flags, &is_idle);
	struct verdict verdict;

	if (!is_idle)
		return cpu;
	judge(p, bpf_ktime_get_ns(), &verdict);
	if (!verdict.wait_ns || verdict.is_soft)
		dsq_insert(p, SCX_DSQ_LOCAL, verdict.is_capped ? CAPPED_SLICE_NS : SLICE_NS, 0);
	return cpu;
}

/* HELD and YIELD are in order of the moment at which a task may go at the latest. */
SEC("struct_ops/cap_enqueue")
void BPF_PROG(cap_enqueue, struct task_struct *p, u64 enq_flags)
{
	u64 now_ns = bpf_ktime_get_ns();
	struct task_ctx *own = ctx_of(p);
	struct verdict verdict;

	judge(p, now_ns, &verdict);
	if (!own || !verdict.wait_ns) {
		dsq_insert_vtime(p, NORMAL, verdict.is_capped ? CAPPED_SLICE_NS : SLICE_NS,
				 own ? queue_vtime(own) : vtime_now, enq_flags);
		return;
	}
	own->held_at_ns = now_ns;
	if (verdict.is_soft) {
		stats.yielded++;
		own->hold_ns = now_ns + max_hold_ns;
		dsq_insert_vtime(p, YIELD, CAPPED_SLICE_NS, own->hold_ns, enq_flags);
		return;
	}
	stats.held++;
	own->hold_ns = now_ns + verdict.wait_ns;
	dsq_insert_vtime(p, HELD, CAPPED_SLICE_NS, own->hold_ns, enq_flags);
}

/* Whether the first of the queue may go now. Another CPU may take it meanwhile: then the next one goes. */
static __always_inline bool is_due(u64 dsq_id, u64 now_ns)
{
	struct bpf_iter_scx_dsq it;
	struct task_struct *first;
	struct task_ctx *own;
	bool is_time = false;

	if (!scx_bpf_dsq_nr_queued(dsq_id))
		return false;
	bpf_iter_scx_dsq_new(&it, dsq_id, 0);
	first = bpf_iter_scx_dsq_next(&it);
	if (first) {
		own = bpf_task_storage_get(&task_ctxs, first, 0, 0);
		is_time = !own || own->hold_ns <= now_ns;
	}
	bpf_iter_scx_dsq_destroy(&it);
	return is_time;
}

SEC("struct_ops/cap_dispatch")
void BPF_PROG(cap_dispatch, s32 cpu, struct task_struct *prev)
{
	u64 now_ns = bpf_ktime_get_ns();

	if (is_due(HELD, now_ns) && dsq_move_to_local(HELD))
		return;
	if (is_due(YIELD, now_ns) && dsq_move_to_local(YIELD))
		return;
	if (dsq_move_to_local(NORMAL))
		return;
	dsq_move_to_local(YIELD);
}

SEC("struct_ops/cap_running")
void BPF_PROG(cap_running, struct task_struct *p)
{
	u64 now_ns = bpf_ktime_get_ns();
	struct task_ctx *own = ctx_of(p);
	struct power_feed_view view = {};
	struct caps caps = {};
	s64 difference_nj;

	if (!own)
		return;
	if (own->held_at_ns) {
		if (now_ns - own->held_at_ns > stats.longest_hold_ns)
			stats.longest_hold_ns = now_ns - own->held_at_ns;
		own->held_at_ns = 0;
	}
	own->run_at_ns = now_ns;
	follow_vtime(own);
	if (feed_open(now_ns, &view) != POWER_FEED_OK) {
		settle(p, own, &view, false);
		return;
	}
	difference_nj = settle(p, own, &view, true);
	find_caps(&view, p, &caps);
	charge_caps(&caps,
		    scaled(difference_nj < 0 ? -difference_nj : difference_nj,
			   bpf_get_smp_processor_id()),
		    difference_nj < 0, now_ns);
}

SEC("struct_ops/cap_stopping")
void BPF_PROG(cap_stopping, struct task_struct *p, bool runnable)
{
	u64 now_ns = bpf_ktime_get_ns(), used_ns, energy_nj;
	struct task_ctx *own = ctx_of(p);
	struct power_feed_view view = {};
	struct caps caps = {};
	bool is_ok;

	if (!own || !own->run_at_ns)
		return;
	used_ns = now_ns - own->run_at_ns;
	own->stopped_at_ns = now_ns;
	own->vtime += weighted(used_ns, weight_of(p));
	is_ok = feed_open(now_ns, &view) == POWER_FEED_OK;
	energy_nj = estimate_slice(p, own, &view, is_ok, used_ns);
	if (!is_ok)
		return;
	find_caps(&view, p, &caps);
	charge_caps(&caps, scaled(energy_nj, bpf_get_smp_processor_id()), false, now_ns);
}

SEC("struct_ops/cap_enable")
void BPF_PROG(cap_enable, struct task_struct *p)
{
	struct task_ctx *own = ctx_of(p);

	if (own)
		own->vtime = vtime_now;
}

SEC("struct_ops.s/cap_init_task")
s32 BPF_PROG(cap_init_task, struct task_struct *p, struct scx_init_task_args *args)
{
	return make_ctx(p);
}

static __always_inline void refresh_scales(u64 now_ns)
{
	struct power_feed_view view = {};
	bool is_ok = feed_open(now_ns, &view) == POWER_FEED_OK;

	for (u32 at = 0; at < PACKAGES; at++) {
		u32 key = at; /* its address is taken: `at` keeps its bounds */
		struct power_feed_package *entry = bpf_map_lookup_elem(&pf_package, &key);
		struct power_feed_package_half half;

		if (!is_ok)
			scale_permille[at] = 0;
		else if (power_feed_read_package(feed_state(), &view, entry, &half) ==
			 POWER_FEED_OK)
			scale_permille[at] = half.prediction_scale_permille;
	}
}

/* Nobody asks an idle CPU for its next task: whoever is held is woken from here when its time has come. */
static int on_timer(void *map, int *key, struct timer_slot *slot)
{
	u64 now_ns = bpf_ktime_get_ns();
	s32 held = scx_bpf_dsq_nr_queued(HELD);

	refresh_scales(now_ns);
	if (held > 0) {
		for (u32 cpu = 0; cpu < CPUS; cpu++) {
			if (cpu >= cpu_count)
				break;
			scx_bpf_kick_cpu(cpu, SCX_KICK_IDLE);
		}
	}
	bpf_timer_start(&slot->timer, held > 0 ? TIMER_BUSY_NS : TIMER_IDLE_NS, 0);
	return 0;
}

SEC("struct_ops.s/cap_init")
s32 BPF_PROG(cap_init)
{
	u32 zero = 0;
	struct timer_slot *slot = bpf_map_lookup_elem(&timers, &zero);
	s32 failed;

	if (!slot)
		return -2;
	failed = scx_bpf_create_dsq(NORMAL, -1);
	if (!failed)
		failed = scx_bpf_create_dsq(YIELD, -1);
	if (!failed)
		failed = scx_bpf_create_dsq(HELD, -1);
	if (failed)
		return failed;
	bpf_timer_init(&slot->timer, &timers, 1 /* CLOCK_MONOTONIC */);
	bpf_timer_set_callback(&slot->timer, on_timer);
	return bpf_timer_start(&slot->timer, TIMER_IDLE_NS, 0);
}

SEC("struct_ops/cap_exit")
void BPF_PROG(cap_exit, struct scx_exit_info *info)
{
	note_exit(info);
}

#define ENERGY_CAP_OPS                                                                             \
	.select_cpu = (void *)cap_select_cpu, .enqueue = (void *)cap_enqueue,                      \
	.dispatch = (void *)cap_dispatch, .running = (void *)cap_running,                          \
	.stopping = (void *)cap_stopping, .enable = (void *)cap_enable,                            \
	.init_task = (void *)cap_init_task, .init = (void *)cap_init, .exit = (void *)cap_exit,    \
	.timeout_ms = 10000, .name = "energy_cap"

/* Only tasks of policy SCHED_EXT; the loader attaches this one unless told --full. */
SEC(".struct_ops.link")
struct sched_ext_ops energy_ops = {
	ENERGY_CAP_OPS,
	.flags = SCX_OPS_SWITCH_PARTIAL,
};

SEC(".struct_ops.link")
struct sched_ext_ops energy_ops_full = {
	ENERGY_CAP_OPS,
};
