// SPDX-License-Identifier: Apache-2.0
/** Who may claim a part of one energy domain: everything that ran on the CPUs it covers. */
import type { ActivityWindow } from '../model/activity.js';
import type { EnergyDomain } from '../model/energy-domain.js';
import type { HostTopology } from '../model/host-topology.js';
import type { WindowWeights } from './weights.js';

/** One vector of weights and what each of them stands for. */
export interface Claims {
  /** `taskRows` first, then `overflowRows`, then one each for irq, unslotted and overflow. */
  readonly weights: Float64Array;
  readonly taskRows: readonly number[];
  readonly overflowRows: readonly number[];
  readonly isAnyPositive: boolean;
}

export type ClaimsResult =
  | { readonly _tag: 'Claims'; readonly claims: Claims }
  /** The package has CPUs, but the window says nothing of any of them. */
  | { readonly _tag: 'NoActivityRecord' }
  | { readonly _tag: 'UnknownPackage' };

/** Fixed claims behind the rows. */
export const FIXED_CLAIMS = 3;

/** A domain without a package (one meter or one model for the whole host) covers every CPU domain. */
const coveredCpuDomains = (domain: EnergyDomain, topology: HostTopology): ReadonlySet<number> =>
  new Set(
    topology.cpuDomains
      .filter(({ packageId }) => domain.packageId === undefined || packageId === domain.packageId)
      .map(({ index }) => index),
  );

const rowsIn = (
  rows: readonly { readonly cpuDomain: number }[],
  covered: ReadonlySet<number>,
): number[] => {
  const found: number[] = [];
  for (let i = 0; i < rows.length; i++) {
    if (covered.has(rows[i]?.cpuDomain ?? -1)) found.push(i);
  }
  return found;
};

const fixedWeights = (weights: WindowWeights, covered: ReadonlySet<number>): number[] => {
  const sum = [0, 0, 0];
  for (const [index, domain] of weights.cpuDomains) {
    if (!covered.has(index)) continue;
    sum[0] = (sum[0] ?? 0) + domain.irq;
    sum[1] = (sum[1] ?? 0) + domain.unslotted;
    sum[2] = (sum[2] ?? 0) + domain.overflow;
  }
  return sum;
};

export const claimsOn = (
  domain: EnergyDomain,
  window: ActivityWindow,
  weights: WindowWeights,
  topology: HostTopology,
): ClaimsResult => {
  const covered = coveredCpuDomains(domain, topology);
  if (covered.size === 0) return { _tag: 'UnknownPackage' };
  if (!window.cpus.some(({ cpuDomain }) => covered.has(cpuDomain))) {
    return { _tag: 'NoActivityRecord' };
  }
  const taskRows = rowsIn(window.tasks, covered);
  const overflowRows = rowsIn(window.overflow, covered);
  const vector = new Float64Array(taskRows.length + overflowRows.length + FIXED_CLAIMS);
  let at = 0;
  for (const row of taskRows) vector[at++] = weights.tasks[row] ?? 0;
  for (const row of overflowRows) vector[at++] = weights.overflow[row] ?? 0;
  for (const weight of fixedWeights(weights, covered)) vector[at++] = weight;
  const isAnyPositive = vector.some((weight) => weight > 0);
  return { _tag: 'Claims', claims: { weights: vector, taskRows, overflowRows, isAnyPositive } };
};
