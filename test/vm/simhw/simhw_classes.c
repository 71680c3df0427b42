// SPDX-License-Identifier: GPL-2.0
/*
 * Workload classes. Values: solo IPC, energy factor, lines and counter visibility as in the physics that the
 * attribution model was judged with (docs/simulated-machine.md); branch and cache-reference rates are typical
 * orders of magnitude, they carry no energy.
 */
#include <linux/kernel.h>
#include <linux/string.h>

#include "simhw_hw.h"

#define SIM_CLASS(n, ipc, kappa, lines, visible, wb, row, pressure, sensitivity, bound, v256, v512, br, brm, refs, cap) \
	{ .name = n, .ipc_milli = ipc, .kappa_milli = kappa, .lines_per_minstr = lines, .visible_milli = visible, \
	  .writeback_milli = wb, .row_miss_milli = row, .pressure_milli = pressure, .sensitivity_milli = sensitivity, \
	  .memory_bound_milli = bound, .vector256_milli = v256, .vector512_milli = v512, .branches_milli = br, \
	  .branch_misses_ppm = brm, .cache_refs_per_minstr = refs, .cap_khz = cap }

/* Class 0 is everything that is not named: shells, daemons, kernel threads. */
struct sim_class sim_classes[SIM_MAX_CLASSES] = {
	/*    name      ipc  kappa  lines   vis  wb  row  pres sens bound v256 v512  br   brm   refs   cap */
	SIM_CLASS("tiny",    1100, 1050,   2000, 900, 200, 400,  700, 800,  100,   0,   0, 200, 3000,  6000, 0),
	SIM_CLASS("int_hi",  2600, 1000,    100, 900, 200, 400, 1000, 900,    0,   0,   0, 150,  200,  1000, 0),
	SIM_CLASS("int_mid", 1600, 1000,    600, 900, 200, 400,  900, 900,    0,   0,   0, 180, 1000,  3000, 0),
	SIM_CLASS("br_lo",    800, 1100,   1500, 900, 200, 400,  700, 700,    0,   0,   0, 250, 9000,  6000, 0),
	SIM_CLASS("avx2",    2200, 2000,    400, 900, 200, 300, 1000, 900,    0, 600,   0,  60,  100,  2000, 3000000),
	SIM_CLASS("avx512",  1800, 3900,    400, 900, 200, 300, 1000, 900,    0,   0, 600,  60,  100,  2000, 2600000),
	SIM_CLASS("stream",   450, 1200, 110000, 500, 350, 200,  800, 500, 1000, 200,   0, 100,  100, 90000, 0),
	SIM_CLASS("chase",    150, 1000,  98000, 1000,  0, 900,  300, 300, 1000,   0,   0, 200, 2000, 99000, 0),
	SIM_CLASS("pause",     60,  500,      0, 900, 200, 400,   50, 200,    0,   0,   0, 330,    1,     1, 0),
	SIM_CLASS("tight",   2800,  550,      0, 900, 200, 400,  900, 900,    0,   0,   0, 500,    1,     1, 0),
	SIM_CLASS("poll",    1900,  800,    200, 900, 200, 400,  800, 800,    0,   0,   0, 220,  300,  1500, 0),
};
int sim_class_count = 11;

int sim_class_by_name(const char *comm)
{
	size_t best_len = 0;
	int i, best = 0;

	for (i = 1; i < sim_class_count; i++) {
		size_t len = strnlen(sim_classes[i].name, SIM_NAME_LEN);

		if (len > best_len && !strncmp(comm, sim_classes[i].name, len)) {
			best = i;
			best_len = len;
		}
	}
	return best;
}

static const struct {
	const char *key;
	size_t offset;
} settings_table[] = {
#define SETTING(field) { #field, offsetof(struct sim_class, field) }
	SETTING(ipc_milli), SETTING(kappa_milli), SETTING(lines_per_minstr), SETTING(visible_milli),
	SETTING(writeback_milli), SETTING(row_miss_milli), SETTING(pressure_milli), SETTING(sensitivity_milli),
	SETTING(memory_bound_milli), SETTING(vector256_milli), SETTING(vector512_milli), SETTING(branches_milli),
	SETTING(branch_misses_ppm), SETTING(cache_refs_per_minstr), SETTING(cap_khz),
};

static int apply_setting(struct sim_class *class, char *setting)
{
	char *value = strchr(setting, '=');
	u32 number;
	int i;

	if (!value)
		return -EINVAL;
	*value++ = 0;
	if (kstrtou32(value, 10, &number) || number > 10000000)
		return -EINVAL;
	for (i = 0; i < ARRAY_SIZE(settings_table); i++)
		if (!strcmp(setting, settings_table[i].key)) {
			*(u32 *)((char *)class + settings_table[i].offset) = number;
			return 0;
		}
	return -EINVAL;
}

/* Changes a class, or makes a new one from class 0; `settings` is "key=value key=value". books.lock held. */
int sim_class_define(const char *name, char *settings)
{
	struct sim_class changed;
	char *setting;
	int i, err;

	if (!*name || strlen(name) >= SIM_NAME_LEN)
		return -EINVAL;
	for (i = 0; i < sim_class_count; i++)
		if (!strcmp(name, sim_classes[i].name))
			break;
	if (i == SIM_MAX_CLASSES)
		return -ENOSPC;
	changed = sim_classes[i < sim_class_count ? i : 0];
	strscpy(changed.name, name, SIM_NAME_LEN);
	while ((setting = strsep(&settings, " ")) != NULL) {
		if (!*setting)
			continue;
		err = apply_setting(&changed, setting);
		if (err)
			return err;
	}
	sim_classes[i] = changed;
	if (i == sim_class_count)
		sim_class_count++;
	return 0;
}
