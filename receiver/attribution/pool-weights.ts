// SPDX-License-Identifier: Apache-2.0
/**
 * Rows' weights -> a pool: task time without a row of its own (interrupts, tasks that found no slot)
 * weighs as much per nanosecond as the mean of the tasks of its CPU domain, for nobody knows more of it.
 */
import type { ActivityWindow } from '../model/activity.js';
import type { DomainFeatures } from './row-terms.js';
import type { CpuDomainWeights, PoolWeights } from './weights.js';

interface Sum {
  weight: number;
  nanos: number;
}

/** Sparse by CPU domain, and the sum of all. */
const sumsOf = (
  domains: ReadonlyMap<number, DomainFeatures>,
  domainOf: Uint8Array,
  tasks: Float64Array,
): { readonly byDomain: readonly (Sum | undefined)[]; readonly all: Sum } => {
  const byDomain: (Sum | undefined)[] = [];
  const all: Sum = { weight: 0, nanos: 0 };
  for (const [index, { runtimeNanos }] of domains) {
    byDomain[index] = { weight: 0, nanos: runtimeNanos };
    all.nanos += runtimeNanos;
  }
  for (let row = 0; row < tasks.length; row++) {
    const weight = tasks[row] ?? 0;
    const sum = byDomain[domainOf[row] ?? 0];
    if (sum === undefined) continue;
    sum.weight += weight;
    all.weight += weight;
  }
  return { byDomain, all };
};

/** Weight of one nanosecond where no task with a row ran at all. */
const UNKNOWN_PER_NANO = 1;

export interface PoolOptions {
  readonly perNanoWithoutTasks?: number;
  /** By CPU domain, where more is known of interrupts than that they took time. */
  readonly irqPerNano?: ReadonlyMap<number, number>;
}

export const poolOf = (
  window: ActivityWindow,
  domains: ReadonlyMap<number, DomainFeatures>,
  domainOf: Uint8Array,
  tasks: Float64Array,
  { perNanoWithoutTasks = UNKNOWN_PER_NANO, irqPerNano }: PoolOptions = {},
): PoolWeights => {
  const { byDomain, all } = sumsOf(domains, domainOf, tasks);
  const mean = all.nanos > 0 ? all.weight / all.nanos : perNanoWithoutTasks;
  const perNano = (cpuDomain: number): number => {
    const sum = byDomain[cpuDomain];
    return sum !== undefined && sum.nanos > 0 ? sum.weight / sum.nanos : mean;
  };
  const cpuDomains = new Map<number, CpuDomainWeights>();
  for (const [index, domain] of domains) {
    const weight = perNano(index);
    cpuDomains.set(index, {
      irq: (irqPerNano?.get(index) ?? weight) * domain.irqNanos,
      unslotted: weight * domain.unslottedNanos,
      overflow: weight * domain.overflowNanos,
    });
  }
  return {
    tasks,
    overflow: Float64Array.from(
      window.overflow,
      ({ cpuDomain, runtimeNanos }) => perNano(cpuDomain) * runtimeNanos,
    ),
    cpuDomains,
  };
};

/** A pool in which nobody weighs anything. */
export const emptyPool = (window: ActivityWindow): PoolWeights => ({
  tasks: new Float64Array(window.tasks.length),
  overflow: new Float64Array(window.overflow.length),
  cpuDomains: new Map(),
});
