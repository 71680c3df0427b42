// SPDX-License-Identifier: GPL-2.0
/*
 * The core PMU, named `cpu` as the kernel's own: two fixed counters (cycles, instructions; reference cycles on
 * a third) and N general ones, so that the kernel really multiplexes when more events are asked for. Counts
 * only: sampling is refused, as on a virtual machine without interrupts.
 */
#include <linux/module.h>
#include <linux/perf_event.h>
#include <linux/percpu.h>

#include "simhw_hw.h"

static uint pmu_counters = 4;
module_param(pmu_counters, uint, 0644);
MODULE_PARM_DESC(pmu_counters, "general counters per CPU");
static bool pmu_fixed = true;
module_param(pmu_fixed, bool, 0644);
MODULE_PARM_DESC(pmu_fixed, "cycles, instructions and reference cycles have counters of their own");
static bool pmu_fail_reads;
module_param(pmu_fail_reads, bool, 0644);
MODULE_PARM_DESC(pmu_fail_reads, "events open but never get a counter");

/* In place of a counter's number: the packed operations of the widths in the unit mask, summed up. */
#define VECTOR_SUM 0x1000
#define FP_ARITH 0xc7
#define FP_256_MASK 0x30 /* double, single */
#define FP_512_MASK 0xc0

static DEFINE_PER_CPU(int, general_used);

static int hardware_counter(u64 config)
{
	switch (config) {
	case PERF_COUNT_HW_CPU_CYCLES: return SIM_CYCLES;
	case PERF_COUNT_HW_INSTRUCTIONS: return SIM_INSTRUCTIONS;
	case PERF_COUNT_HW_CACHE_REFERENCES: return SIM_CACHE_REFS;
	case PERF_COUNT_HW_CACHE_MISSES: return SIM_CACHE_MISSES;
	case PERF_COUNT_HW_BRANCH_INSTRUCTIONS: return SIM_BRANCHES;
	case PERF_COUNT_HW_BRANCH_MISSES: return SIM_BRANCH_MISSES;
	case PERF_COUNT_HW_REF_CPU_CYCLES: return SIM_REF_CYCLES;
	}
	return -ENOENT;
}

/* Event and unit mask as an Intel core of the last ten years numbers them. */
static int raw_counter(u64 config)
{
	switch (config & 0xffff) {
	case 0x003c: return SIM_CYCLES;
	case 0x0300: return SIM_REF_CYCLES;
	case 0x00c0: return SIM_INSTRUCTIONS;
	case 0x4f2e: return SIM_CACHE_REFS;
	case 0x412e: return SIM_CACHE_MISSES;
	case 0x00c4: return SIM_BRANCHES;
	case 0x00c5: return SIM_BRANCH_MISSES;
	}
	/* any unit mask, as on real cores; scalar and 128-bit operations are not simulated and add nothing */
	if ((config & 0xff) == FP_ARITH && config & 0xff00)
		return VECTOR_SUM | (config >> 8 & 0xff);
	return -EINVAL;
}

static bool is_fixed(const struct perf_event *event)
{
	u64 counter = event->hw.config;

	return pmu_fixed && (counter == SIM_CYCLES || counter == SIM_INSTRUCTIONS || counter == SIM_REF_CYCLES);
}

static u64 now_count(const struct perf_event *event)
{
	u64 counter = event->hw.config, count = 0;
	int cpu = smp_processor_id();

	if (!(counter & VECTOR_SUM))
		return sim_cpu_counter(cpu, counter);
	if (counter & FP_256_MASK)
		count += sim_cpu_counter(cpu, SIM_VECTOR256);
	if (counter & FP_512_MASK)
		count += sim_cpu_counter(cpu, SIM_VECTOR512);
	return count;
}

static void pmu_update(struct perf_event *event)
{
	u64 now = now_count(event), before = local64_xchg(&event->hw.prev_count, now);

	local64_add(now - before, &event->count);
}

static void pmu_start(struct perf_event *event, int flags)
{
	local64_set(&event->hw.prev_count, now_count(event));
	event->hw.state = 0;
}

