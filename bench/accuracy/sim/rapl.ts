// SPDX-License-Identifier: Apache-2.0
/**
 * RAPL as software meets it: a 32-bit counter of coarse units that moves about once a millisecond, with a
 * gain error, and on some machines behind a filter of 8 ms. Reads as powercap prints it.
 */
import type { Random } from './random.js';

const UNITS = 2 ** 32;
const NANOJOULES_PER_JOULE = 1e9;
const HISTORY_MILLIS = 32;

export interface RaplOptions {
  /** 14: 61 uJ of a package; 16: 15.3 uJ of server memory. */
  readonly unitBits: number;
  readonly gain: number;
  readonly offsetWatts: number;
  readonly startRatio: number;
}

export class Rapl {
  /** powercap's `max_energy_range_uj`. */
  public readonly rangeMicrojoules: bigint;
  private readonly history = new Float64Array(HISTORY_MILLIS);
  private at = 0;
  /** 1 on most machines, 8 with the energy filter. */
  public updateMillis = 1;

  public constructor(
    private readonly options: RaplOptions,
    private readonly random: Random,
  ) {
    this.rangeMicrojoules = BigInt(Math.floor((UNITS - 1) * this.unitMicrojoules));
  }

  private get unitMicrojoules(): number {
    return 1e6 / 2 ** this.options.unitBits;
  }

  /** Once a millisecond: the true total. */
  public follow(totalNanojoules: number): void {
    this.at += 1;
    this.history[this.at % HISTORY_MILLIS] = totalNanojoules;
  }

  /** What a read gives right now: the value at the last update, up to a period ago. */
  public readMicrojoules(): bigint {
    const { gain, offsetWatts, startRatio } = this.options;
    const period = this.updateMillis * (1 + 0.007 * this.random.normal());
    const lag = Math.min(this.at, this.random.uniform() * period, HISTORY_MILLIS - 2);
    const whole = Math.floor(lag);
    const newer = this.history[(this.at - whole) % HISTORY_MILLIS] ?? 0;
    const older = this.history[(this.at - whole - 1 + HISTORY_MILLIS) % HISTORY_MILLIS] ?? 0;
    const nanojoules = newer - (newer - (this.at > whole ? older : newer)) * (lag - whole);
    const joules =
      (nanojoules / NANOJOULES_PER_JOULE) * gain + (offsetWatts * (this.at - lag)) / 1000;
    const units = Math.floor(joules * 2 ** this.options.unitBits + startRatio * UNITS) % UNITS;
    return BigInt(Math.floor(units * this.unitMicrojoules));
  }
}
