// SPDX-License-Identifier: GPL-2.0
/*
 * Zones: the sums of the books as counters show them. A counter has a range and wraps; a fault changes what is
 * shown, never the books.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/string.h>

#include "simhw_hw.h"

struct sim_zone sim_zones[SIM_MAX_ZONES];
int sim_zone_count;

static void add_zone(enum sim_zone_kind kind, int package, const char *format)
{
	struct sim_zone *zone = &sim_zones[sim_zone_count++];

	zone->kind = kind;
	zone->package = package;
	zone->range_uj = sim_range_uj;
	snprintf(zone->name, sizeof(zone->name), format, package);
}

void sim_zones_init(void)
{
	int i;

	for (i = 0; i < books.packages; i++) {
		add_zone(SIM_ZONE_PACKAGE, i, "package-%d");
		add_zone(SIM_ZONE_CORE, i, "core-%d");
		add_zone(SIM_ZONE_UNCORE, i, "uncore-%d");
		add_zone(SIM_ZONE_DRAM, i, "dram-%d");
		add_zone(SIM_ZONE_MMIO, i, "mmio-%d");
	}
	add_zone(SIM_ZONE_PSYS, 0, "psys");
}

struct sim_zone *sim_zone_get(enum sim_zone_kind kind, int package)
{
	int i;

	for (i = 0; i < sim_zone_count; i++)
		if (sim_zones[i].kind == kind && sim_zones[i].package == package)
			return &sim_zones[i];
	return NULL;
}

struct sim_zone *sim_zone_find(const char *name)
{
	int i;

	for (i = 0; i < sim_zone_count; i++)
		if (!strcmp(sim_zones[i].name, name))
			return &sim_zones[i];
	return NULL;
}

u64 sim_zone_total_nj(const struct sim_zone *zone)
{
	const struct sim_package *package = &books.package[zone->package];
	u64 total_nj = books.rest_nj;
	int i;

	switch (zone->kind) {
	case SIM_ZONE_PACKAGE:
	case SIM_ZONE_MMIO:
		return package->package_nj;
	case SIM_ZONE_CORE:
		return package->core_nj;
	case SIM_ZONE_UNCORE:
		return package->uncore_nj;
	case SIM_ZONE_DRAM:
		return package->dram_nj;
	case SIM_ZONE_PSYS:
		for (i = 0; i < books.packages; i++)
			total_nj += books.package[i].package_nj + books.package[i].dram_nj;
		return total_nj;
	}
	return 0;
}

u64 sim_zone_counter_uj(const struct sim_zone *zone)
{
	u64 value_uj = div_u64(sim_zone_total_nj(zone), 1000) + zone->offset_uj, rest;

	div64_u64_rem(value_uj, zone->range_uj + 1, &rest);
	return rest;
}

int sim_zone_shown_uj(struct sim_zone *zone, u64 *value)
{
	unsigned long flags;
	int err = 0;

	raw_spin_lock_irqsave(&books.lock, flags);
	sim_books_advance();
	switch (zone->fault) {
	case SIM_FAULT_NONE:
		*value = sim_zone_counter_uj(zone);
		break;
	case SIM_FAULT_FREEZE:
	case SIM_FAULT_GARBAGE:
		*value = zone->fault_value;
		break;
	case SIM_FAULT_ERROR:
		err = -EIO;
		break;
	}
	sim_read_note(zone, false, err ? err : (s64)*value, err != 0);
	raw_spin_unlock_irqrestore(&books.lock, flags);
	return err;
}

u64 sim_zone_perf_nj(struct sim_zone *zone)
{
	unsigned long flags;
	u64 value_nj;

	raw_spin_lock_irqsave(&books.lock, flags);
	sim_books_advance();
	value_nj = zone->fault == SIM_FAULT_FREEZE ? zone->frozen_nj : sim_zone_total_nj(zone) + zone->jump_nj;
	sim_read_note(zone, true, value_nj, false);
	raw_spin_unlock_irqrestore(&books.lock, flags);
	return value_nj;
}

/* So that the counter shows `shown_uj` now. */
static void set_counter(struct sim_zone *zone, u64 shown_uj)
{
	u64 total_uj = div_u64(sim_zone_total_nj(zone), 1000), rest;

	div64_u64_rem(total_uj, zone->range_uj + 1, &rest);
	zone->offset_uj = shown_uj >= rest ? shown_uj - rest : shown_uj + zone->range_uj + 1 - rest;
}

/* Kinds: wrap [uJ before the end], reset, freeze, garbage VALUE, error, jump uJ, ok. books.lock held. */
int sim_zone_fault(struct sim_zone *zone, const char *kind, u64 value)
{
	sim_books_advance();
	if (!strcmp(kind, "wrap")) {
		set_counter(zone, zone->range_uj - min(value ? value : 500000, zone->range_uj));
	} else if (!strcmp(kind, "reset")) {
		set_counter(zone, 0);
	} else if (!strcmp(kind, "freeze")) {
		zone->fault_value = sim_zone_counter_uj(zone);
		zone->frozen_nj = sim_zone_total_nj(zone) + zone->jump_nj;
		zone->fault = SIM_FAULT_FREEZE;
	} else if (!strcmp(kind, "garbage")) {
		zone->fault_value = value;
		zone->fault = SIM_FAULT_GARBAGE;
	} else if (!strcmp(kind, "error")) {
		zone->fault = SIM_FAULT_ERROR;
	} else if (!strcmp(kind, "jump")) {
		zone->offset_uj += value;
		zone->jump_nj += value * 1000;
	} else if (!strcmp(kind, "ok")) {
		zone->fault = SIM_FAULT_NONE;
	} else {
		return -EINVAL;
	}
	return 0;
}

/* What a suspend to RAM does to the counters of many machines. books.lock held. */
void sim_zones_reset_all(void)
{
	int i;

	sim_books_advance();
	for (i = 0; i < sim_zone_count; i++)
		set_counter(&sim_zones[i], 0);
}
