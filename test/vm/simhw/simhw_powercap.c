// SPDX-License-Identifier: GPL-2.0
/*
 * Zones in /sys/class/powercap, with the names, the tree and the file modes of intel_rapl on a server:
 * intel-rapl:N package-N, below it core, uncore, dram; intel-rapl:M psys; and, if asked for, the duplicate of
 * each package that machines with an MMIO interface show as intel-rapl-mmio:N.
 */
#include <linux/err.h>
#include <linux/module.h>
#include <linux/powercap.h>
#include <linux/string.h>

#include "simhw_hw.h"

static bool zone_core = true, zone_uncore = true, zone_dram = true, zone_psys = true, zone_mmio;
module_param(zone_core, bool, 0644);
module_param(zone_uncore, bool, 0644);
module_param(zone_dram, bool, 0644);
module_param(zone_psys, bool, 0644);
module_param(zone_mmio, bool, 0644);

#define PACKAGE_CONSTRAINTS 2 /* long_term, short_term */
#define OTHER_CONSTRAINTS 1   /* powercap wants at least one */
#define PACKAGE_TDP_UW 65000000
#define DRAM_MAX_UW 41250000

struct shown_zone {
	struct powercap_zone powercap;
	struct sim_zone *zone;
	bool is_registered;
};
static struct shown_zone shown[SIM_MAX_ZONES];
static struct powercap_control_type *rapl, *mmio;

static struct sim_zone *zone_of(struct powercap_zone *powercap)
{
	return container_of(powercap, struct shown_zone, powercap)->zone;
}

static int get_energy(struct powercap_zone *powercap, u64 *value)
{
	return sim_zone_shown_uj(zone_of(powercap), value);
}

static int get_range(struct powercap_zone *powercap, u64 *value)
{
	*value = zone_of(powercap)->range_uj;
	return 0;
}

static int get_enable(struct powercap_zone *powercap, bool *value)
{
	*value = sim_limit_enabled[zone_of(powercap)->package];
	return 0;
}

static int set_enable(struct powercap_zone *powercap, bool value)
{
	sim_limit_enabled[zone_of(powercap)->package] = value;
	return 0;
}

static int release(struct powercap_zone *powercap)
{
	return 0;
}

static const struct powercap_zone_ops zone_ops = {
	.get_energy_uj = get_energy, .get_max_energy_range_uj = get_range,
	.get_enable = get_enable, .set_enable = set_enable, .release = release,
};

/* Only packages have limits that do anything; the others show what servers show there: no limit set. */
static bool has_limit(struct powercap_zone *powercap)
{
	enum sim_zone_kind kind = zone_of(powercap)->kind;

	return kind == SIM_ZONE_PACKAGE || kind == SIM_ZONE_MMIO;
}

static int get_limit(struct powercap_zone *powercap, int id, u64 *value)
{
	*value = has_limit(powercap) ? sim_limit_uw[zone_of(powercap)->package][id] : 0;
	return 0;
}

static int set_limit(struct powercap_zone *powercap, int id, u64 value)
{
	if (!has_limit(powercap))
		return -EOPNOTSUPP;
	sim_limit_uw[zone_of(powercap)->package][id] = value;
	return 0;
}

static int get_window(struct powercap_zone *powercap, int id, u64 *value)
{
	*value = has_limit(powercap) ? sim_limit_window_us[zone_of(powercap)->package][id] : 976;
	return 0;
}

static int set_window(struct powercap_zone *powercap, int id, u64 value)
{
	if (!has_limit(powercap))
		return -EOPNOTSUPP;
	sim_limit_window_us[zone_of(powercap)->package][id] = value;
	return 0;
}

static int get_max_power(struct powercap_zone *powercap, int id, u64 *value)
{
	if (id != 0)
		return -EINVAL;
	if (has_limit(powercap))
		*value = PACKAGE_TDP_UW;
	else if (zone_of(powercap)->kind == SIM_ZONE_DRAM)
		*value = DRAM_MAX_UW;
	else
		return -ENODATA;
	return 0;
}

