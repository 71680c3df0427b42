// SPDX-License-Identifier: Apache-2.0
/** How far a split of energy is from the true one. Pure. */

/** Joules by owner's name; only differences of two moments make sense. */
export type Joules = ReadonlyMap<string, number>;

export const risen = (before: Joules, after: Joules): Joules =>
  new Map([...after].map(([name, joules]) => [name, joules - (before.get(name) ?? 0)]));

export const totalOf = (joules: Joules): number =>
  [...joules.values()].reduce((sum, one) => sum + one, 0);

/**
 * The share of all energy that is with the wrong owner: half the sum of |estimated - true| shares, 0 to 1.
 * Both sides are shares of their own total: how much is idle is another question.
 */
export const misattributedShare = (estimated: Joules, truth: Joules): number => {
  const [estimatedTotal, trueTotal] = [totalOf(estimated), totalOf(truth)];
  const names = new Set([...estimated.keys(), ...truth.keys()]);
  return (
    [...names].reduce((sum, name) => {
      const share = (estimated.get(name) ?? 0) / estimatedTotal;
      return sum + Math.abs(share - (truth.get(name) ?? 0) / trueTotal);
    }, 0) / 2
  );
};

/** Largest |estimated / true - 1| among these owners. */
export const worstError = (estimated: Joules, truth: Joules, names: readonly string[]): number =>
  Math.max(
    ...names.map((name) => {
      const share = (joules: Joules) => (joules.get(name) ?? 0) / totalOf(joules);
      return Math.abs(share(estimated) / share(truth) - 1);
    }),
  );

/** Gives what is not one of these loads to one owner, `other`. */
export const groupByLoad = (
  rows: readonly { readonly name: string; readonly joules: number }[],
  loads: readonly string[],
): Joules => {
  const grouped = new Map<string, number>([...loads, 'other'].map((name) => [name, 0]));
  for (const { name, joules } of rows) {
    const owner = loads.includes(name) ? name : 'other';
    grouped.set(owner, (grouped.get(owner) ?? 0) + joules);
  }
  return grouped;
};
