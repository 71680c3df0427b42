// SPDX-License-Identifier: GPL-2.0
/* Parameters, and the order in which the parts come and go. */
#include <linux/debugfs.h>
#include <linux/module.h>
#include <linux/mutex.h>

#include "simhw_hw.h"

#define UINT_PARAM(name, variable, value, text)     \
	uint variable = value;                      \
	module_param_named(name, variable, uint, 0644); \
	MODULE_PARM_DESC(name, text)

UINT_PARAM(floor_mw, sim_floor_mw, 13000, "idle floor of a package");
UINT_PARAM(on_mw, sim_on_mw, 9000, "package while any of its CPUs is busy");
UINT_PARAM(idle_core_mw, sim_idle_core_mw, 80, "core with no busy thread");
UINT_PARAM(dram_background_mw, sim_dram_background_mw, 8000, "memory node without traffic");
UINT_PARAM(rest_mw, sim_rest_mw, 5000, "platform beside packages and DRAM, in psys");
UINT_PARAM(meter_rest_mw, sim_meter_rest_mw, 40000, "machine beside packages and DRAM, at the wall meter");
UINT_PARAM(data_sigma_milli, sim_data_sigma_milli, 60, "spread of the hidden effect of a process's data");
UINT_PARAM(seed, sim_seed, 1, "of the hidden effect");

uint sim_max_processes = 32768;
module_param_named(max_processes, sim_max_processes, uint, 0444);
uint sim_max_threads = 16384;
module_param_named(max_threads, sim_max_threads, uint, 0444);
ulong sim_range_uj = 262143328850UL; /* 2^32 units of 61.035 uJ */
module_param_named(range_uj, sim_range_uj, ulong, 0444);

static bool part_powercap = true, part_pmu = true, part_power = true, part_cpufreq = true, part_hwmon = true;
module_param(part_powercap, bool, 0444);
module_param(part_pmu, bool, 0444);
module_param(part_power, bool, 0444);
module_param(part_cpufreq, bool, 0444);
module_param(part_hwmon, bool, 0444);

static const struct {
	struct sim_device *device;
	const bool *wanted;
} parts[] = {
	{ &sim_powercap, &part_powercap }, { &sim_pmu, &part_pmu }, { &sim_power_pmu, &part_power },
	{ &sim_cpufreq, &part_cpufreq },   { &sim_hwmon, &part_hwmon },
};
static DEFINE_MUTEX(parts_mutex);
static struct dentry *dir;

struct sim_device *sim_device_find(const char *name)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(parts); i++)
		if (!strcmp(parts[i].device->name, name))
			return parts[i].device;
	return NULL;
}

int sim_device_switch(struct sim_device *device, bool on)
{
	int err = 0;

	mutex_lock(&parts_mutex);
	if (on && !device->is_on)
		err = device->on();
	else if (!on && device->is_on)
		device->off();
	if (!err)
		device->is_on = on;
	mutex_unlock(&parts_mutex);
	return err;
}

static void all_off(void)
{
	int i;

	for (i = ARRAY_SIZE(parts) - 1; i >= 0; i--)
		sim_device_switch(parts[i].device, false);
}

static void init_limits(void)
{
	int i;

	for (i = 0; i < books.packages; i++) {
		sim_limit_uw[i][0] = 65000000;
		sim_limit_uw[i][1] = 81250000;
		sim_limit_window_us[i][0] = 999424;
		sim_limit_window_us[i][1] = 2440;
		sim_limit_enabled[i] = true;
	}
}

static int __init simhw_init(void)
{
	int i, err;

	if (sim_max_processes < 2 || sim_max_threads < 2 || !sim_range_uj)
		return -EINVAL;
	err = sim_records_init();
	if (err)
		return err;
	err = sim_books_init();
	if (err)
		goto records;
	init_limits();
	sim_zones_init();
	err = sim_probes_register();
	if (err)
		goto records;
	for (i = 0; i < ARRAY_SIZE(parts); i++) {
		err = *parts[i].wanted ? sim_device_switch(parts[i].device, true) : 0;
		if (err) {
			pr_err("simhw: part %s: error %d\n", parts[i].device->name, err);
			goto devices;
		}
	}
	dir = debugfs_create_dir("simhw", NULL);
	err = sim_reads_init(dir);
	if (err)
		goto debugfs;
	sim_truth_init(dir);
	sim_control_init(dir);
	return 0;
debugfs:
	debugfs_remove_recursive(dir);
devices:
	all_off();
	sim_probes_unregister();
records:
	sim_books_exit();
	return err;
}

static void __exit simhw_exit(void)
{
	debugfs_remove_recursive(dir);
	all_off();
	sim_probes_unregister();
	sim_reads_exit();
	sim_books_exit();
}

module_init(simhw_init);
module_exit(simhw_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("server hardware whose true joules per process are known");
