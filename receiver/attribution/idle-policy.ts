// SPDX-License-Identifier: Apache-2.0
/**
 * Who pays for idle. The floor is known, but it has no right owner; `none` leaves it in a bucket of its
 * own. The other policies hand it to what ran on the domain in the window, and leave in the bucket
 * what they have no owner for, so that each conserves:
 *
 *   equal    each process that ran, kernel threads not among them, the same
 *   active   in proportion to the active energy
 *   request  in proportion to what each cgroup has reserved; cgroups without a reservation pay nothing
 */
import type { ActivityWindow, TaskSample } from '../model/activity.js';
import { processKey } from '../model/ledger-view.js';
import type { Claims } from './claims.js';

export type IdlePolicy = 'none' | 'equal' | 'active' | 'request';

/** By cgroup: CPUs reserved (or any other measure; only ratios count). */
export type Reservations = ReadonlyMap<bigint, number>;

const rowsPerKey = <Key>(
  rows: Uint32Array,
  tasks: readonly TaskSample[],
  keyOf: (task: TaskSample) => Key | undefined,
): ReadonlyMap<Key, number> => {
  const counts = new Map<Key, number>();
  for (const row of rows) {
    const task = tasks[row];
    const key = task && task.runtimeNanos > 0 ? keyOf(task) : undefined;
    if (key !== undefined) counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
};

/** Rows share their owner's part equally; a row that did not run has none. */
const ownersWeights = <Key>(
  { taskRows, overflowRows }: Claims,
  tasks: readonly TaskSample[],
  keyOf: (task: TaskSample) => Key | undefined,
  weightOf: (key: Key) => number,
): Float64Array => {
  const counts = rowsPerKey(taskRows, tasks, keyOf);
  const weights = new Float64Array(taskRows.length + overflowRows.length);
  taskRows.forEach((row, at) => {
    const task = tasks[row];
    const key = task && task.runtimeNanos > 0 ? keyOf(task) : undefined;
    if (key !== undefined) weights[at] = weightOf(key) / (counts.get(key) ?? 1);
  });
  return weights;
};

const userProcess = (task: TaskSample): string | undefined =>
  task.isKernelThread ? undefined : processKey(task.tgid, task.processStartBoottimeNanos);

/**
 * Weights of the claims' rows (tasks, then overflow) for the idle energy; undefined: it stays idle.
 * `active`: what each row got of the active energy.
 */
export const idleWeights = (
  policy: IdlePolicy,
  claims: Claims,
  active: Float64Array,
  {
    window,
    reservations,
  }: { readonly window: ActivityWindow; readonly reservations: Reservations },
): Float64Array | undefined => {
  const rowCount = claims.taskRows.length + claims.overflowRows.length;
  switch (policy) {
    case 'none':
      return undefined;
    case 'active':
      return active.subarray(0, rowCount);
    case 'equal':
      return ownersWeights(claims, window.tasks, userProcess, () => 1);
    case 'request':
      return ownersWeights(
        claims,
        window.tasks,
        ({ cgroupId }) => (reservations.has(cgroupId) ? cgroupId : undefined),
        (cgroupId) => Math.max(0, reservations.get(cgroupId) ?? 0),
      );
  }
};
