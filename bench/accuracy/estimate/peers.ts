// SPDX-License-Identifier: Apache-2.0
/**
 * How other tools split the energy of one window, as formulas: what their sources and papers compute,
 * fed with the same window. Never a measurement of the tools themselves. Each gets the true idle power
 * for free, and is judged on its split of the rest alone.
 */
import type { Thread } from '../sim/load.js';
import type { SimulatedWindow } from '../sim/simulator.js';

/** Joules above idle by owner (job index); in any unit, only ratios are judged. */
export type Split = Float64Array;

export interface PeerInput {
  readonly window: SimulatedWindow;
  /** Joules above idle that each package and node measured. */
  readonly packageJoules: readonly number[];
  /** By CPU domain. */
  readonly packageOfDomain: readonly number[];
}

export interface Peer {
  /** `<peer>-formula`. */
  readonly name: string;
  readonly split: (input: PeerInput) => Split;
}

/** USER_HZ of /proc: what tools that read it see. */
const TICK_NANOS = 10_000_000;

const ownersOf = ({ window }: PeerInput): Split => new Float64Array(window.load.jobs.length + 1);

const add = (split: Split, owner: number, amount: number): void => {
  split[owner] = (split[owner] ?? 0) + amount;
};

/** E_i = E w_i / sum w, over the whole node. */
const byWeight = (
  input: PeerInput,
  weightOf: (row: SimulatedWindow['rows'][number]) => number,
): Split => {
  const split = ownersOf(input);
  for (const row of input.window.rows) add(split, row.thread.job.index, weightOf(row));
  return split;
};

const total = (values: Iterable<number>): number => {
  let sum = 0;
  for (const value of values) sum += value;
  return sum;
};

/** kepler >= 0.10: active energy by CPU time over the node; without its losses between two scans. */
const keplerNew = (input: PeerInput): Split => byWeight(input, ({ row }) => row.runtimeNanos);

const MILLIJOULES = 1000;

/** kepler <= 0.9: dynamic energy by instructions, each process's share rounded up to a millijoule. */
const keplerOld = (input: PeerInput): Split => {
  const byThread = new Map<Thread, number>();
  for (const { thread, row } of input.window.rows)
    byThread.set(thread, (byThread.get(thread) ?? 0) + row.rawInstructions);
  const all = total(byThread.values());
  const energy = total(input.packageJoules) * MILLIJOULES;
  const split = ownersOf(input);
  for (const [thread, instructions] of byThread)
    if (all > 0) add(split, thread.job.index, Math.ceil((energy * instructions) / all));
  return split;
};

/** scaphandre: by the ticks of /proc, of processes that are there at the scan. */
const scaphandre = (): Peer['split'] => {
  const known = new WeakMap<Thread, number>();
  return (input) => {
    const ran = new Map<Thread, number>();
    for (const { thread, row } of input.window.rows)
      ran.set(thread, (ran.get(thread) ?? 0) + row.runtimeNanos);
    const split = ownersOf(input);
    for (const [thread, nanos] of ran) {
      const before = known.get(thread) ?? 0;
      known.set(thread, before + nanos);
      if (thread.isDead && !thread.endedWithLoad) continue;
      const ticks = Math.floor((before + nanos) / TICK_NANOS) - Math.floor(before / TICK_NANOS);
      add(split, thread.job.index, ticks);
    }
    return split;
  };
};

/** Middle of the article's 0.2 to 0.5. */
const SEED_ALPHA = 0.35;
/** Above this ratio of IPC the faster thread of a core is given 80 %. */
const SEED_IPC_RATIO = 3;
const SEED_FAST_PART = 0.8;

