// SPDX-License-Identifier: Apache-2.0
/** How much energy went to the wrong owner, window by window. Pure. */

/** Joules (or anything in proportion) by owner. */
export type Split = ArrayLike<number>;

const total = (split: Split): number => {
  let sum = 0;
  for (let i = 0; i < split.length; i++) sum += split[i] ?? 0;
  return sum;
};

/** Half the sum of |estimated share - true share|: the part of all energy that is with the wrong owner. */
const wrongShare = (estimated: Split, truth: Split): number => {
  const [all, trueAll] = [total(estimated), total(truth)];
  if (!(trueAll > 0)) return 0;
  if (!(all > 0)) return 1;
  let sum = 0;
  for (let i = 0; i < truth.length; i++)
    sum += Math.abs((estimated[i] ?? 0) / all - (truth[i] ?? 0) / trueAll);
  return sum / 2;
};

/**
 * Over the windows of one mix: the misattributed share of each window, weighted by the window's true
 * energy, so that errors of opposite sign in different windows do not cancel. The sums are kept too: the bill.
 */
export class Score {
  private wrong = 0;
  private energy = 0;
  private readonly estimated: number[] = [];
  private readonly truth: number[] = [];

  public add(estimated: Split, truth: Split): void {
    const energy = total(truth);
    const given = total(estimated);
    this.wrong += wrongShare(estimated, truth) * energy;
    this.energy += energy;
    for (let i = 0; i < truth.length; i++) {
      // Each window's estimate counts with the window's energy, whatever its own scale.
      const share = given > 0 ? ((estimated[i] ?? 0) / given) * energy : 0;
      this.estimated[i] = (this.estimated[i] ?? 0) + share;
      this.truth[i] = (this.truth[i] ?? 0) + (truth[i] ?? 0);
    }
  }

  /** 0..1, by window. */
  public get misattributed(): number {
    return this.energy > 0 ? this.wrong / this.energy : 0;
  }

  /** 0..1, of the sums over the mix. */
  public get misbilled(): number {
    return wrongShare(this.estimated, this.truth);
  }

  /** Largest |estimated / true - 1| among owners with at least `leastShare` of the energy. */
  public worst(leastShare = 0.05): number {
    const all = total(this.truth);
    const errors = this.truth.flatMap((truth, i) =>
      truth >= leastShare * all ? [Math.abs((this.estimated[i] ?? 0) / truth - 1)] : [],
    );
    return Math.max(0, ...errors);
  }

  public sharesOf(): readonly number[] {
    const all = total(this.estimated);
    return this.estimated.map((joules) => (all > 0 ? joules / all : 0));
  }
}
