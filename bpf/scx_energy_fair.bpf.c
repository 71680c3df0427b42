// SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
/*
 * energy-fair: tasks advance by joules, not by time. Who burns twice the power gets half the time, so that
 * tasks of equal weight use equal energy. One queue in order of virtual time for the whole machine:
 * for machines of up to a few dozen CPUs, and to read.
 *
 * Without a feed, or with one that is stale, foreign or torn: fair time. Nothing waits for the feed, so
 * nothing can starve on it.
 */
#include "scx_energy.bpf.h"

char LICENSE[] SEC("license") = "GPL";

#define QUEUE 0

SEC("struct_ops/fair_select_cpu")
s32 BPF_PROG(fair_select_cpu, struct task_struct *p, s32 prev_cpu, u64 wake_flags)
{
	bool is_idle = false;
	s32 cpu = scx_bpf_select_cpu_dfl(p, prev_cpu, wake_flags, &is_idle);

	if (is_idle)
		dsq_insert(p, SCX_DSQ_LOCAL, SLICE_NS, 0);
	return cpu;
}

SEC("struct_ops/fair_enqueue")
void BPF_PROG(fair_enqueue, struct task_struct *p, u64 enq_flags)
{
	struct task_ctx *own = ctx_of(p);

	dsq_insert_vtime(p, QUEUE, SLICE_NS, own ? queue_vtime(own) : vtime_now, enq_flags);
}

/*
 * Whether who ran until now has used least even so. Without this each end of a slice would bring the next in the
 * queue, and nobody could get more than every other slice, however little he uses.
 */
static __always_inline bool goes_on(struct task_struct *prev)
{
	u64 now_ns = bpf_ktime_get_ns(), energy_nj, step;
	struct power_feed_view view = {};
	struct first_in_queue first;
	struct task_ctx *own;
	bool is_ok, is_by_energy;

	if (!prev || !is_queued(prev) || !first_of(QUEUE, &first))
		return false;
	own = ctx_of(prev);
	if (!own || !own->run_at_ns)
		return false;
	is_ok = feed_open(now_ns, &view) == POWER_FEED_OK;
	energy_nj = unbooked_energy(prev, &view, is_ok, now_ns - own->run_at_ns, &is_by_energy);
	step = weighted(time_of_energy(energy_nj, view.reference_power_mw), weight_of(prev));
	return (s64)(own->vtime + step - first.vtime) < 0;
}

/* Nothing dispatched: who ran goes on. */
SEC("struct_ops/fair_dispatch")
void BPF_PROG(fair_dispatch, s32 cpu, struct task_struct *prev)
{
	if (goes_on(prev))
		set_slice(prev, SLICE_NS);
	else
		dsq_move_to_local(QUEUE);
}

SEC("struct_ops/fair_running")
void BPF_PROG(fair_running, struct task_struct *p)
{
	u64 now_ns = bpf_ktime_get_ns();
	struct task_ctx *own = ctx_of(p);
	struct power_feed_view view = {};
	bool is_ok;

	if (!own)
		return;
	is_ok = feed_open(now_ns, &view) == POWER_FEED_OK;
	correct_vtime(own, settle(p, own, &view, is_ok), &view, weight_of(p));
	own->run_at_ns = now_ns;
	follow_vtime(own);
}

SEC("struct_ops/fair_stopping")
void BPF_PROG(fair_stopping, struct task_struct *p, bool runnable)
{
	u64 now_ns = bpf_ktime_get_ns();
	struct task_ctx *own = ctx_of(p);
	struct power_feed_view view = {};
	bool is_ok;

	if (!own || !own->run_at_ns)
		return;
	own->stopped_at_ns = now_ns;
	own->has_slept |= !runnable;
	is_ok = feed_open(now_ns, &view) == POWER_FEED_OK;
	advance_vtime(own, estimate_slice(p, own, &view, is_ok, now_ns - own->run_at_ns), &view,
		      weight_of(p));
}

SEC("struct_ops/fair_enable")
void BPF_PROG(fair_enable, struct task_struct *p)
{
	struct task_ctx *own = ctx_of(p);

	if (own)
		own->vtime = vtime_now;
}

SEC("struct_ops.s/fair_init_task")
s32 BPF_PROG(fair_init_task, struct task_struct *p, struct scx_init_task_args *args)
{
	return make_ctx(p);
}

SEC("struct_ops.s/fair_init")
s32 BPF_PROG(fair_init)
{
	return scx_bpf_create_dsq(QUEUE, -1);
}

SEC("struct_ops/fair_exit")
void BPF_PROG(fair_exit, struct scx_exit_info *info)
{
	note_exit(info);
}

#define ENERGY_FAIR_OPS                                                                            \
	.select_cpu = (void *)fair_select_cpu, .enqueue = (void *)fair_enqueue,                    \
	.dispatch = (void *)fair_dispatch, .running = (void *)fair_running,                        \
	.stopping = (void *)fair_stopping, .enable = (void *)fair_enable,                          \
	.init_task = (void *)fair_init_task, .init = (void *)fair_init, .exit = (void *)fair_exit, \
	.timeout_ms = 10000, .name = "energy_fair"

/* Only tasks of policy SCHED_EXT; the loader attaches this one unless told --full. */
SEC(".struct_ops.link")
struct sched_ext_ops energy_ops = {
	ENERGY_FAIR_OPS,
	.flags = SCX_OPS_SWITCH_PARTIAL,
};

SEC(".struct_ops.link")
struct sched_ext_ops energy_ops_full = {
	ENERGY_FAIR_OPS,
};