static void pmu_stop(struct perf_event *event, int flags)
{
	if (event->hw.state & PERF_HES_STOPPED)
		return;
	pmu_update(event);
	event->hw.state |= PERF_HES_STOPPED | PERF_HES_UPTODATE;
}

static int pmu_add(struct perf_event *event, int flags)
{
	if (pmu_fail_reads)
		return -EAGAIN;
	if (!is_fixed(event)) {
		if (this_cpu_read(general_used) >= pmu_counters)
			return -EAGAIN; /* the kernel takes turns */
		this_cpu_inc(general_used);
		event->hw.idx = 1;
	} else {
		event->hw.idx = 0;
	}
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
	if (flags & PERF_EF_START)
		pmu_start(event, flags);
	perf_event_update_userpage(event);
	return 0;
}

static void pmu_del(struct perf_event *event, int flags)
{
	pmu_stop(event, PERF_EF_UPDATE);
	if (event->hw.idx == 1)
		this_cpu_dec(general_used);
	perf_event_update_userpage(event);
}

static void pmu_read(struct perf_event *event)
{
	if (!(event->hw.state & PERF_HES_STOPPED))
		pmu_update(event);
}

/* A user page would tell user space to read a counter by itself; there is none. */
static int pmu_event_index(struct perf_event *event)
{
	return 0;
}

static int pmu_event_init(struct perf_event *event)
{
	int counter;

	if (event->attr.type == PERF_TYPE_HARDWARE)
		counter = hardware_counter(event->attr.config & 0xffffffff);
	else if (event->attr.type == PERF_TYPE_RAW || event->attr.type == event->pmu->type)
		counter = raw_counter(event->attr.config);
	else
		return -ENOENT;
	if (counter < 0)
		return counter;
	if (is_sampling_event(event) || has_branch_stack(event))
		return -EOPNOTSUPP;
	event->hw.config = counter;
	return 0;
}

PMU_FORMAT_ATTR(event, "config:0-7");
PMU_FORMAT_ATTR(umask, "config:8-15");
static struct attribute *format_attrs[] = { &format_attr_event.attr, &format_attr_umask.attr, NULL };
static const struct attribute_group format_group = { .name = "format", .attrs = format_attrs };

#define EVENT(name, var, config) PMU_EVENT_ATTR_STRING(name, var, config)
EVENT(cpu-cycles, event_cycles, "event=0x3c");
EVENT(instructions, event_instructions, "event=0xc0");
EVENT(cache-references, event_cache_refs, "event=0x2e,umask=0x4f");
EVENT(cache-misses, event_cache_misses, "event=0x2e,umask=0x41");
EVENT(branch-instructions, event_branches, "event=0xc4");
EVENT(branch-misses, event_branch_misses, "event=0xc5");
EVENT(ref-cycles, event_ref_cycles, "event=0x00,umask=0x03");
static struct attribute *event_attrs[] = {
	&event_cycles.attr.attr, &event_instructions.attr.attr, &event_cache_refs.attr.attr,
	&event_cache_misses.attr.attr, &event_branches.attr.attr, &event_branch_misses.attr.attr,
	&event_ref_cycles.attr.attr, NULL,
};
static const struct attribute_group event_group = { .name = "events", .attrs = event_attrs };
static const struct attribute_group *pmu_groups[] = { &format_group, &event_group, NULL };

static struct pmu cpu_pmu;

static int pmu_on(void)
{
	cpu_pmu = (struct pmu){
		.module = THIS_MODULE, .task_ctx_nr = perf_hw_context, .attr_groups = pmu_groups,
		.capabilities = PERF_PMU_CAP_NO_INTERRUPT, .event_init = pmu_event_init, .add = pmu_add,
		.del = pmu_del, .start = pmu_start, .stop = pmu_stop, .read = pmu_read,
		.event_idx = pmu_event_index,
	};
	return perf_pmu_register(&cpu_pmu, "cpu", PERF_TYPE_RAW);
}

static void pmu_off(void)
{
	perf_pmu_unregister(&cpu_pmu);
}

struct sim_device sim_pmu = { .name = "pmu", .on = pmu_on, .off = pmu_off };
