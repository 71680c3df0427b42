// SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
/*
 * energy-cap: a cgroup that is over its budget of watts yields until it is back under it. The rest is fair
 * time, in one queue in order of virtual time. Budgets are scx_bucket.bpf.h, whom they bind scx_caps.bpf.h. What a
 * task that is over does:
 *
 *   hard cap (measured joules, not work-conserving): waits in HELD until the bucket has drained, at most
 *     max_hold_ns; then one short slice. Its power is the budget's plus one short slice per thread and max_hold,
 *     of every other slice of a CPU that others want.
 *   soft (work-conserving, or joules that were not measured): waits in YIELD, behind all others, until a
 *     CPU has nothing else to do, at most max_hold_ns.
 *
 * Without a feed that holds, nobody is over: fair time. What is held then leaves after max_hold_ns.
 */
#include "scx_caps.bpf.h"

char LICENSE[] SEC("license") = "GPL";

#define NORMAL 0
#define YIELD 1
#define HELD 2

#define CAPPED_SLICE_NS 2000000ULL
#define TIMER_BUSY_NS                                                                              \
	2000000ULL /* while somebody is held: how late a hold may end on an idle CPU */
#define TIMER_IDLE_NS 20000000ULL /* while nobody is */

/* Set by the loader. */
const volatile u32 cpu_count = 1;

/* By CPU: the last slice went to one that was due, and the next one is not his. */
u8 gave_to_due[CPUS];

struct timer_slot {
	struct bpf_timer timer;
};
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct timer_slot);
} timers SEC(".maps");

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
		/* the bucket has drained since ops.dispatch: its CPU is about to sleep */
		if (own && own->leaves_idle)
			scx_bpf_kick_cpu(bpf_get_smp_processor_id(), SCX_KICK_IDLE);
	} else if (verdict.is_soft) {
		stats.yielded++;
		own->held_at_ns = now_ns;
		own->hold_ns = now_ns + due_after_ns();
		dsq_insert_vtime(p, YIELD, CAPPED_SLICE_NS, own->hold_ns, enq_flags);
		if (own->leaves_idle)
			scx_bpf_kick_cpu(bpf_get_smp_processor_id(), SCX_KICK_IDLE);
	} else {
		stats.held++;
		own->held_at_ns = now_ns;
		own->hold_ns = now_ns + verdict.wait_ns;
		dsq_insert_vtime(p, HELD, CAPPED_SLICE_NS, own->hold_ns, enq_flags);
	}
	if (own)
		own->leaves_idle = 0;
}

/* Whether the first of the queue may go now. Another CPU may take it meanwhile: then the next one goes. */
static __always_inline bool is_due(u64 dsq_id, u64 now_ns)
{
	struct first_in_queue first;

	return first_of(dsq_id, &first) && first.hold_ns <= now_ns;
}

/*
 * Who is due goes before those who are not over, but not twice in a row: a thousand threads over their budget are
 * due all the time, and the others shall not pay for them.
 */
static __always_inline bool give_to_due(s32 cpu, u64 now_ns)
{
	u8 *gave = &gave_to_due[cpu & (CPUS - 1)];

	if (*gave && scx_bpf_dsq_nr_queued(NORMAL) > 0) {
		*gave = 0;
		return false;
	}
	*gave = (is_due(HELD, now_ns) && dsq_move_to_local(HELD)) ||
		(is_due(YIELD, now_ns) && dsq_move_to_local(YIELD));
	return *gave;
}

static __always_inline bool has_least(struct task_struct *p)
{
	struct task_ctx *own = ctx_of(p);
	struct first_in_queue first;

	return own && first_of(NORMAL, &first) && (s64)(own->vtime - first.vtime) < 0;
}

/*
 * Who ran until now is judged like those who wait. He goes on if he has had least, or nobody else wants the CPU and
 * he is not over, or softly; who is over and hard leaves it even to sleep.
 */
SEC("struct_ops/cap_dispatch")
void BPF_PROG(cap_dispatch, s32 cpu, struct task_struct *prev)
{
	u64 now_ns = bpf_ktime_get_ns();
	struct verdict verdict = {};
	struct task_ctx *own;
	bool wants = prev && is_queued(prev);
	u64 slice_ns;

	if (wants) {
		book_run(prev, now_ns);
		judge(prev, now_ns, &verdict);
	}
	slice_ns = verdict.is_capped ? CAPPED_SLICE_NS : SLICE_NS;
	if (give_to_due(cpu, now_ns))
		return;
	if (wants && !verdict.wait_ns && has_least(prev)) {
		set_slice(prev, slice_ns);
		return;
	}
	if (dsq_move_to_local(NORMAL))
		return;
	if (wants && !verdict.wait_ns) {
		set_slice(prev, slice_ns);
		return;
	}
	if (dsq_move_to_local(YIELD))
		return;
	if (wants && verdict.is_soft) {
		set_slice(prev, slice_ns);
		return;
	}
	if (!wants)
		return;
	own = ctx_of(prev);
	if (own)
		own->leaves_idle = 1;
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
	u64 now_ns = bpf_ktime_get_ns();
	struct task_ctx *own = ctx_of(p);

	if (!own)
		return;
	book_run(p, now_ns);
	own->stopped_at_ns = now_ns;
	own->has_slept |= !runnable;
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

/* Nobody asks an idle CPU for its next task: whoever is held is woken from here when his time has come. */
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
	.flags = SCX_OPS_SWITCH_PARTIAL | SCX_OPS_ENQ_LAST,
};

SEC(".struct_ops.link")
struct sched_ext_ops energy_ops_full = {
	ENERGY_CAP_OPS,
	.flags = SCX_OPS_ENQ_LAST,
};
