// SPDX-License-Identifier: GPL-2.0
/*
 * The books: who ran where since when, and what it cost. Every event first books the time since the last one
 * at the rates of that time, for all CPUs at once, then changes the state and asks the physics for new rates.
 */
#include <linux/cpumask.h>
#include <linux/hrtimer.h>
#include <linux/ktime.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/timekeeping.h>
#include <linux/topology.h>
#include <linux/tracepoint.h>

#include "simhw_hw.h"

/* rates are in 10^-6 of the unit per nanosecond (uW: 10^-15 J; kHz: 10^-6 events) */
#define RATE_SCALE 1000000
#define TICK_NS (10 * NSEC_PER_MSEC)
/* TASK_DEAD of every kernel since 4.14, as the tracepoint hands it over */
#define STATE_DEAD 0x80

struct sim_books books = { .lock = __RAW_SPIN_LOCK_UNLOCKED(books.lock) };
static struct hrtimer tick_timer;
static u64 last_tick_ns;

static u64 take(u64 *carry, u64 rate, u64 dt_ns)
{
	u64 whole;

	*carry += rate * dt_ns;
	whole = div_u64(*carry, RATE_SCALE);
	*carry -= whole * RATE_SCALE;
	return whole;
}

/* Adds to the owner and to the counter in one step: the only way energy of a task enters the books. */
static void charge(struct sim_process *process, enum sim_part part, int package, u64 energy_nj)
{
	struct sim_package *counters = &books.package[package];

	if (process)
		process->energy_nj[part][package] += energy_nj;
	else
		books.lost_nj[part][package] += energy_nj;
	if (part == SIM_DRAM)
		counters->dram_nj += energy_nj;
	else
		counters->package_nj += energy_nj;
	if (part == SIM_OWN || part == SIM_CORE)
		counters->core_nj += energy_nj;
}

static void advance_cpu(struct sim_cpu *cpu, u64 dt_ns)
{
	struct sim_thread *thread = &sim_threads[cpu->thread];
	struct sim_process *process = &sim_processes[thread->process];
	int i;

	for (i = 0; i < SIM_PARTS; i++)
		charge(process, i, i == SIM_MEM || i == SIM_DRAM ? cpu->home : cpu->package,
		       take(&cpu->part_carry[i], cpu->part_uw[i], dt_ns));
	for (i = 0; i < SIM_COUNTERS; i++) {
		u64 count = take(&cpu->counter_carry[i], cpu->counter_khz[i], dt_ns);

		cpu->counter[i] += count;
		process->counter[i] += count;
	}
	thread->run_ns += dt_ns;
	process->run_ns += dt_ns;
	if (cpu->sibling >= 0 && books.cpu[cpu->sibling].thread) {
		thread->overlap_ns += dt_ns;
		process->overlap_ns += dt_ns;
	}
}

static void advance_package(struct sim_package *package, u64 dt_ns)
{
	int i;

	for (i = 0; i < SIM_BUCKETS; i++) {
		u64 energy_nj = take(&package->bucket_carry[i], package->bucket_uw[i], dt_ns);

		package->bucket_nj[i] += energy_nj;
		if (i == SIM_DRAM_BACKGROUND)
			package->dram_nj += energy_nj;
		else
			package->package_nj += energy_nj;
		if (i == SIM_IDLE_CORE)
			package->core_nj += energy_nj;
		if (i == SIM_IGPU)
			package->uncore_nj += energy_nj;
	}
}

void sim_books_advance(void)
{
	u64 now_ns = ktime_get_mono_fast_ns(), dt_ns;
	int i;

	if ((s64)(now_ns - books.last_ns) <= 0) /* the fast clock may step back a little between CPUs */
		return;
	dt_ns = now_ns - books.last_ns;
	books.last_ns = now_ns;
	for (i = 0; i < books.cpus; i++)
		if (books.cpu[i].thread)
			advance_cpu(&books.cpu[i], dt_ns);
	for (i = 0; i < books.packages; i++)
		advance_package(&books.package[i], dt_ns);
	books.rest_nj += take(&books.rest_carry, (u64)sim_rest_mw * 1000, dt_ns);
	books.meter_rest_nj += take(&books.meter_carry, (u64)sim_meter_rest_mw * 1000, dt_ns);
}

