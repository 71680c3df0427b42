// SPDX-License-Identifier: Apache-2.0
/** Wall-clock times of things that the kernel dates by CLOCK_BOOTTIME. */
import type { ActivityWindow } from '../model/activity.js';
import type { EntryTimes } from './process-book.js';

const NANOS_PER_MILLISECOND = 1_000_000n;

export const millisOf = (durationNanos: bigint): number =>
  Number(durationNanos / NANOS_PER_MILLISECOND);

/** All clocks of a window are read at its flush, so their differences are the clocks' offsets. */
export const entryTimes = (window: ActivityWindow, ledgerStartUnixMillis: number): EntryTimes => {
  const bootRealtime = window.realtimeNanos - (window.endNanos + window.boottimeOffsetNanos);
  const windowStart = window.realtimeNanos - (window.endNanos - window.startNanos);
  return {
    bootUnixMillis: millisOf(bootRealtime),
    windowStartUnixMillis: Math.max(ledgerStartUnixMillis, millisOf(windowStart)),
    ledgerStartUnixMillis,
  };
};
