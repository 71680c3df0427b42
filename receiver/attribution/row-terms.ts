// SPDX-License-Identifier: Apache-2.0
/**
 * What each row of a window should have drawn by its features: the terms of the counter model, in
 * nanojoules, before they are scaled to what the counter said.
 *
 *   core_i   = a·φC_i + b·φI_i + v·φX_i + l·t_i          t = time on the core, half of it while shared
 *   uncore_i = u·L_i + P_on·V_i                          V = the package's on-time, shared equally
 *
 * Slices without a counter reading enter with the cycles that their CPU's frequency says and with
 * rates per cycle of the same task where it was counted too, else of its CPU domain, else 1.2
 * instructions and no misses (the mean of ordinary code). Where nothing at all was counted this is the
 * model for machines without counters: (a + 1.2·b)·φ·f·(t − 0.45·co) + l·t + P_on·V.
 */
import type { ActivityWindow, CpuSample, TaskSample } from '../model/activity.js';
import { DEFAULT_COEFFICIENTS, type Coefficients } from '../model/coefficients.js';

/** Instructions per cycle of ordinary code: what an uncounted cycle is taken for. */
export const PRIOR_INSTRUCTIONS_PER_CYCLE = 1.2;
/**
 * Interrupt handlers run while some task is current: their events are in its counters, their time is
 * apart. Kernel code that touches packets and queues: fewer instructions a cycle than programs, and misses.
 */
export const IRQ_INSTRUCTIONS_PER_CYCLE = 0.8;
export const IRQ_MISSES_PER_CYCLE = 0.004;
/** Cycles that a task's own counted rates need to outweigh its domain's, about 1 ms. */
const OWN_RATE_CYCLES = 3e6;
/** 1 - 0.55, HaPPy's weight (ATC'14) of a cycle beside a busy hardware thread. */
export const SHARED_CYCLE_DISCOUNT = 0.45;
/** Cycles per nanosecond where no frequency is known: an ordinary server under load. */
const NOMINAL_CYCLES_PER_NANO = 2.5;

/** Sums over one CPU domain, from which the rates of uncounted slices are taken. */
export interface DomainFeatures {
  runtimeNanos: number;
  sliceNanos: number;
  packageOnNanos: number;
  uncountedNanos: number;
  phiCycles: number;
  phiInstructions: number;
  phiVector: number;
  llcMisses: number;
  uncountedPhiCycles: number;
  irqNanos: number;
  unslottedNanos: number;
  overflowNanos: number;
  stealNanos: number;
  hasIrqTime: boolean;
  hasFrequency: boolean;
}

/** One row's features with the gaps filled: cycles, instructions, misses and vector work of all slices. */
export interface RowFeatures {
  phiCycles: number;
  phiInstructions: number;
  phiVector: number;
  llcMisses: number;
  coreNanos: number;
  packageOnNanos: number;
}

const newDomain = (): DomainFeatures => ({
  runtimeNanos: 0,
  sliceNanos: 0,
  packageOnNanos: 0,
  uncountedNanos: 0,
  phiCycles: 0,
  phiInstructions: 0,
  phiVector: 0,
  llcMisses: 0,
  uncountedPhiCycles: 0,
  irqNanos: 0,
  unslottedNanos: 0,
  overflowNanos: 0,
  stealNanos: 0,
  hasIrqTime: false,
  hasFrequency: false,
});

const addCpu = (domain: DomainFeatures, cpu: CpuSample): void => {
  domain.irqNanos += cpu.irqNanos ?? 0;
  domain.stealNanos += cpu.stealNanos ?? 0;
  domain.unslottedNanos += cpu.unslottedNanos;
  domain.overflowNanos += cpu.overflowNanos;
  if (cpu.irqNanos !== undefined) domain.hasIrqTime = true;
  if (cpu.frequencyKhz !== undefined) domain.hasFrequency = true;
};

