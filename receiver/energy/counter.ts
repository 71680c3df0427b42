// SPDX-License-Identifier: Apache-2.0
/**
 * advanceCounter(): the one place that knows what a rising energy counter may do between two
 * readings: advance, wrap, stand still, be reset, be wrong.
 *
 * Two rules keep totals honest. A reading that cannot be true never becomes the baseline, so the good
 * readings around it lose nothing. A counter that really was reset is believed when a second
 * reading follows plausibly from the first one after the reset.
 */
import type { RejectReason } from '../model/window.js';
import { MICROWATTS_PER_WATT, NANOS_PER_SECOND, nanos, type Microjoules } from '../model/units.js';
import type {
  CounterAdvance,
  CounterReading,
  CounterShape,
  CounterState,
} from './counter-state.js';
import { convertUnits } from './energy-unit.js';

/** Reading the two clocks is not atomic: a few us of jitter, a sleep is seconds. */
const SUSPEND_TOLERANCE_NANOS = 50_000_000n;
/** RAPL updates each 1 ms, filtered PP0 each 8 to 16 ms: energy of that long may arrive late. */
const UPDATE_LAG_NANOS = 20_000_000n;
/** A live package counter moves within this at any power; the probe at start waits as long. */
export const STANDSTILL_NANOS = 200_000_000n;
/** So many equal readings of a sub-domain after a jump back are a reset to a resting counter. */
const REPEATS_TO_BELIEVE = 3;
/** What broken firmware reports: all bits of a u32, in thousandths. Seen in hwmon and ACPI meters. */
export const BOGUS_VALUE = 0xffff_ffffn * 1000n;

const millisText = (spanNanos: bigint): string => `${String(spanNanos / 1_000_000n)} ms`;

/** Energy at the highest plausible power, rounded up. */
const ceilingMicrojoules = (shape: CounterShape, spanNanos: bigint): bigint =>
  (BigInt(Math.ceil(shape.maxWatts * MICROWATTS_PER_WATT)) * spanNanos) / BigInt(NANOS_PER_SECOND) +
  1n;

/** Units from one value to the next, over the wrap if need be; undefined if it can only be a reset. */
const distance = (shape: CounterShape, from: bigint, to: bigint): bigint | undefined => {
  if (to >= from) return to - from;
  // The range is the largest value, so one full turn is range + 1 unit.
  return shape.maxRaw === undefined ? undefined : to - from + shape.maxRaw + 1n;
};

const rejected = (state: CounterState, reason: RejectReason, detail: string): CounterAdvance => ({
  step: { _tag: 'Rejected', reason, detail },
  state,
});

const rebased = (state: CounterState, reading: CounterReading): CounterState => ({
  ...state,
  baseline: reading,
  judgedFromNanos: reading.atNanos,
  suspect: undefined,
  suspectRepeats: 0,
});

interface Move {
  readonly units: bigint;
  readonly energyMicrojoules: Microjoules;
  readonly remainder: bigint;
  readonly isPlausible: boolean;
}

const moveBetween = (
  shape: CounterShape,
  state: CounterState,
  from: bigint,
  reading: CounterReading,
  sinceNanos: bigint,
): Move | undefined => {
  const units = distance(shape, from, reading.raw);
  if (units === undefined) return undefined;
  const converted = convertUnits(shape.unit, units, state.remainder);
  const ceiling = ceilingMicrojoules(shape, reading.atNanos - sinceNanos + UPDATE_LAG_NANOS);
  return { units, ...converted, isPlausible: converted.energyMicrojoules <= ceiling };
};

const accepted = (
  shape: CounterShape,
  state: CounterState,
  from: CounterReading,
  reading: CounterReading,
  move: Move,
): CounterAdvance => ({
  step: {
    _tag: 'Advanced',
    deltaMicrojoules: move.energyMicrojoules,
    spanNanos: nanos(reading.atNanos - from.atNanos),
    wrapped: reading.raw < from.raw,
  },
  state: {
    ...rebased(state, reading),
    judgedFromNanos: shape.mustMove && move.units === 0n ? state.judgedFromNanos : reading.atNanos,
    remainder: move.remainder,
  },
});

/** undefined: counted all the time; else what the event missed. */
const perfLapse = (from: CounterReading, to: CounterReading): string | undefined => {
  if (from.perf === undefined || to.perf === undefined) return undefined;
  const enabled = to.perf.enabledNanos - from.perf.enabledNanos;
  const running = to.perf.runningNanos - from.perf.runningNanos;
  return enabled === running && running > 0n
    ? undefined
    : `event counted ${String(running)} of ${String(enabled)} ns`;
};

const isReopened = (from: CounterReading, to: CounterReading): boolean =>
  from.perf !== undefined && to.perf !== undefined && to.perf.enabledNanos < from.perf.enabledNanos;

