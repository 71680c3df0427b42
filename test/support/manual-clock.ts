// SPDX-License-Identifier: Apache-2.0
import type { Clock } from '../../receiver/host/clock.js';
import { millisToNanos, nanos } from '../../receiver/model/units.js';

/** A clock that a test moves by hand. */
export const manualClock = (): Clock & { readonly pass: (millis: number) => void } => {
  let now = 1_000_000_000n;
  return {
    monotonicNanos: () => nanos(now),
    unixMillis: () => 1_767_225_600_000 + Number(now / 1_000_000n),
    pass: (millis) => {
      now += millisToNanos(millis);
    },
  };
};
