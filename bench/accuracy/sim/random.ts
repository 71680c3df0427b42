// SPDX-License-Identifier: Apache-2.0
/**
 * A small seeded generator: the same seed gives the same machine, loads and noise on every host.
 * 32-bit state walk by a Weyl sequence, mixed by multiply-xorshift (public-domain constants of
 * MurmurHash3's finaliser); good enough for noise, not for secrets.
 */
const WEYL = 0x9e3779b9;
const RANGE = 2 ** 32;

export class Random {
  private state: number;
  private spare: number | undefined;

  public constructor(seed: number) {
    this.state = seed >>> 0;
  }

  /** Uniform in [0, 1). */
  public uniform(): number {
    this.state = (this.state + WEYL) >>> 0;
    let mixed = this.state;
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
    return ((mixed ^ (mixed >>> 16)) >>> 0) / RANGE;
  }

  public between(low: number, high: number): number {
    return low + (high - low) * this.uniform();
  }

  /** An integer in [low, high]. */
  public integer(low: number, high: number): number {
    return low + Math.floor(this.uniform() * (high - low + 1));
  }

  /** Standard normal, by Marsaglia's polar method. */
  public normal(): number {
    if (this.spare !== undefined) {
      const { spare } = this;
      this.spare = undefined;
      return spare;
    }
    for (;;) {
      const a = this.between(-1, 1);
      const b = this.between(-1, 1);
      const square = a * a + b * b;
      if (square <= 0 || square >= 1) continue;
      const scale = Math.sqrt((-2 * Math.log(square)) / square);
      this.spare = b * scale;
      return a * scale;
    }
  }

  /** Median 1; `sigma` 0.25 means about +-25 %. */
  public lognormal(sigma: number): number {
    return Math.exp(sigma * this.normal());
  }

  /** A generator of its own for one part, so that using one part more often changes no other. */
  public fork(label: number): Random {
    return new Random(Math.imul((this.state ^ Math.imul(label + 1, WEYL)) >>> 0, 0x27d4eb2f));
  }
}
