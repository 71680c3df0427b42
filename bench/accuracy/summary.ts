// SPDX-License-Identifier: Apache-2.0
/** Many machines' scores as means and spreads. Pure. */
import type { ExperimentResult, MixScore } from './experiment.js';

export type Book = 'shapley' | 'marginal' | 'memory';

export interface MethodSummary {
  /** Mean misattributed share over machines, by mix; 0..1. */
  readonly byMix: Readonly<Record<string, number>>;
  /** Mean over the mixes given. */
  readonly mean: number;
  /** Of the machines' own means. */
  readonly least: number;
  readonly most: number;
  readonly deviation: number;
  /** The mean of shares of sums over each mix: what a bill says, in which errors of windows cancel. */
  readonly billed: number;
  /** Mean over machines of the largest error of one owner, by mix. */
  readonly worstByMix: Readonly<Record<string, number>>;
}

export const meanOf = (values: readonly number[]): number =>
  values.length === 0 ? 0 : values.reduce((a, b) => a + b, 0) / values.length;

const deviationOf = (values: readonly number[]): number => {
  const mean = meanOf(values);
  return values.length < 2
    ? 0
    : Math.sqrt(values.reduce((sum, v) => sum + (v - mean) ** 2, 0) / (values.length - 1));
};

export const methodsOf = (results: readonly ExperimentResult[], book: Book): readonly string[] => {
  const [first] = results;
  const [mix] = Object.values(first?.mixes ?? {});
  return Object.keys(mix?.[book] ?? {});
};

export const summarize = (
  results: readonly ExperimentResult[],
  mixes: readonly string[],
  method: string,
  book: Book,
): MethodSummary => {
  const scoreOf = (result: ExperimentResult, mix: string): MixScore | undefined =>
    result.mixes[mix]?.[book][method];
  const overMachines = (mix: string, pick: (score: MixScore) => number): number =>
    meanOf(
      results.flatMap((result) => {
        const score = scoreOf(result, mix);
        return score === undefined ? [] : [pick(score)];
      }),
    );
  const ofMachines = results.map((result) =>
    meanOf(mixes.map((mix) => scoreOf(result, mix)?.misattributed ?? 0)),
  );
  return {
    byMix: Object.fromEntries(
      mixes.map((mix) => [mix, overMachines(mix, ({ misattributed }) => misattributed)]),
    ),
    mean: meanOf(ofMachines),
    least: Math.min(...ofMachines),
    most: Math.max(...ofMachines),
    deviation: deviationOf(ofMachines),
    billed: meanOf(mixes.map((mix) => overMachines(mix, ({ misbilled }) => misbilled))),
    worstByMix: Object.fromEntries(
      mixes.map((mix) => [mix, overMachines(mix, ({ worst }) => worst)]),
    ),
  };
};