u64 sim_cpu_counter(int cpu, enum sim_counter counter)
{
	unsigned long flags;
	u64 value;

	raw_spin_lock_irqsave(&books.lock, flags);
	sim_books_advance();
	value = books.cpu[cpu].counter[counter];
	raw_spin_unlock_irqrestore(&books.lock, flags);
	return value;
}

static void book_exec(struct sim_thread *thread, struct task_struct *task)
{
	u64 exec_ns = task->se.sum_exec_runtime;

	if ((s64)(exec_ns - thread->exec_seen_ns) <= 0)
		return;
	thread->exec_ns += exec_ns - thread->exec_seen_ns;
	sim_processes[thread->process].exec_ns += exec_ns - thread->exec_seen_ns;
	thread->exec_seen_ns = exec_ns;
}

static void switch_out(struct sim_cpu *cpu, struct task_struct *task, bool is_dead)
{
	u32 index = cpu->thread;

	/* another task than we think: only possible before this CPU's first event */
	if (!index || sim_threads[index].task != task)
		index = sim_thread_of(task, false);
	cpu->thread = SIM_NONE;
	if (!index)
		return;
	sim_threads[index].cpu = -1;
	book_exec(&sim_threads[index], task);
	if (is_dead)
		sim_thread_ended(index);
}

static void switch_in(struct sim_cpu *cpu, int number, struct task_struct *task)
{
	struct sim_process *process;
	u32 index;

	if (!task->pid)
		return;
	index = sim_thread_of(task, true);
	if (!index) {
		books.lost_switches++;
		return;
	}
	sim_threads[index].cpu = number;
	process = &sim_processes[sim_threads[index].process];
	if (process->home == SIM_HOME_AUTO)
		process->home = cpu->package;
	cpu->thread = index;
}

static bool is_watched(int cpu)
{
	return cpu < books.cpus && books.cpu[cpu].is_present;
}

static void on_switch(void *data, bool preempt, struct task_struct *prev, struct task_struct *next,
		      unsigned int prev_state)
{
	int number = smp_processor_id();
	unsigned long flags;

	if (!is_watched(number))
		return;
	raw_spin_lock_irqsave(&books.lock, flags);
	sim_books_advance();
	books.switches++;
	if (prev->pid)
		switch_out(&books.cpu[number], prev, prev_state & STATE_DEAD);
	switch_in(&books.cpu[number], number, next);
	sim_physics_update();
	raw_spin_unlock_irqrestore(&books.lock, flags);
}

/* exec and prctl: the new name may be of another class. */
static void on_rename(void *data, struct task_struct *task, const char *comm)
{
	struct sim_process *process;
	struct sim_thread *thread;
	unsigned long flags;
	u32 index;

	raw_spin_lock_irqsave(&books.lock, flags);
	index = sim_thread_of(task, false);
	if (index) {
		sim_books_advance();
		thread = &sim_threads[index];
		process = &sim_processes[thread->process];
		strscpy(thread->comm, comm, SIM_NAME_LEN);
		if (process->forced_class < 0)
			thread->class = sim_class_by_name(thread->comm);
		if (task == task->group_leader)
			memcpy(process->comm, thread->comm, SIM_NAME_LEN);
		sim_physics_update();
	}
	raw_spin_unlock_irqrestore(&books.lock, flags);
}

/* A new program touches new memory: it stays on the node where the program begins. */
static void on_exec(void *data, struct task_struct *task, pid_t old_pid, struct linux_binprm *program)
{
	int number = smp_processor_id();
	unsigned long flags;
	u32 index;

	if (!is_watched(number))
		return;
	raw_spin_lock_irqsave(&books.lock, flags);
	index = sim_thread_of(task, false);
	if (index) {
		sim_books_advance();
		sim_processes[sim_threads[index].process].home = books.cpu[number].package;
		sim_physics_update();
	}
	raw_spin_unlock_irqrestore(&books.lock, flags);
}

