// SPDX-License-Identifier: Apache-2.0
/**
 * Who may claim a part of one energy domain. A package is claimed by what ran on its CPUs; a memory
 * domain by whatever has its memory there, wherever it ran.
 */
import type { ActivityWindow } from '../model/activity.js';
import type { EnergyDomain } from '../model/energy-domain.js';
import type { HostTopology } from '../model/host-topology.js';
import { locatedRatio, nodesOf, type MemoryUse } from './dram-weights.js';
import type { PoolWeights, WindowWeights } from './weights.js';

/** Vectors of weights and what each entry stands for. */
export interface Claims {
  /** Rows of `window.tasks` first, then of `window.overflow`, then one each for irq, unslotted, overflow. */
  readonly taskRows: readonly number[];
  readonly overflowRows: readonly number[];
  /** The cores' pool, or all there is of a domain that has no second one. */
  readonly core: Float64Array;
  /** The rest of the package; undefined for memory. */
  readonly uncore: Float64Array | undefined;
  readonly isAnyPositive: boolean;
  /** See DomainBalance.locatedShare. */
  readonly locatedShare: number | undefined;
}

export type ClaimsResult =
  | { readonly _tag: 'Claims'; readonly claims: Claims }
  /** The package has CPUs, but the window says nothing of any of them. */
  | { readonly _tag: 'NoActivityRecord' }
  | { readonly _tag: 'UnknownPackage' };

/** Fixed claims behind the rows. */
export const FIXED_CLAIMS = 3;

/** A domain without a package (one meter or one model for the whole host) covers every CPU domain. */
export const coveredCpuDomains = (
  domain: EnergyDomain,
  topology: HostTopology,
): ReadonlySet<number> =>
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

const tasksIn = (domainOf: Uint8Array, covered: ReadonlySet<number>): number[] => {
  const isCovered = new Uint8Array(256);
  for (const index of covered) isCovered[index] = 1;
  const found: number[] = [];
  for (let row = 0; row < domainOf.length; row++)
    if (isCovered[domainOf[row] ?? 0] === 1) found.push(row);
  return found;
};

const addFixed = (
  pool: PoolWeights,
  covered: ReadonlySet<number>,
  into: Float64Array,
  from: number,
): void => {
  for (const [index, domain] of pool.cpuDomains) {
    if (!covered.has(index)) continue;
    into[from] = (into[from] ?? 0) + domain.irq;
    into[from + 1] = (into[from + 1] ?? 0) + domain.unslotted;
    into[from + 2] = (into[from + 2] ?? 0) + domain.overflow;
  }
};

interface Rows {
  readonly taskRows: readonly number[];
  readonly overflowRows: readonly number[];
}

const vectorOf = (
  pool: PoolWeights,
  { taskRows, overflowRows }: Rows,
  covered: ReadonlySet<number>,
): Float64Array => {
  const vector = new Float64Array(taskRows.length + overflowRows.length + FIXED_CLAIMS);
  let at = 0;
  for (const row of taskRows) vector[at++] = pool.tasks[row] ?? 0;
  for (const row of overflowRows) vector[at++] = pool.overflow[row] ?? 0;
  addFixed(pool, covered, vector, at);
  return vector;
};

const hasAny = (vector: Float64Array | undefined): boolean =>
  vector?.some((weight) => weight > 0) ?? false;

const packageClaims = (
  window: ActivityWindow,
  weights: WindowWeights,
  covered: ReadonlySet<number>,
): Claims => {
  const rows = {
    taskRows: tasksIn(weights.domainOf, covered),
    overflowRows: rowsIn(window.overflow, covered),
  };
  const core = vectorOf(weights.core, rows, covered);
  const uncore = vectorOf(weights.uncore, rows, covered);
  const isAnyPositive = hasAny(core) || hasAny(uncore);
  return { ...rows, core, uncore, isAnyPositive, locatedShare: undefined };
};

/** Rows and their weights on the domain's nodes: found together, a row far away weighs nothing here. */
const locate = (
  window: ActivityWindow,
  pool: PoolWeights,
  nodes: ReadonlySet<number>,
  covered: ReadonlySet<number>,
  memory: MemoryUse | undefined,
): { readonly taskRows: number[]; readonly weights: number[]; readonly locatedShare: number } => {
  const taskRows: number[] = [];
  const weights: number[] = [];
  let all = 0;
  let located = 0;
  window.tasks.forEach((task, row) => {
    const known = locatedRatio(task, nodes, memory);
    const weight = (pool.tasks[row] ?? 0) * (known ?? (covered.has(task.cpuDomain) ? 1 : 0));
    // Its own package's rows are listed whatever they weigh: they may share what nobody's weight claims.
    if (weight <= 0 && !covered.has(task.cpuDomain)) return;
    taskRows.push(row);
    weights.push(weight);
    all += weight;
    if (known !== undefined) located += weight;
  });
  return { taskRows, weights, locatedShare: all > 0 ? located / all : 0 };
};

const memoryClaims = (
  domain: EnergyDomain,
  window: ActivityWindow,
  { memory: pool, domainOf }: WindowWeights,
  covered: ReadonlySet<number>,
  context: { readonly topology: HostTopology; readonly memory: MemoryUse | undefined },
): Claims => {
  const nodes = nodesOf(domain, context.topology);
  const overflowRows = rowsIn(window.overflow, covered);
  if (nodes === undefined) {
    const rows = { taskRows: tasksIn(domainOf, covered), overflowRows };
    const core = vectorOf(pool, rows, covered);
    const isAnyPositive = hasAny(core);
    return { ...rows, core, uncore: undefined, isAnyPositive, locatedShare: undefined };
  }
  const { taskRows, weights, locatedShare } = locate(window, pool, nodes, covered, context.memory);
  const core = new Float64Array(taskRows.length + overflowRows.length + FIXED_CLAIMS);
  core.set(weights);
  overflowRows.forEach((row, at) => {
    core[taskRows.length + at] = pool.overflow[row] ?? 0;
  });
  addFixed(pool, covered, core, taskRows.length + overflowRows.length);
  const isAnyPositive = hasAny(core);
  return { taskRows, overflowRows, core, uncore: undefined, isAnyPositive, locatedShare };
};

export const claimsOn = (
  domain: EnergyDomain,
  window: ActivityWindow,
  weights: WindowWeights,
  topology: HostTopology,
  memory: MemoryUse | undefined,
): ClaimsResult => {
  const covered = coveredCpuDomains(domain, topology);
  if (covered.size === 0) return { _tag: 'UnknownPackage' };
  if (!window.cpus.some(({ cpuDomain }) => covered.has(cpuDomain))) {
    return { _tag: 'NoActivityRecord' };
  }
  const claims =
    domain.kind === 'dram'
      ? memoryClaims(domain, window, weights, covered, { topology, memory })
      : packageClaims(window, weights, covered);
  return { _tag: 'Claims', claims };
};
