// SPDX-License-Identifier: GPL-2.0
/*
 * The physics: from who runs where to rates. Nothing here has a memory but the power limit.
 *
 *   V(f)        = 0.70 V up to 1.2 GHz, then +0.13 V per GHz
 *   own         = V^2 * 0.45 nJ * kappa * delta per instruction
 *   core shared = V^2 * (0.65 + 0.05 if both siblings run) nJ per core cycle + 0.6 W * (V / 0.9 V)^2 leakage
 *   package     = floor + on-power while any CPU is busy + 4 nJ per line of its memory + idle cores + iGPU
 *   dram node   = background + (10 nJ read | 12 nJ write) + 8 nJ if a row is opened, per line of its memory
 *   SMT         : IPC of each sibling *= 1 - 0.40 * pressure of the other * own sensitivity
 *   memory      : IPC of a memory-bound class falls as 1/f; a node serves at most 140 GB/s
 */
#include <linux/jhash.h>
#include <linux/math64.h>
#include <linux/minmax.h>

#include "simhw_hw.h"

#define INSTRUCTION_PJ 450
#define CORE_CYCLE_PJ 650
#define CORE_CYCLE_SMT_PJ 50
#define LEAK_UW 600000
#define LEAK_REF_MV2 (900 * 900)
#define LINE_PACKAGE_PJ 4000
#define LINE_READ_PJ 10000
#define LINE_WRITE_PJ 12000
#define LINE_ROW_PJ 8000
#define SMT_SLOWDOWN_MILLI 400
#define ROOF_LINES_KHZ 2187500 /* 140 GB/s in lines of 64 bytes */
#define LIMIT_STEP_KHZ 100000

u64 sim_limit_uw[SIM_MAX_PACKAGES][2];
u64 sim_limit_window_us[SIM_MAX_PACKAGES][2];
bool sim_limit_enabled[SIM_MAX_PACKAGES];

static const struct sim_class *class_on(const struct sim_cpu *cpu)
{
	return cpu->thread ? &sim_classes[sim_threads[cpu->thread].class] : NULL;
}

static struct sim_cpu *sibling_of(const struct sim_cpu *cpu)
{
	return cpu->sibling < 0 ? NULL : &books.cpu[cpu->sibling];
}

static int core_of(int cpu)
{
	int sibling = books.cpu[cpu].sibling;

	return sibling < 0 ? cpu : min(cpu, sibling);
}

/* Highest frequency by the number of active cores of the package. */
static u32 turbo_khz(int active_cores)
{
	return active_cores <= 2 ? 3500000 : active_cores <= 8 ? 3200000 : 2900000;
}

static u32 core_khz(int cpu, int active_cores)
{
	const struct sim_cpu *one = &books.cpu[cpu], *other = sibling_of(one);
	const struct sim_package *package = &books.package[one->package];
	u32 khz = min3(package->set_khz[core_of(cpu)], package->limit_khz, turbo_khz(active_cores));
	const struct sim_class *class = class_on(one);

	if (class && class->cap_khz)
		khz = min(khz, class->cap_khz);
	class = other ? class_on(other) : NULL;
	if (class && class->cap_khz)
		khz = min(khz, class->cap_khz);
	return max_t(u32, khz, SIM_MIN_KHZ);
}

static u64 volts2_mv2(u32 khz)
{
	u64 mv = 700 + (khz > 1200000 ? div_u64((u64)(khz - 1200000) * 130, 1000000) : 0);

	return mv * mv;
}

/* Thousand instructions per second. */
static u64 instructions_khz(const struct sim_cpu *cpu, const struct sim_class *class)
{
	const struct sim_cpu *other = sibling_of(cpu);
	const struct sim_class *rival = other ? class_on(other) : NULL;
	u64 khz = div_u64((u64)cpu->khz * class->ipc_milli, 1000);
	/* at SIM_REF_KHZ the class has its own IPC; the memory-bound part of a cycle's work grows with f */
	u64 scale = 1000 - class->memory_bound_milli + div_u64((u64)class->memory_bound_milli * cpu->khz, SIM_REF_KHZ);

	khz = div_u64(khz * 1000, scale);
	if (rival) {
		u64 loss_ppm = div_u64((u64)SMT_SLOWDOWN_MILLI * rival->pressure_milli * class->sensitivity_milli, 1000);

		khz = div_u64(khz * (1000000 - min_t(u64, loss_ppm, 950000)), 1000000);
	}
	return khz;
}

