// SPDX-License-Identifier: Apache-2.0
/**
 * The seed article's weight, made to conserve: CPU time times a factor for instructions per cycle.
 *
 *   W_i = t_i · max(0, 1 + α·(IPC_i − base))
 *
 * and inside a core whose two threads run with IPCs more than 3 apart, 80 % of the shared time to the faster
 * and 20 % to the slower one. The article takes no more IPC factor there (that would count it twice)
 * and its weights do not sum to 1: both are mended by giving each row's shared time its weight first and
 * normalising over everything that ran. A row does not say beside whom it ran: the IPC of the other
 * threads is the mean of the other shared time in the CPU domain.
 */
import type { ActivityWindow, TaskSample } from '../model/activity.js';

export interface SeedParameters {
  /** 0.2 to 0.5 in the article. */
  readonly alpha: number;
  /** The platform's mean. */
  readonly baseInstructionsPerCycle: number;
}

export const DEFAULT_SEED: SeedParameters = { alpha: 0.3, baseInstructionsPerCycle: 1 };

const SMT_RATIO = 3;
/** 80 % and 20 % of the two threads' shared time, in parts of an equal half. */
const FAST_SHARE = 1.6;
const SLOW_SHARE = 0.4;

const instructionsPerCycle = (task: TaskSample, { baseInstructionsPerCycle }: SeedParameters) =>
  task.cycles > 0 ? task.instructions / task.cycles : baseInstructionsPerCycle;

const sharedNanosOf = ({ runtimeNanos, sliceNanos, overlapNanos }: TaskSample): number =>
  sliceNanos > 0 ? runtimeNanos * Math.min(1, overlapNanos / sliceNanos) : 0;

/** Shared time of a CPU domain and the sum of IPC over it. */
interface Shared {
  nanos: number;
  weighted: number;
}

const sharedByDomain = (
  window: ActivityWindow,
  parameters: SeedParameters,
): readonly (Shared | undefined)[] => {
  const domains: (Shared | undefined)[] = [];
  for (const task of window.tasks) {
    const nanos = sharedNanosOf(task);
    if (nanos <= 0) continue;
    const shared = (domains[task.cpuDomain] ??= { nanos: 0, weighted: 0 });
    shared.nanos += nanos;
    shared.weighted += nanos * instructionsPerCycle(task, parameters);
  }
  return domains;
};

/** undefined: the rule does not apply, the time counts as any other. */
const sharedFactor = (
  nanos: number,
  own: number,
  shared: Shared | undefined,
): number | undefined => {
  if (shared === undefined || nanos <= 0) return undefined;
  const otherNanos = shared.nanos - nanos;
  if (otherNanos <= 0) return undefined;
  const other = (shared.weighted - nanos * own) / otherNanos;
  if (own > SMT_RATIO * other) return FAST_SHARE;
  return other > SMT_RATIO * own ? SLOW_SHARE : undefined;
};

/** Parallel to `window.tasks`; in nanoseconds. */
export const seedWeights = (window: ActivityWindow, parameters: SeedParameters): Float64Array => {
  const shared = sharedByDomain(window, parameters);
  const weights = new Float64Array(window.tasks.length);
  window.tasks.forEach((task, row) => {
    const own = instructionsPerCycle(task, parameters);
    const { alpha, baseInstructionsPerCycle } = parameters;
    const factor = Math.max(0, 1 + alpha * (own - baseInstructionsPerCycle));
    const nanos = sharedNanosOf(task);
    const beside = sharedFactor(nanos, own, shared[task.cpuDomain]) ?? factor;
    weights[row] = (task.runtimeNanos - nanos) * factor + nanos * beside;
  });
  return weights;
};
