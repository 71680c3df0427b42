// SPDX-License-Identifier: Apache-2.0
/**
 * Does a source really count? Presence proves nothing: guests show a `power` PMU that reads 0 for ever.
 * Two readings at least PROBE_MILLIS apart decide.
 */
import * as E from 'fp-ts/lib/Either.js';
import type { RawReading } from '../model/activity.js';
import { MICROWATTS_PER_WATT, meanWatts, nanos } from '../model/units.js';
import type { FailReason } from '../model/window.js';
import { advanceCounter } from './counter.js';
import { INITIAL_COUNTER, type CounterReading, type CounterShape } from './counter-state.js';
import type { EnergyCandidate } from './measure.js';
import { INITIAL_POWER, advancePower } from './power.js';
import { readingCount, readingInteger, readingText, type ReadFailure } from './readings.js';

/** At 0.5 W a package moves 0.125 J in it, 2,000 units of 61 uJ. */
export const PROBE_MILLIS = 250;

export type Liveness =
  | { readonly _tag: 'Alive'; readonly watts: number; readonly lastRaw: bigint }
  | { readonly _tag: 'Still'; readonly lastRaw: bigint }
  | { readonly _tag: 'Implausible'; readonly detail: string }
  | { readonly _tag: 'Failed'; readonly reason: FailReason; readonly detail: string };

const failed = ({ reason, detail }: ReadFailure): Liveness => ({ _tag: 'Failed', reason, detail });

const perfTimes = (reading: RawReading): Pick<CounterReading, 'perf'> =>
  reading._tag === 'PerfReading'
    ? { perf: { enabledNanos: reading.enabledNanos, runningNanos: reading.runningNanos } }
    : {};

const judgeCounter = (shape: CounterShape, first: RawReading, last: RawReading): Liveness => {
  const a = readingCount(first);
  if (E.isLeft(a)) return failed(a.left);
  const b = readingCount(last);
  if (E.isLeft(b)) return failed(b.left);
  const read = (raw: bigint, reading: RawReading): CounterReading => ({
    raw,
    atNanos: reading.afterNanos,
    boottimeOffsetNanos: nanos(0n),
    ...perfTimes(reading),
  });
  // A sub-domain may rest, so a standstill is told apart here and judged by the plan.
  const resting = { ...shape, mustMove: false };
  const opened = advanceCounter(resting, INITIAL_COUNTER, read(a.right, first));
  const { step } =
    opened.step._tag === 'Rejected'
      ? opened
      : advanceCounter(resting, opened.state, read(b.right, last));
  const still: Liveness = { _tag: 'Still', lastRaw: b.right };
  if (step._tag === 'Rejected')
    return step.reason === 'not-counting' ? still : { _tag: 'Implausible', detail: step.detail };
  if (step._tag === 'First' || step.deltaMicrojoules === 0n) return still;
  const watts = meanWatts(step.deltaMicrojoules, step.spanNanos);
  return { _tag: 'Alive', watts, lastRaw: b.right };
};

const judgePower = (maxWatts: number, last: RawReading): Liveness => {
  const value = readingInteger(last);
  if (E.isLeft(value)) return failed(value.left);
  const { step } = advancePower(maxWatts, INITIAL_POWER, {
    microwatts: value.right,
    atNanos: last.afterNanos,
    boottimeOffsetNanos: nanos(0n),
  });
  if (step._tag === 'Rejected') return { _tag: 'Implausible', detail: step.detail };
  return value.right === 0n
    ? { _tag: 'Still', lastRaw: 0n }
    : { _tag: 'Alive', watts: Number(value.right) / MICROWATTS_PER_WATT, lastRaw: value.right };
};

/** `first` and `last`: the candidate's readings in the order of its specs. Pure. */
export const judgeLiveness = (
  { measure }: EnergyCandidate,
  first: readonly RawReading[],
  last: readonly RawReading[],
): Liveness => {
  const missing: Liveness = { _tag: 'Failed', reason: 'unreadable', detail: 'not read' };
  const [a] = first;
  const [b] = last;
  if (measure._tag === 'Model' || measure._tag === 'DramModel')
    return { _tag: 'Still', lastRaw: 0n };
  if (a === undefined || b === undefined) return missing;
  switch (measure._tag) {
    case 'Counter':
      return judgeCounter(measure.shape, a, b);
    case 'Power':
      return judgePower(measure.maxWatts, b);
    case 'Battery': {
      // On mains it says nothing about its power; that it can be read is all to ask.
      const status = readingText(b);
      return E.isLeft(status) ? failed(status.left) : { _tag: 'Alive', watts: 0, lastRaw: 0n };
    }
  }
};