static void set_counters(struct sim_cpu *cpu, const struct sim_class *class, u64 instr_khz)
{
	u64 lines_khz = div_u64(instr_khz * class->lines_per_minstr, 1000000);
	u64 reads_khz = div_u64(lines_khz * (1000 - class->writeback_milli), 1000);

	cpu->counter_khz[SIM_CYCLES] = cpu->khz;
	cpu->counter_khz[SIM_REF_CYCLES] = SIM_TSC_KHZ;
	cpu->counter_khz[SIM_INSTRUCTIONS] = instr_khz;
	cpu->counter_khz[SIM_LINES] = lines_khz;
	cpu->counter_khz[SIM_CACHE_MISSES] = div_u64(reads_khz * class->visible_milli, 1000);
	cpu->counter_khz[SIM_CACHE_REFS] = div_u64(instr_khz * class->cache_refs_per_minstr, 1000000);
	cpu->counter_khz[SIM_BRANCHES] = div_u64(instr_khz * class->branches_milli, 1000);
	cpu->counter_khz[SIM_BRANCH_MISSES] = div_u64(instr_khz * class->branch_misses_ppm, 1000000);
	cpu->counter_khz[SIM_VECTOR256] = div_u64(instr_khz * class->vector256_milli, 1000);
	cpu->counter_khz[SIM_VECTOR512] = div_u64(instr_khz * class->vector512_milli, 1000);
}

static void set_powers(struct sim_cpu *cpu, const struct sim_class *class, int busy_cpus)
{
	const struct sim_cpu *other = sibling_of(cpu);
	const struct sim_process *process = &sim_processes[sim_threads[cpu->thread].process];
	u64 v2 = volts2_mv2(cpu->khz);
	u64 instr_fj = div_u64(div_u64(INSTRUCTION_PJ * v2, 1000) * class->kappa_milli, 1000);
	bool is_shared = other && other->thread;
	u64 cycle_fj = div_u64((CORE_CYCLE_PJ + (is_shared ? CORE_CYCLE_SMT_PJ : 0)) * v2, 1000);
	u64 core_uw = div_u64(cpu->khz * cycle_fj, 1000000) + div_u64(LEAK_UW * v2, LEAK_REF_MV2);
	u64 line_pj = LINE_READ_PJ + div_u64((LINE_WRITE_PJ - LINE_READ_PJ) * class->writeback_milli +
					     (u64)LINE_ROW_PJ * class->row_miss_milli, 1000);

	instr_fj = div_u64(instr_fj * process->delta_milli, 1000);
	cpu->home = process->home < books.packages ? process->home : cpu->package;
	cpu->part_uw[SIM_OWN] = div_u64(cpu->counter_khz[SIM_INSTRUCTIONS] * instr_fj, 1000000);
	cpu->part_uw[SIM_CORE] = is_shared ? core_uw / 2 : core_uw;
	cpu->part_uw[SIM_ON] = div_u64((u64)sim_on_mw * 1000, busy_cpus);
	cpu->part_uw[SIM_MEM] = div_u64(cpu->counter_khz[SIM_LINES] * LINE_PACKAGE_PJ, 1000);
	cpu->part_uw[SIM_DRAM] = div_u64(cpu->counter_khz[SIM_LINES] * line_pj, 1000);
}

/* Slows the tasks that want more lines than their memory node can serve. */
static void apply_roof(void)
{
	u64 wanted_khz[SIM_MAX_PACKAGES] = {};
	int i;

	for (i = 0; i < books.cpus; i++)
		if (books.cpu[i].thread)
			wanted_khz[books.cpu[i].home] += books.cpu[i].counter_khz[SIM_LINES];
	for (i = 0; i < books.cpus; i++) {
		struct sim_cpu *cpu = &books.cpu[i];
		u64 wanted = wanted_khz[cpu->home];

		if (cpu->thread && wanted > ROOF_LINES_KHZ && cpu->counter_khz[SIM_LINES])
			set_counters(cpu, class_on(cpu),
				     div64_u64(cpu->counter_khz[SIM_INSTRUCTIONS] * ROOF_LINES_KHZ, wanted));
	}
}

