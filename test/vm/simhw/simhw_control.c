// SPDX-License-Identifier: GPL-2.0
/*
 * /sys/kernel/debug/simhw/control: one command per write; status and classes are read.
 *
 *   freq CPU KHZ                 highest frequency of that CPU's core
 *   igpu PACKAGE MILLIWATTS      load of the graphics unit, in the uncore zone
 *   class NAME key=value ...     change a workload class or make one
 *   task TGID class NAME         class of a process whatever it is called
 *   task TGID home NODE          where its memory is
 *   range ZONE MICROJOULES       wrap range of a zone
 *   fault ZONE KIND [VALUE]      wrap, reset, freeze, garbage, error, jump, ok; ZONE as in the truth, or mmio-N
 *   suspend MILLISECONDS [reset] clocks as after a suspend of that length; counters anew if asked for
 *   part NAME on|off             powercap, pmu, power, cpufreq, hwmon
 */
#include <linux/debugfs.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "simhw_hw.h"

#define COMMAND_LEN 512
#define MAX_SUSPEND_MS (7 * 24 * 3600 * 1000ULL)

static int set_class(s32 tgid, const char *name)
{
	u32 process = sim_process_by_tgid(tgid), i;
	int class;

	for (class = 0; class < sim_class_count; class++)
		if (!strcmp(sim_classes[class].name, name))
			break;
	if (!process)
		return -ESRCH;
	if (class == sim_class_count)
		return -EINVAL;
	sim_processes[process].forced_class = class;
	for (i = 1; i < sim_threads_used; i++)
		if (sim_threads[i].is_used && !sim_threads[i].is_ended && sim_threads[i].process == process)
			sim_threads[i].class = class;
	return 0;
}

static int set_home(s32 tgid, u32 node)
{
	u32 process = sim_process_by_tgid(tgid);

	if (!process)
		return -ESRCH;
	if (node >= books.packages)
		return -EINVAL;
	sim_processes[process].home = node;
	return 0;
}

/* Commands that change the books; books.lock held, everything booked up to now. */
static int change_books(const char *verb, char *rest)
{
	struct sim_zone *zone;
	char name[32] = "", kind[32] = "", value[32] = "", *first;
	u64 number = 0;
	s32 tgid;
	u32 a;

	if (!strcmp(verb, "igpu"))
		return sscanf(rest, "%u %llu", &a, &number) == 2 && a < books.packages ?
			       (books.package[a].igpu_uw = number * 1000, 0) : -EINVAL;
	if (!strcmp(verb, "class")) {
		/* on its own: beside strsep(&rest), an argument `rest` may be what it was before */
		first = strsep(&rest, " ");
		return sim_class_define(first, rest);
	}
	if (!strcmp(verb, "task")) {
		if (sscanf(rest, "%d %31s %31s", &tgid, kind, value) != 3)
			return -EINVAL;
		if (!strcmp(kind, "class"))
			return set_class(tgid, value);
		return !strcmp(kind, "home") && !kstrtou32(value, 10, &a) ? set_home(tgid, a) : -EINVAL;
	}
	if (sscanf(rest, "%31s %31s %llu", name, kind, &number) < 2)
		return -EINVAL;
	zone = sim_zone_find(name);
	if (!zone)
		return -ENOENT;
	if (!strcmp(verb, "fault"))
		return sim_zone_fault(zone, kind, number);
	if (!strcmp(verb, "range") && !kstrtou64(kind, 10, &number) && number > 0) {
		zone->range_uj = number;
		return 0;
	}
	return -EINVAL;
}

