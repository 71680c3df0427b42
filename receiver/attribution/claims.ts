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
  readonly taskRows: Uint32Array;
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

/** By CPU domain, of which there are at most 256: 1 where it is covered. */
const coverOf = (covered: ReadonlySet<number>): Uint8Array => {
  const cover = new Uint8Array(256);
  for (const index of covered) cover[index] = 1;
  return cover;
};

const tasksIn = (domainOf: Uint8Array, covered: ReadonlySet<number>): Uint32Array => {
  const cover = coverOf(covered);
  const found = new Uint32Array(domainOf.length);
  let count = 0;
  for (let row = 0; row < domainOf.length; row++)
    if (cover[domainOf[row] ?? 0] === 1) found[count++] = row;
  return found.subarray(0, count);
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
  readonly taskRows: Uint32Array;
  readonly overflowRows: readonly number[];
}

const vectorOf = (
  pool: PoolWeights,
  { taskRows, overflowRows }: Rows,
  covered: ReadonlySet<number>,
): Float64Array => {
  const vector = new Float64Array(taskRows.length + overflowRows.length + FIXED_CLAIMS);
  let at = 0;
  for (; at < taskRows.length; at++) vector[at] = pool.tasks[taskRows[at] ?? 0] ?? 0;
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

interface Located {
  readonly taskRows: Uint32Array;
  readonly weights: Float64Array;
  readonly locatedShare: number;
}

/** Rows and their weights on the domain's nodes: found together, a row far away weighs nothing here. */
const locate = (
  { tasks }: ActivityWindow,
  { memory: pool, domainOf }: WindowWeights,
  nodes: ReadonlySet<number>,
  covered: ReadonlySet<number>,
  memory: MemoryUse | undefined,
): Located => {
  const cover = coverOf(covered);
  const taskRows = new Uint32Array(tasks.length);
  const weights = new Float64Array(tasks.length);
  let count = 0;
  let all = 0;
  let located = 0;
  for (let row = 0; row < tasks.length; row++) {
    const isHere = cover[domainOf[row] ?? 0] ?? 0;
    const task = memory === undefined ? undefined : tasks[row];
    const known = task === undefined ? undefined : locatedRatio(task, nodes, memory);
    const weight = (pool.tasks[row] ?? 0) * (known ?? isHere);
    // Its own package's rows are listed whatever they weigh: they may share what nobody's weight claims.
    if (weight <= 0 && isHere === 0) continue;
    taskRows[count] = row;
    weights[count] = weight;
    count += 1;
    all += weight;
    if (known !== undefined) located += weight;
  }
  return {
    taskRows: taskRows.subarray(0, count),
    weights: weights.subarray(0, count),
    locatedShare: all > 0 ? located / all : 0,
  };
};

const memoryClaims = (
  domain: EnergyDomain,
  window: ActivityWindow,
  windowWeights: WindowWeights,
  covered: ReadonlySet<number>,
  context: { readonly topology: HostTopology; readonly memory: MemoryUse | undefined },
): Claims => {
  const { memory: pool, domainOf } = windowWeights;
  const nodes = nodesOf(domain, context.topology);
  const overflowRows = rowsIn(window.overflow, covered);
  if (nodes === undefined) {
    const rows = { taskRows: tasksIn(domainOf, covered), overflowRows };
    const core = vectorOf(pool, rows, covered);
    const isAnyPositive = hasAny(core);
    return { ...rows, core, uncore: undefined, isAnyPositive, locatedShare: undefined };
  }
  const { taskRows, weights, locatedShare } = locate(
    window,
    windowWeights,
    nodes,
    covered,
    context.memory,
  );
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