static void count_busy(int *busy_cpus, int *active_cores, int *idle_cores)
{
	int i;

	for (i = 0; i < books.cpus; i++) {
		struct sim_cpu *cpu = &books.cpu[i], *other = sibling_of(cpu);
		bool is_core_busy = cpu->thread || (other && other->thread);

		if (!cpu->is_present)
			continue;
		busy_cpus[cpu->package] += !!cpu->thread;
		if (core_of(i) == i) {
			active_cores[cpu->package] += is_core_busy;
			idle_cores[cpu->package] += !is_core_busy;
		}
	}
}

static void update_packages(const int *busy_cpus, const int *idle_cores)
{
	int i;

	for (i = 0; i < books.packages; i++) {
		struct sim_package *package = &books.package[i];

		package->bucket_uw[SIM_IDLE_FLOOR] = sim_floor_mw * 1000ULL;
		package->bucket_uw[SIM_IDLE_CORE] = (u64)idle_cores[i] * sim_idle_core_mw * 1000;
		package->bucket_uw[SIM_IGPU] = package->igpu_uw;
		package->bucket_uw[SIM_DRAM_BACKGROUND] = sim_dram_background_mw * 1000ULL;
	}
}

void sim_physics_update(void)
{
	int busy_cpus[SIM_MAX_PACKAGES] = {}, active_cores[SIM_MAX_PACKAGES] = {}, idle_cores[SIM_MAX_PACKAGES] = {};
	int i;

	count_busy(busy_cpus, active_cores, idle_cores);
	update_packages(busy_cpus, idle_cores);
	for (i = 0; i < books.cpus; i++) {
		struct sim_cpu *cpu = &books.cpu[i];
		const struct sim_class *class = class_on(cpu);

		if (!cpu->is_present)
			continue;
		cpu->khz = core_khz(i, active_cores[cpu->package]);
		if (class) {
			u8 home = sim_processes[sim_threads[cpu->thread].process].home;

			cpu->home = home < books.packages ? home : cpu->package;
			set_counters(cpu, class, instructions_khz(cpu, class));
		}
	}
	apply_roof();
	for (i = 0; i < books.cpus; i++)
		if (books.cpu[i].thread)
			set_powers(&books.cpu[i], class_on(&books.cpu[i]), busy_cpus[books.cpu[i].package]);
}

/* Log-normal with a standard deviation of sim_data_sigma_milli, by a sum of four bytes of a hash. */
u32 sim_delta_milli(s32 tgid, u64 start_ns)
{
	u32 hash = jhash_3words(tgid, (u32)start_ns, (u32)(start_ns >> 32), sim_seed);
	int sum = (hash & 0xff) + (hash >> 8 & 0xff) + (hash >> 16 & 0xff) + (hash >> 24);

	/* mean 510, standard deviation 147.8 */
	return max(200, 1000 + (int)sim_data_sigma_milli * (sum - 510) * 10 / 1478);
}

/* The long-term limit: the running mean of the package's power steers the highest frequency. */
void sim_limit_tick(u64 dt_ns)
{
	static u64 last_nj[SIM_MAX_PACKAGES];
	static s64 mean_uw[SIM_MAX_PACKAGES];
	bool has_changed = false;
	int i;

	if (!dt_ns)
		return;
	for (i = 0; i < books.packages; i++) {
		struct sim_package *package = &books.package[i];
		s64 power_uw = div64_u64((package->package_nj - last_nj[i]) * 1000000, dt_ns);
		s64 window_ns = max(sim_limit_window_us[i][0] * 1000, dt_ns);
		u32 khz = package->limit_khz;

		mean_uw[i] = last_nj[i] ? mean_uw[i] + div64_s64((power_uw - mean_uw[i]) * (s64)div_u64(dt_ns, 1000),
								 div64_s64(window_ns, 1000)) : power_uw;
		last_nj[i] = package->package_nj;
		if (!sim_limit_enabled[i])
			khz = SIM_MAX_KHZ;
		else if (mean_uw[i] > (s64)sim_limit_uw[i][0])
			khz = max_t(u32, khz - LIMIT_STEP_KHZ, SIM_MIN_KHZ);
		else if (mean_uw[i] * 100 < (s64)sim_limit_uw[i][0] * 97)
			khz = min_t(u32, khz + LIMIT_STEP_KHZ, SIM_MAX_KHZ);
		has_changed |= khz != package->limit_khz;
		package->limit_khz = khz;
	}
	if (has_changed)
		sim_physics_update();
}
