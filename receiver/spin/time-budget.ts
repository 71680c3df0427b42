// SPDX-License-Identifier: Apache-2.0
/** CPU time that may be spent on looking at threads: a burst at once, else a small share of a CPU. Pure. */

/** Some twenty examinations: a machine with few busy threads never waits. */
const BURST_MILLIS = 500;

export class TimeBudget {
  #leftMillis = BURST_MILLIS;
  #atMillis = 0;

  /** `cpuRatio`: of one CPU. */
  constructor(private readonly cpuRatio: number) {}

  /** More than `reserveMillis`, which is for others. */
  isLeft(nowMillis: number, reserveMillis: number): boolean {
    const sinceMillis = Math.max(0, nowMillis - this.#atMillis);
    this.#leftMillis = Math.min(BURST_MILLIS, this.#leftMillis + this.cpuRatio * sinceMillis);
    this.#atMillis = nowMillis;
    return this.#leftMillis > reserveMillis;
  }

  spend(millis: number): void {
    this.#leftMillis -= millis;
  }
}
