// SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
/*
 * What wf_sched_switch is compared with: nothing at all, the smallest useful accounting that people
 * write (CPU time in a hash by pid), and three bare counter reads. They give no product data.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#define PIDS_MAX 10240
#define CPUS_MAX 1024

char LICENSE[] SEC("license") = "GPL";

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} last_switch_ns SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, PIDS_MAX);
	__type(key, __u32);
	__type(value, __u64);
} runtime_ns_of SEC(".maps");

struct counter_map {
	__uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);
	__uint(max_entries, CPUS_MAX);
	__type(key, __u32);
	__type(value, __u32);
};
struct counter_map first_counter SEC(".maps");
struct counter_map second_counter SEC(".maps");
struct counter_map third_counter SEC(".maps");

__u64 counted, failed_reads;

SEC("tp_btf/sched_switch")
int BPF_PROG(nothing, bool preempt, struct task_struct *prev, struct task_struct *next)
{
	return 0;
}

SEC("tp_btf/sched_switch")
int BPF_PROG(minimal, bool preempt, struct task_struct *prev, struct task_struct *next)
{
	__u64 now_ns = bpf_ktime_get_ns();
	__u32 zero = 0, pid = prev->pid;
	__u64 *last_ns = bpf_map_lookup_elem(&last_switch_ns, &zero);
	__u64 *sum_ns, slice_ns;

	if (!last_ns)
		return 0;
	if (*last_ns) {
		slice_ns = now_ns - *last_ns;
		sum_ns = bpf_map_lookup_elem(&runtime_ns_of, &pid);
		if (sum_ns)
			*sum_ns += slice_ns;
		else
			bpf_map_update_elem(&runtime_ns_of, &pid, &slice_ns, BPF_ANY);
	}
	*last_ns = now_ns;
	return 0;
}

static __always_inline void read_counter(void *map)
{
	struct bpf_perf_event_value value = {};

	if (bpf_perf_event_read_value(map, BPF_F_CURRENT_CPU, &value, sizeof(value)))
		failed_reads++;
	else
		counted += value.counter;
}

SEC("tp_btf/sched_switch")
int BPF_PROG(three_reads, bool preempt, struct task_struct *prev, struct task_struct *next)
{
	read_counter(&first_counter);
	read_counter(&second_counter);
	read_counter(&third_counter);
	return 0;
}
