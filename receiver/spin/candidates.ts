// SPDX-License-Identifier: Apache-2.0
/**
 * Stage 1: threads that may spin, by what the accounting counts anyway. Either they never sleep (run and
 * queue wait fill the window, or they never gave the CPU up, so that competition does not hide them), or
 * they sleep and wake in a storm. Pure but for the memory of past windows.
 */
import type { ActivityWindow, TaskSample } from '../model/activity.js';
import { counterLikeness, type CounterLikeness } from './counters.js';
import { threadKey } from '../model/ledger-view.js';
import type { Nanos } from '../model/units.js';

export interface SpinCandidate {
  readonly key: string;
  readonly tid: number;
  readonly tgid: number;
  readonly startBoottimeNanos: Nanos;
  readonly processName: string;
  readonly threadName: string;
  readonly reason: 'never sleeps' | 'storm of sleeps';
  /** Running, of the last five windows. */
  readonly runRatio: number;
  /** What hardware counters say of the last window; undefined where there are none. */
  readonly likeness?: CounterLikeness | undefined;
}

/** Run and queue wait of a thread that does not sleep; the rest is the resolution of a window. */
const MIN_AWAKE_RATIO = 0.95;
/** Who runs less among many others costs little, and is met too rarely to be judged. */
const MIN_RUN_RATIO = 0.02;
/** A sleep each 200 us or less. */
const MIN_SLEEPS_PER_SECOND = 5_000;
/** Storms of threads that hardly run cost little; one that sleeps for 1 us at a time runs so much. */
const MIN_STORM_RUN_RATIO = 0.03;
/** A lock that spins before it parks: awake for most of the time, and parked again and again. */
const MIN_PARKING_AWAKE_RATIO = 0.5;
const MIN_PARKS_PER_SECOND = 200;
const NANOS_PER_SECOND = 1e9;
/** Of the last five windows. */
export const WINDOWS_KEPT = 5;
export const WINDOWS_TO_SET = 3;

interface ThreadSum {
  readonly sample: TaskSample;
  runtimeNanos: number;
  queueWaitNanos: number;
  voluntarySwitches: number;
  cycles: number;
  instructions: number;
  llcMisses: number;
}

const nothingOf = (sample: TaskSample): ThreadSum => ({
  sample,
  runtimeNanos: 0,
  queueWaitNanos: 0,
  voluntarySwitches: 0,
  cycles: 0,
  instructions: 0,
  llcMisses: 0,
});

/** No counter, or one of cycles alone, says nothing. */
const likenessOf = ({ cycles, instructions, llcMisses }: ThreadSum): CounterLikeness | undefined =>
  instructions === 0
    ? undefined
    : counterLikeness({ cycles, instructions, cacheMisses: llcMisses });

/** Of the threads asked for. Each has a row per CPU domain that it ran in. */
const sumsOf = (
  { tasks }: ActivityWindow,
  tids: ReadonlySet<number>,
): ReadonlyMap<number, ThreadSum> => {
  const sums = new Map<number, ThreadSum>();
  for (const sample of tasks) {
    if (sample.isKernelThread || sample.isDead || !tids.has(sample.tid)) continue;
    const sum = sums.get(sample.tid) ?? nothingOf(sample);
    sums.set(sample.tid, sum);
    sum.runtimeNanos += sample.runtimeNanos;
    sum.queueWaitNanos += sample.queueWaitNanos;
    sum.voluntarySwitches += sample.voluntarySwitches;
    sum.cycles += sample.cycles;
    sum.instructions += sample.instructions;
    sum.llcMisses += sample.llcMisses;
  }
  return sums;
};

const reasonOf = (sum: ThreadSum, spanNanos: number): SpinCandidate['reason'] | undefined => {
  const { runtimeNanos, queueWaitNanos, voluntarySwitches } = sum;
  // The wait for a CPU is known when it ends: among hundreds of threads, windows later.
  const isAwake =
    voluntarySwitches === 0 || runtimeNanos + queueWaitNanos >= MIN_AWAKE_RATIO * spanNanos;
  if (isAwake && runtimeNanos > 0) return 'never sleeps';
  const perSecond = (voluntarySwitches * NANOS_PER_SECOND) / spanNanos;
  const isStorm =
    perSecond >= MIN_SLEEPS_PER_SECOND && runtimeNanos >= MIN_STORM_RUN_RATIO * spanNanos;
  const isParking =
    perSecond >= MIN_PARKS_PER_SECOND && runtimeNanos >= MIN_PARKING_AWAKE_RATIO * spanNanos;
  return isStorm || isParking ? 'storm of sleeps' : undefined;
};

