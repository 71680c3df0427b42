// SPDX-License-Identifier: Apache-2.0
/**
 * The model for machines without hardware counters: energy goes by CPU time, less for time that was
 * shared with the other hardware thread of the core.
 *
 *   weight = t - 0.45 * co        [ns of task time]
 *
 * Two busy threads of one core draw 1.10 times what one draws (HaPPy, ATC'14: 0.55 each), so a
 * nanosecond beside a busy sibling weighs 0.55. Memory energy goes by the same weights until counters
 * say who caused the traffic.
 */
import type { ActivityWindow, CpuSample, TaskSample } from '../model/activity.js';
import type { CpuDomainWeights, WeightModel } from './weights.js';

/** 1 - 0.55, HaPPy's weight of a co-running cycle. */
export const SMT_SHARED_DISCOUNT = 0.45;

/**
 * Overlap is kept in slice time (wall clock on the CPU, steal included), task time without steal:
 * scaled by their ratio before it is subtracted. Rounded to whole nanoseconds so that sums of weights
 * stay exact below 2^53; positive whenever the task ran.
 */
export const timeWeight = (task: TaskSample): number => {
  const { runtimeNanos, sliceNanos, overlapNanos } = task;
  if (overlapNanos <= 0 || sliceNanos <= 0) return runtimeNanos;
  const overlapRatio = Math.min(1, overlapNanos / sliceNanos);
  return runtimeNanos - Math.round(SMT_SHARED_DISCOUNT * overlapRatio * runtimeNanos);
};

const emptyWeights = (): CpuDomainWeights => ({ irq: 0, unslotted: 0, overflow: 0 });

const sumByCpuDomain = (cpus: readonly CpuSample[]): Map<number, CpuDomainWeights> => {
  const domains = new Map<number, CpuDomainWeights>();
  for (const cpu of cpus) {
    const weights = domains.get(cpu.cpuDomain) ?? emptyWeights();
    weights.irq += cpu.irqNanos ?? 0;
    weights.unslotted += cpu.unslottedNanos;
    weights.overflow += cpu.overflowNanos;
    domains.set(cpu.cpuDomain, weights);
  }
  return domains;
};

/** The CPUs say how much time found no slot, the samples whose; the difference is nobody's. */
const subtractKnownOverflow = (
  domains: Map<number, CpuDomainWeights>,
  window: ActivityWindow,
): void => {
  for (const sample of window.overflow) {
    const weights = domains.get(sample.cpuDomain);
    if (weights !== undefined) {
      weights.overflow = Math.max(0, weights.overflow - sample.runtimeNanos);
    }
  }
};

/** Weights in nanoseconds of task time; the same for package and memory. */
export const timeModel: WeightModel = (window) => {
  const cpuDomains = sumByCpuDomain(window.cpus);
  subtractKnownOverflow(cpuDomains, window);
  const tasks = new Float64Array(window.tasks.length);
  window.tasks.forEach((task, i) => {
    tasks[i] = timeWeight(task);
  });
  return {
    split: 'time',
    tasks,
    overflow: Float64Array.from(window.overflow, (sample) => sample.runtimeNanos),
    cpuDomains,
  };
};