/** The seed article: W = refcycles x (1 + alpha (IPC - base)), and its 80/20 rule for SMT. */
const seed = (input: PeerInput): Split => {
  const { rows, pairs } = input.window;
  const work = new Map<Thread, { reference: number; cycles: number; instructions: number }>();
  for (const { thread, row } of rows) {
    const sum = work.get(thread) ?? { reference: 0, cycles: 0, instructions: 0 };
    sum.reference += row.referenceCycles;
    sum.cycles += row.rawCycles;
    sum.instructions += row.rawInstructions;
    work.set(thread, sum);
  }
  const ipcOf = (thread: Thread): number => {
    const { cycles, instructions } = work.get(thread) ?? { cycles: 0, instructions: 0 };
    return cycles > 0 ? instructions / cycles : 0;
  };
  const all = [...work.values()];
  const base = total(all.map((one) => one.instructions)) / total(all.map((one) => one.cycles));
  const shift = new Map<Thread, number>();
  for (const { a, b, nanos } of pairs) {
    const [ipcA, ipcB] = [ipcOf(a), ipcOf(b)];
    const isUneven = Math.max(ipcA, ipcB) > SEED_IPC_RATIO * Math.min(ipcA, ipcB);
    if (!isUneven) continue;
    const rateOf = (thread: Thread): number => {
      const reference = work.get(thread)?.reference ?? 0;
      const own = total(
        rows.filter((row) => row.thread === thread).map(({ row }) => row.sliceNanos),
      );
      return own > 0 ? reference / own : 0;
    };
    const pooled = nanos * (rateOf(a) + rateOf(b));
    const fast = ipcA > ipcB ? a : b;
    const slow = fast === a ? b : a;
    shift.set(fast, (shift.get(fast) ?? 0) + pooled * SEED_FAST_PART - nanos * rateOf(fast));
    shift.set(slow, (shift.get(slow) ?? 0) + pooled * (1 - SEED_FAST_PART) - nanos * rateOf(slow));
  }
  const split = ownersOf(input);
  for (const [thread, { reference }] of work) {
    const factor = Math.max(
      0,
      1 + SEED_ALPHA * (ipcOf(thread) - (Number.isFinite(base) ? base : 1)),
    );
    add(split, thread.job.index, Math.max(0, reference + (shift.get(thread) ?? 0)) * factor);
  }
  return split;
};

/** What a cycle beside a busy sibling counts: HaPPy's 11/20. */
const HAPPY_FACTOR = 0.55;

/** DEEP-mon and HaPPy: per socket by cycles, those shared with a sibling at 0.55. */
const deepMon = (input: PeerInput): Split => {
  const { rows } = input.window;
  const weightOf = ({ row }: SimulatedWindow['rows'][number]): number =>
    row.rawCycles - (1 - HAPPY_FACTOR) * row.rawOverlapCycles;
  const perPackage = input.packageJoules.map(() => 0);
  for (const row of rows) {
    const at = input.packageOfDomain[row.cpuDomain] ?? 0;
    perPackage[at] = (perPackage[at] ?? 0) + weightOf(row);
  }
  const split = ownersOf(input);
  for (const row of rows) {
    const at = input.packageOfDomain[row.cpuDomain] ?? 0;
    const sum = perPackage[at] ?? 0;
    if (sum > 0)
      add(split, row.thread.job.index, ((input.packageJoules[at] ?? 0) * weightOf(row)) / sum);
  }
  return split;
};

const ENERGAT_GAMMA = 0.3;

/** EnergAt: per socket (t_i / t_socket)^0.3 of a target; does not add up, so only its ratios are judged. */
const energAt = (input: PeerInput): Split => {
  const { rows } = input.window;
  const perPackage = input.packageJoules.map(() => new Map<number, number>());
  for (const { thread, cpuDomain, row } of rows) {
    const times = perPackage[input.packageOfDomain[cpuDomain] ?? 0];
    const owner = thread.job.index;
    times?.set(owner, (times.get(owner) ?? 0) + row.runtimeNanos);
  }
  const split = ownersOf(input);
  perPackage.forEach((times, at) => {
    const all = total(times.values());
    for (const [owner, nanos] of times)
      add(split, owner, (input.packageJoules[at] ?? 0) * (nanos / all) ** ENERGAT_GAMMA);
  });
  return split;
};

/** New ones for each run: some remember what they saw at the last scan. */
export const peers = (): readonly Peer[] => [
  { name: 'kepler-new-formula', split: keplerNew },
  { name: 'kepler-0.9-formula', split: keplerOld },
  { name: 'scaphandre-formula', split: scaphandre() },
  { name: 'seed-formula', split: seed },
  { name: 'deep-mon-formula', split: deepMon },
  { name: 'energat-formula', split: energAt },
];
