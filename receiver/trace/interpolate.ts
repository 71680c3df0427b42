// SPDX-License-Identifier: Apache-2.0
/** A source that is read at its own times, brought to a window's edge. Pure. */

/** One reading of a source with the CLOCK_MONOTONIC time at which it was taken. */
export interface TimedValue {
  readonly atNanos: bigint;
  readonly value: bigint;
}

/**
 * The value on the straight line between two readings. A rising counter that wrapped between them
 * (`maxRaw`: its largest value) goes on over the wrap. Undefined: it fell and cannot wrap.
 */
export const valueAt = (
  before: TimedValue,
  after: TimedValue,
  atNanos: bigint,
  maxRaw: bigint | undefined,
  isCounter: boolean,
): bigint | undefined => {
  const span = after.atNanos - before.atNanos;
  if (span <= 0n || atNanos <= before.atNanos) return before.value;
  const part = atNanos - before.atNanos;
  const rise = after.value - before.value;
  if (rise >= 0n) return before.value + (rise * part) / span;
  if (!isCounter) return before.value - (-rise * part) / span;
  if (maxRaw === undefined) return undefined;
  const turn = maxRaw + 1n;
  return (before.value + ((rise + turn) * part) / span) % turn;
};