const RANKS: Readonly<Record<CounterLikeness, number>> = {
  pauses: 0,
  loops: 0,
  neither: 1,
  memory: 2,
};
const rankOf = ({ likeness = 'neither' }: SpinCandidate): number => RANKS[likeness];

interface Past {
  readonly tid: number;
  /** One bit per window, the newest lowest. */
  readonly bits: number;
  /** Of those windows, the newest first. */
  readonly runRatios: readonly number[];
}

const meanOf = ({ runRatios }: Past): number =>
  runRatios.reduce((sum, ratio) => sum + ratio, 0) / Math.max(1, runRatios.length);

export class SpinCandidates {
  /** Threads without any bit are forgotten. */
  readonly #history = new Map<string, Past>();

  /**
   * To be called with every window, in order. Those that counters take for spinning come first and those
   * that wait for memory last; among equals the most expensive first.
   */
  observe(window: ActivityWindow): readonly SpinCandidate[] {
    const spanNanos = Number(window.endNanos - window.startNanos);
    const reasons = new Map<string, SpinCandidate>();
    for (const sum of sumsOf(window, this.#tidsWorthALook(window, spanNanos)).values()) {
      const reason = reasonOf(sum, spanNanos);
      if (reason === undefined) continue;
      const { tid, tgid, startBoottimeNanos } = sum.sample;
      const key = threadKey(tid, startBoottimeNanos);
      const { processComm: processName, comm: threadName } = sum.sample;
      const runRatio = sum.runtimeNanos / spanNanos;
      reasons.set(key, {
        key,
        tid,
        tgid,
        startBoottimeNanos,
        processName,
        threadName,
        reason,
        runRatio,
        likeness: likenessOf(sum),
      });
    }
    this.#remember(reasons);
    return [...reasons.values()]
      .flatMap((candidate) => {
        const past = this.#history.get(candidate.key);
        if (past === undefined) return [];
        const runRatio = meanOf(past);
        const isOne = bitCount(past.bits) >= WINDOWS_TO_SET && runRatio >= MIN_RUN_RATIO;
        return isOne ? [{ ...candidate, runRatio }] : [];
      })
      .toSorted((a, b) => rankOf(a) - rankOf(b) || b.runRatio - a.runRatio);
  }

  /**
   * Who did run so much in one CPU domain, here or lately; `window_pass.cc` wakes the agent for as much.
   * Among hundreds of busy threads none did, and a window costs one comparison for each.
   */
  #tidsWorthALook({ tasks }: ActivityWindow, spanNanos: number): ReadonlySet<number> {
    const tids = new Set([...this.#history.values()].map(({ tid }) => tid));
    for (const { tid, runtimeNanos } of tasks)
      if (runtimeNanos >= MIN_RUN_RATIO * spanNanos) tids.add(tid);
    return tids;
  }

  #remember(now: ReadonlyMap<string, SpinCandidate>): void {
    const kept = (1 << WINDOWS_KEPT) - 1;
    for (const [key, { tid, bits, runRatios }] of this.#history) {
      const candidate = now.get(key);
      const next = ((bits << 1) & kept) | (candidate === undefined ? 0 : 1);
      const ratios = [candidate?.runRatio ?? 0, ...runRatios].slice(0, WINDOWS_KEPT);
      if (next === 0) this.#history.delete(key);
      else this.#history.set(key, { tid, bits: next, runRatios: ratios });
    }
    for (const [key, { tid, runRatio }] of now)
      if (!this.#history.has(key)) this.#history.set(key, { tid, bits: 1, runRatios: [runRatio] });
  }
}

const bitCount = (bits: number): number => {
  let count = 0;
  for (let rest = bits; rest !== 0; rest &= rest - 1) count += 1;
  return count;
};