/* The tick carries the power limit and the wall meter; the books themselves do not need it. */
static enum hrtimer_restart on_tick(struct hrtimer *timer)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&books.lock, flags);
	sim_books_advance();
	sim_limit_tick(books.last_ns - last_tick_ns); /* a busy host delivers ticks late */
	last_tick_ns = books.last_ns;
	sim_hwmon_tick();
	raw_spin_unlock_irqrestore(&books.lock, flags);
	hrtimer_forward_now(timer, ns_to_ktime(TICK_NS));
	return HRTIMER_RESTART;
}

/* ---- tracepoints are found by name: they are not exported to modules ---- */
static struct probe {
	const char *name;
	void *function;
	struct tracepoint *tracepoint;
	bool is_registered;
} probes[] = {
	{ "sched_switch", on_switch },
	{ "task_rename", on_rename },
	{ "sched_process_exec", on_exec },
};

static void match_tracepoint(struct tracepoint *tracepoint, void *unused)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(probes); i++)
		if (!strcmp(tracepoint->name, probes[i].name))
			probes[i].tracepoint = tracepoint;
}

/* What runs now was switched in before the probes were there. */
static void adopt_current(void *unused)
{
	int number = smp_processor_id();
	unsigned long flags;

	if (!is_watched(number))
		return;
	raw_spin_lock_irqsave(&books.lock, flags);
	sim_books_advance();
	if (!books.cpu[number].thread)
		switch_in(&books.cpu[number], number, current);
	sim_physics_update();
	raw_spin_unlock_irqrestore(&books.lock, flags);
}

int sim_probes_register(void)
{
	int i, err;

	for_each_kernel_tracepoint(match_tracepoint, NULL);
	for (i = 0; i < ARRAY_SIZE(probes); i++) {
		err = probes[i].tracepoint ? tracepoint_probe_register(probes[i].tracepoint, probes[i].function, NULL) :
					     -ENOENT;
		if (err) {
			pr_err("simhw: tracepoint %s: error %d\n", probes[i].name, err);
			sim_probes_unregister();
			return err;
		}
		probes[i].is_registered = true;
	}
	on_each_cpu(adopt_current, NULL, 1);
	last_tick_ns = books.last_ns;
	hrtimer_setup(&tick_timer, on_tick, CLOCK_MONOTONIC, HRTIMER_MODE_REL);
	hrtimer_start(&tick_timer, ns_to_ktime(TICK_NS), HRTIMER_MODE_REL);
	return 0;
}

void sim_probes_unregister(void)
{
	int i;

	hrtimer_cancel(&tick_timer);
	for (i = 0; i < ARRAY_SIZE(probes); i++)
		if (probes[i].is_registered)
			tracepoint_probe_unregister(probes[i].tracepoint, probes[i].function, NULL);
	tracepoint_synchronize_unregister();
}

int sim_books_init(void)
{
	int cpu, package, core;

	for_each_possible_cpu(cpu) {
		if (cpu >= SIM_MAX_CPUS)
			continue;
		package = topology_physical_package_id(cpu);
		if (package < 0 || package >= SIM_MAX_PACKAGES)
			return -EINVAL;
		books.cpus = max(books.cpus, cpu + 1);
		books.packages = max(books.packages, package + 1);
		books.cpu[cpu].is_present = true;
		books.cpu[cpu].package = package;
		books.cpu[cpu].sibling = -1;
		for_each_cpu(core, topology_sibling_cpumask(cpu))
			if (core != cpu)
				books.cpu[cpu].sibling = core;
		if (!books.package[package].is_present) {
			books.package[package].is_present = true;
			books.package[package].first_cpu = cpu;
		}
		books.package[package].set_khz[cpu] = SIM_MAX_KHZ;
		books.package[package].limit_khz = SIM_MAX_KHZ;
	}
	books.begin_ns = books.last_ns = ktime_get_mono_fast_ns();
	sim_physics_update();
	return 0;
}

void sim_books_exit(void)
{
	sim_records_exit();
}
