// SPDX-License-Identifier: Apache-2.0
/** One and the same run cut into windows of different length: shares must not depend on the cut. */
import { Bench } from './experiment.js';
import { Product } from './product.js';
import { Score } from './score.js';
import { SERVER } from './sim/machine.js';
import { IDLE_MIX, MIXES } from './sim/mixes.js';
import { planOf } from './sim/to-window.js';

export const CUT_MILLIS = [50, 100, 250, 500, 1000, 2000, 5000, 10_000] as const;
/** Every phase of the study's zoo, and loads of one kind only. */
const CUT_MIXES = ['02', '08', '14', '15', '20'] as const;

/** Splits that depend on the window alone: what is learnt meanwhile is another question. */
const CUT_METHODS = ['wattfeed-time', 'wattfeed-priors'] as const;

export interface CutResult {
  /** By method: largest difference of any owner's share from that at 1 s, in points, over mixes and cuts. */
  readonly points: Readonly<Record<string, number>>;
}

const sharesAt = (
  seed: number,
  mixId: string,
  windowMillis: number,
  seconds: number,
): ReadonlyMap<string, readonly number[]> => {
  const bench = new Bench({ seed, spread: 0.25 }, SERVER);
  const product = new Product(planOf(bench.simulator), bench.simulator.machine.topology);
  const scores = new Map(CUT_METHODS.map((name) => [name, new Score()]));
  for (const { simulated, window } of bench.run(IDLE_MIX, 12, 500))
    product.advance(window, simulated);
  const mix = MIXES.find(({ id }) => id === mixId);
  if (mix === undefined) throw new Error(`no mix ${mixId}`);
  for (const { simulated, window } of bench.run(mix, seconds, windowMillis)) {
    const splits = product.advance(window, simulated);
    for (const [name, score] of scores)
      score.add(splits.get(name)?.cpu ?? [], simulated.truth.shapley);
  }
  return new Map([...scores].map(([name, score]) => [name, score.sharesOf()]));
};

export const runCuts = ({
  seed,
  seconds,
  mixes = CUT_MIXES,
  cuts = CUT_MILLIS,
}: {
  readonly seed: number;
  readonly seconds: number;
  readonly mixes?: readonly string[];
  readonly cuts?: readonly number[];
}): CutResult => {
  const points = new Map<string, number>();
  for (const mix of mixes) {
    const reference = sharesAt(seed, mix, 1000, seconds);
    for (const cut of cuts)
      for (const [name, shares] of sharesAt(seed, mix, cut, seconds)) {
        const known = reference.get(name) ?? [];
        const most = Math.max(...shares.map((share, i) => Math.abs(share - (known[i] ?? 0))));
        points.set(name, Math.max(points.get(name) ?? 0, most * 100));
      }
  }
  return { points: Object.fromEntries(points) };
};