/** The reading does not follow from the baseline: believe it only if it follows from the suspect. */
const judgeSuspect = (
  shape: CounterShape,
  state: CounterState,
  reading: CounterReading,
  verdict: { readonly reason: RejectReason; readonly detail: string },
): CounterAdvance => {
  const { suspect } = state;
  const move =
    suspect === undefined
      ? undefined
      : moveBetween(shape, state, suspect.raw, reading, suspect.atNanos);
  const repeats = move?.units === 0n ? state.suspectRepeats + 1 : 1;
  const isBelieved =
    move?.isPlausible === true &&
    (suspect === undefined || perfLapse(suspect, reading) === undefined) &&
    (move.units > 0n || (!shape.mustMove && repeats >= REPEATS_TO_BELIEVE));
  if (suspect !== undefined && move !== undefined && isBelieved)
    return accepted(shape, state, suspect, reading, move);
  // An equal value keeps the suspect's own time, so that the later move is measured over all of it.
  const next = move?.units === 0n && suspect !== undefined ? suspect : reading;
  return rejected(
    { ...state, suspect: next, suspectRepeats: repeats },
    verdict.reason,
    verdict.detail,
  );
};

const standstill = (state: CounterState, reading: CounterReading): CounterAdvance =>
  rejected(
    { ...state, suspect: undefined, suspectRepeats: 0 },
    'not-counting',
    `value ${String(reading.raw)} has not changed for ${millisText(reading.atNanos - state.judgedFromNanos)}`,
  );

/** Why nothing can be said about the span since the baseline; the reading is a new baseline then. */
const breakSince = (
  shape: CounterShape,
  state: CounterState,
  baseline: CounterReading,
  reading: CounterReading,
): { readonly reason: RejectReason; readonly detail: string } | undefined => {
  const slept = reading.boottimeOffsetNanos - baseline.boottimeOffsetNanos;
  if (slept > SUSPEND_TOLERANCE_NANOS)
    return { reason: 'suspend', detail: `machine slept ${millisText(slept)}` };
  if (isReopened(baseline, reading)) return { reason: 'reset', detail: 'event was opened again' };
  const lapse = perfLapse(baseline, reading);
  if (lapse !== undefined) return { reason: 'not-counting', detail: lapse };
  if (shape.maxRaw === undefined) return undefined;
  const unseen = reading.atNanos - state.judgedFromNanos;
  const turn = convertUnits(shape.unit, shape.maxRaw + 1n, 0n).energyMicrojoules;
  return ceilingMicrojoules(shape, unseen) < turn
    ? undefined
    : {
        reason: 'gap',
        detail: `${millisText(unseen)} without a move: the counter may have wrapped more than once`,
      };
};

const advanceFrom = (
  shape: CounterShape,
  state: CounterState,
  baseline: CounterReading,
  reading: CounterReading,
): CounterAdvance => {
  const cut = breakSince(shape, state, baseline, reading);
  if (cut !== undefined) return rejected(rebased(state, reading), cut.reason, cut.detail);
  const move = moveBetween(shape, state, baseline.raw, reading, state.judgedFromNanos);
  if (move?.isPlausible !== true) {
    const isReset = reading.raw < baseline.raw;
    return judgeSuspect(shape, state, reading, {
      reason: isReset ? 'reset' : 'implausible',
      detail: isReset
        ? `value fell from ${String(baseline.raw)} to ${String(reading.raw)}`
        : `${String(move?.energyMicrojoules ?? 0n)} uJ is more than ${String(shape.maxWatts)} W can be`,
    });
  }
  const stoodNanos = reading.atNanos - state.judgedFromNanos;
  if (move.units === 0n && shape.mustMove && stoodNanos >= STANDSTILL_NANOS)
    return standstill(state, reading);
  return accepted(shape, state, baseline, reading, move);
};

/** Pure: the state after `reading`, and what the reading meant. Sum of deltas = energy counted, to the microjoule. */
export const advanceCounter = (
  shape: CounterShape,
  state: CounterState,
  reading: CounterReading,
): CounterAdvance => {
  if (reading.raw < 0n)
    return rejected(state, 'out-of-range', `value ${String(reading.raw)} is negative`);
  if (shape.maxRaw !== undefined && reading.raw > shape.maxRaw)
    return rejected(
      state,
      'out-of-range',
      `value ${String(reading.raw)} is above the counter's largest, ${String(shape.maxRaw)}`,
    );
  if (reading.raw === BOGUS_VALUE)
    return rejected(state, 'out-of-range', `value ${String(reading.raw)} is 0xFFFFFFFF x 1000`);
  if (state.baseline === undefined)
    return { step: { _tag: 'First' }, state: rebased(state, reading) };
  return advanceFrom(shape, state, state.baseline, reading);
};