static int run_command(char *command)
{
	char *verb = strsep(&command, " "), name[32], state[8];
	struct sim_device *device;
	unsigned long flags;
	u32 cpu, khz;
	u64 millis;
	int err;

	if (!command)
		command = "";
	if (!strcmp(verb, "part")) {
		if (sscanf(command, "%31s %7s", name, state) != 2)
			return -EINVAL;
		device = sim_device_find(name);
		return device ? sim_device_switch(device, !strcmp(state, "on")) : -ENOENT;
	}
	if (!strcmp(verb, "freq")) {
		if (sscanf(command, "%u %u", &cpu, &khz) != 2 || cpu >= books.cpus)
			return -EINVAL;
		sim_set_khz(cpu, khz);
		return 0;
	}
	if (!strcmp(verb, "suspend")) {
		*name = 0;
		if (sscanf(command, "%llu %31s", &millis, name) < 1 || millis > MAX_SUSPEND_MS)
			return -EINVAL;
		return sim_suspend(millis, !strcmp(name, "reset"));
	}
	raw_spin_lock_irqsave(&books.lock, flags);
	sim_books_advance();
	err = change_books(verb, command);
	sim_physics_update();
	raw_spin_unlock_irqrestore(&books.lock, flags);
	return err;
}

static ssize_t write_control(struct file *file, const char __user *text, size_t size, loff_t *offset)
{
	char *command, *trimmed;
	int err;

	if (size >= COMMAND_LEN)
		return -EINVAL;
	command = memdup_user_nul(text, size);
	if (IS_ERR(command))
		return PTR_ERR(command);
	trimmed = strim(command);
	err = *trimmed ? run_command(trimmed) : 0;
	kfree(command);
	return err ? err : size;
}

static const struct file_operations control_fops = { .owner = THIS_MODULE, .open = simple_open,
						     .write = write_control, .llseek = noop_llseek };

static int status_show(struct seq_file *out, void *unused)
{
	static struct sim_device *const devices[] = { &sim_powercap, &sim_pmu, &sim_power_pmu, &sim_cpufreq,
						      &sim_hwmon };
	int i;

	for (i = 0; i < ARRAY_SIZE(devices); i++)
		seq_printf(out, "part\t%s\t%s\n", devices[i]->name, devices[i]->is_on ? "on" : "off");
	for (i = 0; i < books.cpus; i++)
		seq_printf(out, "cpu\t%d\tpackage\t%d\tsibling\t%d\tkhz\t%u\n", i, books.cpu[i].package,
			   books.cpu[i].sibling, sim_get_khz(i));
	for (i = 0; i < books.packages; i++)
		seq_printf(out, "package\t%d\tlimit_khz\t%u\n", i, READ_ONCE(books.package[i].limit_khz));
	seq_printf(out, "switches\t%llu\nlost\t%llu\n", READ_ONCE(books.switches), READ_ONCE(books.lost_switches));
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(status);

static int classes_show(struct seq_file *out, void *unused)
{
	int i;

	seq_puts(out, "# name\tipc_milli\tkappa_milli\tlines_per_minstr\tvisible_milli\twriteback_milli\trow_miss_milli"
		      "\tpressure_milli\tsensitivity_milli\tmemory_bound_milli\tvector256_milli\tvector512_milli\tcap_khz\n");
	for (i = 0; i < sim_class_count; i++) {
		const struct sim_class *c = &sim_classes[i];

		seq_printf(out, "%s\t%u\t%u\t%u\t%u\t%u\t%u\t%u\t%u\t%u\t%u\t%u\t%u\n", c->name, c->ipc_milli,
			   c->kappa_milli, c->lines_per_minstr, c->visible_milli, c->writeback_milli,
			   c->row_miss_milli, c->pressure_milli, c->sensitivity_milli, c->memory_bound_milli,
			   c->vector256_milli, c->vector512_milli, c->cap_khz);
	}
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(classes);

void sim_control_init(struct dentry *dir)
{
	debugfs_create_file("control", 0200, dir, NULL, &control_fops);
	debugfs_create_file("status", 0400, dir, NULL, &status_fops);
	debugfs_create_file("classes", 0400, dir, NULL, &classes_fops);
}