const addTask = (domain: DomainFeatures, task: TaskSample): void => {
  domain.runtimeNanos += task.runtimeNanos;
  domain.sliceNanos += task.sliceNanos;
  domain.packageOnNanos += task.packageOnNanos;
  domain.uncountedNanos += task.uncountedNanos;
  domain.phiCycles += task.phiCycles;
  domain.phiInstructions += task.phiInstructions;
  domain.phiVector += task.phiVector;
  domain.llcMisses += task.llcMisses;
  domain.uncountedPhiCycles += task.uncountedPhiCycles;
};

/** By CPU domain; only those of which the window has a CPU record. */
export const domainFeatures = (window: ActivityWindow): ReadonlyMap<number, DomainFeatures> => {
  const domains = new Map<number, DomainFeatures>();
  for (const cpu of window.cpus) {
    const domain = domains.get(cpu.cpuDomain) ?? newDomain();
    addCpu(domain, cpu);
    domains.set(cpu.cpuDomain, domain);
  }
  const byIndex: (DomainFeatures | undefined)[] = [];
  for (const [index, domain] of domains) byIndex[index] = domain;
  for (const task of window.tasks) {
    const domain = byIndex[task.cpuDomain];
    if (domain !== undefined) addTask(domain, task);
  }
  // The samples say whose overflow time was; only what they do not know is nobody's.
  for (const { cpuDomain, runtimeNanos } of window.overflow) {
    const domain = byIndex[cpuDomain];
    if (domain !== undefined)
      domain.overflowNanos = Math.max(0, domain.overflowNanos - runtimeNanos);
  }
  return domains;
};

const perCycle = (count: number, cycles: number, prior: number): number =>
  (count + prior * OWN_RATE_CYCLES) / (cycles + OWN_RATE_CYCLES);

/** Rates per cycle of one CPU domain, and what its rows need to know of it. */
export interface DomainRates {
  readonly instructions: number;
  readonly vector: number;
  readonly misses: number;
  /** Cycles of an uncounted nanosecond where the kernel side gave none; see `uncountedCycles`. */
  readonly cyclesPerNano: number;
  /** What `uncountedPhiCycles` is multiplied with: it is in nominal cycles of 1 GHz without a frequency. */
  readonly uncountedScale: number;
  /** Interrupts are booked apart, so what the counters saw of them is taken out of the tasks' readings. */
  readonly takesOutIrq: boolean;
}

export const domainRates = (domain: DomainFeatures): DomainRates => ({
  instructions: perCycle(domain.phiInstructions, domain.phiCycles, PRIOR_INSTRUCTIONS_PER_CYCLE),
  vector: perCycle(domain.phiVector, domain.phiCycles, 0),
  misses: perCycle(domain.llcMisses, domain.phiCycles, 0),
  cyclesPerNano: NOMINAL_CYCLES_PER_NANO,
  uncountedScale: domain.hasFrequency ? 1 : NOMINAL_CYCLES_PER_NANO,
  takesOutIrq: domain.hasIrqTime && domain.irqNanos > 0 && domain.stealNanos === 0,
});

/** A recording, or a kernel side, that gives no cycles for uncounted time: from the time alone. */
const uncountedCycles = (task: TaskSample, rates: DomainRates): number => {
  const { uncountedNanos, uncountedPhiCycles } = task;
  if (uncountedPhiCycles > 0) return uncountedPhiCycles * rates.uncountedScale;
  if (uncountedNanos <= 0) return 0;
  const shared = Math.min(1, task.uncountedOverlapNanos / uncountedNanos);
  return rates.cyclesPerNano * uncountedNanos * (1 - SHARED_CYCLE_DISCOUNT * shared);
};

/** What is left of a count without the interrupts' part: never less than if they counted as the task does. */
const less = (count: number, irqCount: number, ownRatio: number): number =>
  Math.max(count * ownRatio, count - irqCount);

