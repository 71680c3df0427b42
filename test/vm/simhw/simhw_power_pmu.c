// SPDX-License-Identifier: GPL-2.0
/*
 * The energy PMU, named `power` as the kernel's: package scope, 2^-32 J per count, read on the first CPU of
 * each package (cpumask). Events as an Intel server with psys numbers them.
 */
#include <linux/device.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/perf_event.h>

#include "simhw_hw.h"

#define NJ_PER_J 1000000000ULL

static int zone_kind(u64 config)
{
	switch (config) {
	case 1: return SIM_ZONE_CORE;
	case 2: return SIM_ZONE_PACKAGE;
	case 3: return SIM_ZONE_DRAM;
	case 4: return SIM_ZONE_UNCORE;
	case 5: return SIM_ZONE_PSYS;
	}
	return -EINVAL;
}

static u64 now_count(const struct perf_event *event)
{
	return mul_u64_u64_div_u64(sim_zone_perf_nj(&sim_zones[event->hw.config]), 1ULL << 32, NJ_PER_J);
}

static void power_update(struct perf_event *event)
{
	u64 now = now_count(event), before = local64_xchg(&event->hw.prev_count, now);

	local64_add(now - before, &event->count);
}

static void power_start(struct perf_event *event, int flags)
{
	local64_set(&event->hw.prev_count, now_count(event));
	event->hw.state = 0;
}

static void power_stop(struct perf_event *event, int flags)
{
	if (event->hw.state & PERF_HES_STOPPED)
		return;
	power_update(event);
	event->hw.state |= PERF_HES_STOPPED | PERF_HES_UPTODATE;
}

static int power_add(struct perf_event *event, int flags)
{
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
	if (flags & PERF_EF_START)
		power_start(event, flags);
	return 0;
}

static void power_del(struct perf_event *event, int flags)
{
	power_stop(event, PERF_EF_UPDATE);
}

static void power_read(struct perf_event *event)
{
	if (!(event->hw.state & PERF_HES_STOPPED))
		power_update(event);
}

static int power_event_init(struct perf_event *event)
{
	int kind, package;

	if (event->attr.type != event->pmu->type)
		return -ENOENT;
	if (is_sampling_event(event) || event->cpu < 0 || event->cpu >= books.cpus)
		return -EINVAL;
	kind = zone_kind(event->attr.config);
	if (kind < 0)
		return kind;
	package = kind == SIM_ZONE_PSYS ? 0 : books.cpu[event->cpu].package;
	event->hw.config = sim_zone_get(kind, package) - sim_zones;
	event->cpu = books.package[package].first_cpu;
	event->event_caps |= PERF_EV_CAP_READ_ACTIVE_PKG;
	return 0;
}

static ssize_t cpumask_show(struct device *device, struct device_attribute *attribute, char *text)
{
	int i, len = 0;

	for (i = 0; i < books.packages; i++)
		len += sysfs_emit_at(text, len, "%s%d", i ? "," : "", books.package[i].first_cpu);
	return len + sysfs_emit_at(text, len, "\n");
}
static DEVICE_ATTR_RO(cpumask);
static struct attribute *mask_attrs[] = { &dev_attr_cpumask.attr, NULL };
static const struct attribute_group mask_group = { .attrs = mask_attrs };

PMU_FORMAT_ATTR(event, "config:0-7");
static struct attribute *format_attrs[] = { &format_attr_event.attr, NULL };
static const struct attribute_group format_group = { .name = "format", .attrs = format_attrs };

#define SCALE "2.3283064365386962890625e-10"
#define EVENT(name, var, code)                                     \
	PMU_EVENT_ATTR_STRING(name, var, code);                    \
	PMU_EVENT_ATTR_STRING(name.unit, var##_unit, "Joules");    \
	PMU_EVENT_ATTR_STRING(name.scale, var##_scale, SCALE)
EVENT(energy-cores, event_cores, "event=0x01");
EVENT(energy-pkg, event_pkg, "event=0x02");
EVENT(energy-ram, event_ram, "event=0x03");
EVENT(energy-gpu, event_gpu, "event=0x04");
EVENT(energy-psys, event_psys, "event=0x05");
#define ATTRS(var) &var.attr.attr, &var##_unit.attr.attr, &var##_scale.attr.attr
static struct attribute *event_attrs[] = {
	ATTRS(event_cores), ATTRS(event_pkg), ATTRS(event_ram), ATTRS(event_gpu), ATTRS(event_psys), NULL,
};
static const struct attribute_group event_group = { .name = "events", .attrs = event_attrs };
static const struct attribute_group *power_groups[] = { &mask_group, &format_group, &event_group, NULL };

static struct pmu power_pmu;

static int power_on(void)
{
	power_pmu = (struct pmu){
		.module = THIS_MODULE, .task_ctx_nr = perf_invalid_context, .attr_groups = power_groups,
		.capabilities = PERF_PMU_CAP_NO_EXCLUDE, .event_init = power_event_init, .add = power_add,
		.del = power_del, .start = power_start, .stop = power_stop, .read = power_read,
	};
	return perf_pmu_register(&power_pmu, "power", -1);
}

static void power_off(void)
{
	perf_pmu_unregister(&power_pmu);
}

struct sim_device sim_power_pmu = { .name = "power", .on = power_on, .off = power_off };
