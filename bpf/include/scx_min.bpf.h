/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * The few declarations of sched_ext that the schedulers here need, written by hand: our vmlinux.h comes from
 * a kernel without sched_ext, and so any clang from 14 up will do. Kernel types are relocated by
 * CO-RE, ops are matched by name.
 *
 * Kernel functions by version (Debian's and upstream's names; a flavour behind ___ is libbpf's to strip):
 *   6.12  scx_bpf_dispatch, scx_bpf_dispatch_vtime, scx_bpf_consume
 *   6.13  scx_bpf_dsq_insert, scx_bpf_dsq_insert_vtime, scx_bpf_dsq_move_to_local; the old are gone by 7.3
 *   6.19  the same with a result (___v2) or an argument struct; the ones of 6.13 are still in 7.3;
 *         scx_bpf_task_set_slice
 * Everything else used (select_cpu_dfl, create_dsq, kick_cpu, dsq_nr_queued, the DSQ iterator, and the ops
 * themselves) is the same from 6.12 to 7.3. The tasks' virtual time is kept in our own storage, because
 * writing p->scx.dsq_vtime is deprecated since 7.0.
 */
#ifndef WATTFEED_SCX_MIN_BPF_H
#define WATTFEED_SCX_MIN_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include <bpf/bpf_core_read.h>

#define SCX_DSQ_LOCAL 0x8000000000000002ULL
#define SCX_OPS_ENQ_LAST (1ULL << 1)
#define SCX_OPS_SWITCH_PARTIAL (1ULL << 3)
#define SCX_KICK_IDLE (1ULL << 0)
#define SCX_ENQ_WAKEUP (1ULL << 0)

#ifndef bpf_ksym_exists
#define bpf_ksym_exists(sym) (!!&(sym))
#endif

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
struct sched_ext_entity___wf {
	u32 weight;
	u32 flags;
	u64 slice;
	u64 dsq_vtime;
};
struct task_struct___wf {
	struct sched_ext_entity___wf scx;
};
struct scx_init_task_args {
	bool fork;
	struct cgroup *cgroup;
};
enum scx_exit_kind { SCX_EXIT_NONE };
enum scx_ent_flags { SCX_TASK_QUEUED = 1 };
struct scx_exit_info {
	enum scx_exit_kind kind;
	s64 exit_code;
	const char *reason;
	char *msg;
};
#pragma clang attribute pop

struct sched_ext_ops {
	s32 (*select_cpu)(struct task_struct *, s32, u64);
	void (*enqueue)(struct task_struct *, u64);
	void (*dispatch)(s32, struct task_struct *);
	void (*running)(struct task_struct *);
	void (*stopping)(struct task_struct *, bool);
	void (*enable)(struct task_struct *);
	s32 (*init_task)(struct task_struct *, struct scx_init_task_args *);
	s32 (*init)(void);
	void (*exit)(struct scx_exit_info *);
	u64 flags;
	u32 timeout_ms;
	char name[128];
};

s32 scx_bpf_create_dsq(u64 dsq_id, s32 node) __ksym;
s32 scx_bpf_select_cpu_dfl(struct task_struct *p, s32 prev_cpu, u64 wake_flags,
			   bool *is_idle) __ksym;
void scx_bpf_kick_cpu(s32 cpu, u64 flags) __ksym;
s32 scx_bpf_dsq_nr_queued(u64 dsq_id) __ksym;
bool scx_bpf_task_set_slice(struct task_struct *p, u64 slice_ns) __ksym __weak;

/* struct bpf_iter_scx_dsq of the kernel; opaque. */
struct bpf_iter_scx_dsq {
	u64 opaque[6];
} __attribute__((aligned(8)));
int bpf_iter_scx_dsq_new(struct bpf_iter_scx_dsq *it, u64 dsq_id, u64 flags) __ksym;
struct task_struct *bpf_iter_scx_dsq_next(struct bpf_iter_scx_dsq *it) __ksym;
void bpf_iter_scx_dsq_destroy(struct bpf_iter_scx_dsq *it) __ksym;

void scx_bpf_dispatch___old(struct task_struct *p, u64 dsq_id, u64 slice,
			    u64 enq_flags) __ksym __weak;
void scx_bpf_dispatch_vtime___old(struct task_struct *p, u64 dsq_id, u64 slice, u64 vtime,
				  u64 enq_flags) __ksym __weak;
bool scx_bpf_consume___old(u64 dsq_id) __ksym __weak;
void scx_bpf_dsq_insert___new(struct task_struct *p, u64 dsq_id, u64 slice,
			      u64 enq_flags) __ksym __weak;
void scx_bpf_dsq_insert_vtime___new(struct task_struct *p, u64 dsq_id, u64 slice, u64 vtime,
				    u64 enq_flags) __ksym __weak;
bool scx_bpf_dsq_move_to_local___new(u64 dsq_id) __ksym __weak;
/* 6.19: the only names should the ones of 6.13 go after 7.3 */
bool scx_bpf_dsq_insert___v2___wf(struct task_struct *p, u64 dsq_id, u64 slice,
				  u64 enq_flags) __ksym __weak;
bool scx_bpf_dsq_move_to_local___v2___wf(u64 dsq_id, u64 enq_flags) __ksym __weak;
struct scx_bpf_dsq_insert_vtime_args {
	u64 dsq_id;
	u64 slice;
	u64 vtime;
	u64 enq_flags;
} __attribute__((preserve_access_index));
#if __clang_major__ >= 16 /* before, clang gives no BTF to an extern whose name begins with __ */
bool __scx_bpf_dsq_insert_vtime(struct task_struct *p,
				struct scx_bpf_dsq_insert_vtime_args *args) __ksym __weak;
#endif

static __always_inline void dsq_insert(struct task_struct *p, u64 dsq_id, u64 slice, u64 enq_flags)
{
	if (bpf_ksym_exists(scx_bpf_dsq_insert___v2___wf))
		scx_bpf_dsq_insert___v2___wf(p, dsq_id, slice, enq_flags);
	else if (bpf_ksym_exists(scx_bpf_dsq_insert___new))
		scx_bpf_dsq_insert___new(p, dsq_id, slice, enq_flags);
	else
		scx_bpf_dispatch___old(p, dsq_id, slice, enq_flags);
}

static __always_inline void dsq_insert_vtime(struct task_struct *p, u64 dsq_id, u64 slice,
					     u64 vtime, u64 enq_flags)
{
#if __clang_major__ >= 16
	if (bpf_ksym_exists(__scx_bpf_dsq_insert_vtime)) {
		struct scx_bpf_dsq_insert_vtime_args args = {
			.dsq_id = dsq_id,
			.slice = slice,
			.vtime = vtime,
			.enq_flags = enq_flags,
		};

		__scx_bpf_dsq_insert_vtime(p, &args);
		return;
	}
#endif
	if (bpf_ksym_exists(scx_bpf_dsq_insert_vtime___new))
		scx_bpf_dsq_insert_vtime___new(p, dsq_id, slice, vtime, enq_flags);
	else
		scx_bpf_dispatch_vtime___old(p, dsq_id, slice, vtime, enq_flags);
}

static __always_inline bool dsq_move_to_local(u64 dsq_id)
{
	if (bpf_ksym_exists(scx_bpf_dsq_move_to_local___v2___wf))
		return scx_bpf_dsq_move_to_local___v2___wf(dsq_id, 0);
	if (bpf_ksym_exists(scx_bpf_dsq_move_to_local___new))
		return scx_bpf_dsq_move_to_local___new(dsq_id);
	return scx_bpf_consume___old(dsq_id);
}

/* In ops.dispatch: whether the task that ran until now wants to go on. */
static __always_inline bool is_queued(struct task_struct *p)
{
	return ((struct task_struct___wf *)p)->scx.flags &
	       bpf_core_enum_value(enum scx_ent_flags, SCX_TASK_QUEUED);
}

/* In ops.dispatch for the task that ran until now: it goes on for so long. */
static __always_inline void set_slice(struct task_struct *p, u64 slice_ns)
{
	if (bpf_ksym_exists(scx_bpf_task_set_slice))
		scx_bpf_task_set_slice(p, slice_ns);
	else
		((struct task_struct___wf *)p)->scx.slice = slice_ns;
}

static __always_inline u32 weight_of(struct task_struct *p)
{
	u32 weight = ((struct task_struct___wf *)p)->scx.weight;

	return weight ? weight : 100;
}

#endif /* WATTFEED_SCX_MIN_BPF_H */
