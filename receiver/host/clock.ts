// SPDX-License-Identifier: Apache-2.0
import { nanos, type Nanos } from '../model/units.js';

/** CLOCK_MONOTONIC, the clock of bpf_ktime_get_ns(); and the wall clock for export timestamps only. */
export interface Clock {
  readonly monotonicNanos: () => Nanos;
  readonly unixMillis: () => number;
}

export const systemClock: Clock = {
  // Node's hrtime is CLOCK_MONOTONIC on Linux.
  monotonicNanos: () => nanos(process.hrtime.bigint()),
  unixMillis: () => Date.now(),
};
