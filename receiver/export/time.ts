// SPDX-License-Identifier: Apache-2.0
/** Between the ledger's times and OpenTelemetry's `HrTime` ([seconds, nanoseconds] since the epoch). */
import type { HrTime } from '@opentelemetry/api';
import { NANOS_PER_MILLISECOND, nanos, type Nanos } from '../model/units.js';

const MILLIS_PER_SECOND = 1_000;

export const hrTimeOfMillis = (unixMillis: number): HrTime => {
  const whole = Math.floor(unixMillis);
  return [
    Math.floor(whole / MILLIS_PER_SECOND),
    (whole % MILLIS_PER_SECOND) * NANOS_PER_MILLISECOND,
  ];
};

export const hrTimeOfNanos = (unixNanos: Nanos): HrTime => [
  Number(unixNanos / 1_000_000_000n),
  Number(unixNanos % 1_000_000_000n),
];

export const unixMillisOfNanos = (unixNanos: Nanos): number => Number(unixNanos / 1_000_000n);

export const nanosOfUnixMillis = (unixMillis: number): Nanos =>
  nanos(BigInt(Math.floor(unixMillis)) * 1_000_000n);

/** The later of two points in time. */
export const laterOf = (a: HrTime, b: HrTime): HrTime =>
  a[0] > b[0] || (a[0] === b[0] && a[1] >= b[1]) ? a : b;