/** One nanosecond of interrupts in a CPU domain whose cycles are known; undefined elsewhere. */
export const irqFeatures = (domain: DomainFeatures, into: RowFeatures): boolean => {
  if (!(domain.sliceNanos > 0) || !(domain.phiCycles > 0)) return false;
  const cycles =
    (domain.phiCycles + domain.uncountedPhiCycles * domainRates(domain).uncountedScale) /
    domain.sliceNanos;
  into.phiCycles = cycles;
  into.phiInstructions = cycles * IRQ_INSTRUCTIONS_PER_CYCLE;
  into.phiVector = 0;
  into.llcMisses = cycles * IRQ_MISSES_PER_CYCLE;
  into.coreNanos = 1;
  into.packageOnNanos = domain.packageOnNanos / domain.sliceNanos;
  return true;
};

/** Fills `into`, which is reused from row to row: 10,000 rows a window. */
export const rowFeatures = (task: TaskSample, rates: DomainRates, into: RowFeatures): void => {
  const { sliceNanos, runtimeNanos } = task;
  // Interrupts (and a hypervisor's steal) are inside a slice but not inside a task's time.
  const ownRatio = sliceNanos > 0 ? Math.min(1, runtimeNanos / sliceNanos) : 1;
  const irqCycles = rates.takesOutIrq ? task.phiCycles * (1 - ownRatio) : 0;
  const cycles = task.phiCycles - irqCycles;
  const instructions = less(task.phiInstructions, IRQ_INSTRUCTIONS_PER_CYCLE * irqCycles, ownRatio);
  const misses = less(task.llcMisses, IRQ_MISSES_PER_CYCLE * irqCycles, ownRatio);
  const vector = task.phiVector;
  const missing = uncountedCycles(task, rates);
  const sharedRatio = sliceNanos > 0 ? Math.min(1, task.overlapNanos / sliceNanos) : 0;
  into.phiCycles = cycles + missing;
  into.phiInstructions =
    instructions + missing * perCycle(instructions, cycles, rates.instructions);
  into.phiVector = vector + missing * perCycle(vector, cycles, rates.vector);
  into.llcMisses = misses + missing * perCycle(misses, cycles, rates.misses);
  into.coreNanos = runtimeNanos * (1 - sharedRatio / 2);
  into.packageOnNanos = task.packageOnNanos * ownRatio;
};

export const emptyRow = (): RowFeatures => ({
  phiCycles: 0,
  phiInstructions: 0,
  phiVector: 0,
  llcMisses: 0,
  coreNanos: 0,
  packageOnNanos: 0,
});

/** What a window sums to, by CPU domain: what calibration learns from. */
export interface WindowFeatures {
  readonly domains: ReadonlyMap<number, DomainFeatures>;
  readonly rows: ReadonlyMap<number, RowFeatures>;
}

export const addFeatures = (sum: RowFeatures, row: RowFeatures): void => {
  sum.phiCycles += row.phiCycles;
  sum.phiInstructions += row.phiInstructions;
  sum.phiVector += row.phiVector;
  sum.llcMisses += row.llcMisses;
  sum.coreNanos += row.coreNanos;
  sum.packageOnNanos += row.packageOnNanos;
};

/** Energy inside the core, nanojoules: W·ns = nJ. */
export const coreNanojoules = (row: RowFeatures, by: Coefficients): number =>
  by.cycleNanojoules * row.phiCycles +
  by.instructionNanojoules * row.phiInstructions +
  by.vectorNanojoules * row.phiVector +
  by.coreWatts * row.coreNanos;

/** Energy of the package outside its cores, nanojoules. */
export const uncoreNanojoules = (row: RowFeatures, by: Coefficients): number =>
  by.llcMissNanojoules * row.llcMisses + by.packageOnWatts * row.packageOnNanos;

/** The same without counters' instructions, misses and vector work: cycles and time alone. */
export const timeCoreNanojoules = (row: RowFeatures, by: Coefficients): number =>
  (by.cycleNanojoules + PRIOR_INSTRUCTIONS_PER_CYCLE * by.instructionNanojoules) * row.phiCycles +
  by.coreWatts * row.coreNanos;

export const coefficientsFor = (
  coefficients: readonly Coefficients[] | undefined,
  cpuDomain: number,
): Coefficients => coefficients?.[cpuDomain] ?? DEFAULT_COEFFICIENTS;
