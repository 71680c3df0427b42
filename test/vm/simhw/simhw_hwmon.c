// SPDX-License-Identifier: GPL-2.0
/*
 * A wall meter: (packages + DRAM + rest of the machine) / 0.92 for the loss of the power supply, power averaged
 * over the last second. The rest is 40 W by default: board, disks, fans. Debian's cloud kernel is built without
 * hwmon, so the class is made here, with the files that the kernel's own would have.
 */
#include <linux/device.h>
#include <linux/err.h>
#include <linux/math64.h>

#include "simhw_hw.h"

#define SUPPLY_EFFICIENCY_PERCENT 92
#define SAMPLES 10 /* of 100 ms: the average is over one second */
#define SAMPLE_NS (100 * NSEC_PER_MSEC)

static struct {
	u64 at_ns, energy_nj;
} ring[SAMPLES + 1];
static int ring_head, ring_used;
static struct class *hwmon_class;
static struct device *meter;

u64 sim_meter_nj(void)
{
	u64 total_nj = books.meter_rest_nj;
	int i;

	for (i = 0; i < books.packages; i++)
		total_nj += books.package[i].package_nj + books.package[i].dram_nj;
	return div_u64(total_nj * 100, SUPPLY_EFFICIENCY_PERCENT);
}

void sim_hwmon_tick(void)
{
	int last = (ring_head + SAMPLES) % (SAMPLES + 1);

	if (ring_used && books.last_ns - ring[last].at_ns < SAMPLE_NS)
		return;
	ring[ring_head].at_ns = books.last_ns;
	ring[ring_head].energy_nj = sim_meter_nj();
	ring_head = (ring_head + 1) % (SAMPLES + 1);
	ring_used = min(ring_used + 1, SAMPLES + 1);
}

static ssize_t energy1_input_show(struct device *dev, struct device_attribute *attr, char *text)
{
	unsigned long flags;
	u64 energy_nj;

	raw_spin_lock_irqsave(&books.lock, flags);
	sim_books_advance();
	energy_nj = sim_meter_nj();
	raw_spin_unlock_irqrestore(&books.lock, flags);
	return sysfs_emit(text, "%llu\n", div_u64(energy_nj, 1000));
}

static ssize_t power1_average_show(struct device *dev, struct device_attribute *attr, char *text)
{
	u64 energy_nj = 0, span_ns = 0;
	unsigned long flags;
	int first, last;

	raw_spin_lock_irqsave(&books.lock, flags);
	if (ring_used > 1) {
		last = (ring_head + SAMPLES) % (SAMPLES + 1);
		first = (ring_head + SAMPLES + 1 - ring_used) % (SAMPLES + 1);
		energy_nj = ring[last].energy_nj - ring[first].energy_nj;
		span_ns = ring[last].at_ns - ring[first].at_ns;
	}
	raw_spin_unlock_irqrestore(&books.lock, flags);
	if (!span_ns)
		return -EAGAIN;
	return sysfs_emit(text, "%llu\n", div64_u64(energy_nj * 1000000, span_ns)); /* nJ / ns = W */
}

static ssize_t power1_average_interval_show(struct device *dev, struct device_attribute *attr, char *text)
{
	return sysfs_emit(text, "1000\n");
}

static ssize_t name_show(struct device *dev, struct device_attribute *attr, char *text)
{
	return sysfs_emit(text, "power_meter\n");
}

static DEVICE_ATTR_RO(name);
static DEVICE_ATTR_RO(energy1_input);
static DEVICE_ATTR_RO(power1_average);
static DEVICE_ATTR_RO(power1_average_interval);
static struct attribute *meter_attrs[] = {
	&dev_attr_name.attr, &dev_attr_energy1_input.attr, &dev_attr_power1_average.attr,
	&dev_attr_power1_average_interval.attr, NULL,
};
ATTRIBUTE_GROUPS(meter);

static int hwmon_on(void)
{
	hwmon_class = class_create("hwmon");
	if (IS_ERR(hwmon_class))
		return PTR_ERR(hwmon_class);
	meter = device_create_with_groups(hwmon_class, NULL, MKDEV(0, 0), NULL, meter_groups, "hwmon0");
	if (!IS_ERR(meter))
		return 0;
	class_destroy(hwmon_class);
	return PTR_ERR(meter);
}

static void hwmon_off(void)
{
	device_unregister(meter);
	class_destroy(hwmon_class);
}

struct sim_device sim_hwmon = { .name = "hwmon", .on = hwmon_on, .off = hwmon_off };