static const char *get_name(struct powercap_zone *powercap, int id)
{
	return id == 0 ? "long_term" : "short_term";
}

static const struct powercap_zone_constraint_ops constraint_ops = {
	.get_power_limit_uw = get_limit, .set_power_limit_uw = set_limit,
	.get_time_window_us = get_window, .set_time_window_us = set_window,
	.get_max_power_uw = get_max_power, .get_name = get_name,
};

static struct powercap_zone *show_zone(struct powercap_control_type *type, enum sim_zone_kind kind, int package,
				       const char *name, struct powercap_zone *parent, int constraints)
{
	struct sim_zone *zone = sim_zone_get(kind, package);
	struct shown_zone *one = &shown[zone - sim_zones];
	struct powercap_zone *made;

	memset(one, 0, sizeof(*one));
	one->zone = zone;
	made = powercap_register_zone(&one->powercap, type, name, parent, &zone_ops, constraints, &constraint_ops);
	one->is_registered = !IS_ERR(made);
	if (IS_ERR(made))
		pr_err("simhw: powercap zone %s: error %ld\n", name, PTR_ERR(made));
	return made;
}

static int show_package(int package)
{
	const struct {
		bool wanted;
		enum sim_zone_kind kind;
		const char *name;
	} children[] = {
		{ zone_core, SIM_ZONE_CORE, "core" },
		{ zone_uncore, SIM_ZONE_UNCORE, "uncore" },
		{ zone_dram, SIM_ZONE_DRAM, "dram" },
	};
	struct powercap_zone *parent, *made;
	char name[SIM_NAME_LEN];
	int i;

	snprintf(name, sizeof(name), "package-%d", package);
	parent = show_zone(rapl, SIM_ZONE_PACKAGE, package, name, NULL, PACKAGE_CONSTRAINTS);
	if (IS_ERR(parent))
		return PTR_ERR(parent);
	for (i = 0; i < ARRAY_SIZE(children); i++) {
		made = children[i].wanted ? show_zone(rapl, children[i].kind, package, children[i].name, parent,
						      OTHER_CONSTRAINTS) : NULL;
		if (IS_ERR(made))
			return PTR_ERR(made);
	}
	made = mmio ? show_zone(mmio, SIM_ZONE_MMIO, package, name, NULL, PACKAGE_CONSTRAINTS) : NULL;
	return PTR_ERR_OR_ZERO(made);
}

static void powercap_off(void)
{
	int i;

	/* children first: they were made after their parents, but for the next package */
	for (i = sim_zone_count - 1; i >= 0; i--)
		if (shown[i].is_registered)
			powercap_unregister_zone(shown[i].zone->kind == SIM_ZONE_MMIO ? mmio : rapl,
						 &shown[i].powercap);
	memset(shown, 0, sizeof(shown));
	if (mmio)
		powercap_unregister_control_type(mmio);
	powercap_unregister_control_type(rapl);
	rapl = mmio = NULL;
}

static int powercap_on(void)
{
	struct powercap_zone *psys;
	int i, err = 0;

	rapl = powercap_register_control_type(NULL, "intel-rapl", NULL);
	if (IS_ERR(rapl))
		return PTR_ERR(rapl);
	mmio = zone_mmio ? powercap_register_control_type(NULL, "intel-rapl-mmio", NULL) : NULL;
	if (IS_ERR(mmio)) {
		err = PTR_ERR(mmio);
		mmio = NULL;
	}
	for (i = 0; i < books.packages && !err; i++)
		err = show_package(i);
	psys = zone_psys && !err ? show_zone(rapl, SIM_ZONE_PSYS, 0, "psys", NULL, OTHER_CONSTRAINTS) : NULL;
	if (IS_ERR(psys))
		err = PTR_ERR(psys);
	if (err)
		powercap_off();
	return err;
}

struct sim_device sim_powercap = { .name = "powercap", .on = powercap_on, .off = powercap_off };
