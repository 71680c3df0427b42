// SPDX-License-Identifier: GPL-2.0
/*
 * Frequency per core: set by scaling_max_freq or by debugfs, read as what the core really runs at (turbo,
 * vector licence and power limit included), which is why the driver has setpolicy and get.
 */
#include <linux/cpufreq.h>
#include <linux/minmax.h>
#include <linux/topology.h>

#include "simhw_hw.h"

void sim_set_khz(int cpu, u32 khz)
{
	int core = books.cpu[cpu].sibling < 0 ? cpu : min(cpu, books.cpu[cpu].sibling);
	unsigned long flags;

	raw_spin_lock_irqsave(&books.lock, flags);
	sim_books_advance();
	books.package[books.cpu[cpu].package].set_khz[core] = clamp_t(u32, khz, SIM_MIN_KHZ, SIM_MAX_KHZ);
	sim_physics_update();
	raw_spin_unlock_irqrestore(&books.lock, flags);
}

u32 sim_get_khz(int cpu)
{
	return READ_ONCE(books.cpu[cpu].khz);
}

static int policy_init(struct cpufreq_policy *policy)
{
	if (policy->cpu >= books.cpus)
		return -ENODEV;
	cpumask_copy(policy->cpus, topology_sibling_cpumask(policy->cpu));
	policy->cpuinfo.min_freq = policy->min = SIM_MIN_KHZ;
	policy->cpuinfo.max_freq = policy->max = SIM_MAX_KHZ;
	policy->cpuinfo.transition_latency = 10000;
	policy->policy = CPUFREQ_POLICY_PERFORMANCE;
	return 0;
}

static int policy_verify(struct cpufreq_policy_data *policy)
{
	cpufreq_verify_within_cpu_limits(policy);
	return 0;
}

static int policy_set(struct cpufreq_policy *policy)
{
	sim_set_khz(policy->cpu, policy->policy == CPUFREQ_POLICY_POWERSAVE ? policy->min : policy->max);
	return 0;
}

static unsigned int get_khz(unsigned int cpu)
{
	return cpu < books.cpus ? sim_get_khz(cpu) : 0;
}

static struct cpufreq_driver driver = {
	.name = "simhw", .init = policy_init, .verify = policy_verify, .setpolicy = policy_set, .get = get_khz,
};

static int cpufreq_on(void)
{
	return cpufreq_register_driver(&driver);
}

static void cpufreq_off(void)
{
	cpufreq_unregister_driver(&driver);
}

struct sim_device sim_cpufreq = { .name = "cpufreq", .on = cpufreq_on, .off = cpufreq_off };
