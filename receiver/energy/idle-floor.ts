// SPDX-License-Identifier: Apache-2.0
/**
 * What a domain draws when nothing runs, learnt from quiet windows. Pure.
 *
 * The floor is a low quantile of the power in windows that were almost idle. It falls at once to any
 * lower power seen and rises only slowly (leakage grows with temperature), so one stress test can
 * never lift it for good. Until enough quiet windows were seen it is undefined, never a guess.
 */
import { secondsOf, watts, type Nanos, type Watts } from '../model/units.js';

/** Below this a window says what the machine draws for nothing; models.md and turbostat practice. */
export const QUIET_BUSY_RATIO = 0.02;
const QUANTILE = 0.02;
/** Quiet windows before the floor is believed. */
const WINDOWS_TO_KNOW = 5;
/** Quiet windows remembered: 2 % of it are two, so that a single odd reading does not decide for ever. */
const WINDOWS_KEPT = 128;
/** Upward leak: at most 1 % of the quiet power a minute of quiet time, the pace at which a heat sink warms. */
const LEAK_PER_SECOND = 0.01 / 60;
/** RAPL's update jitter moves about 0.4 ms of energy between windows: 0.4 % of this span, too much of less. */
const LEAST_SPAN_NANOS = 100_000_000n;

export interface IdleFloorState {
  /** `energy.idle_watts`, or the model's own idle power: wins over everything learnt. */
  readonly configuredWatts: Watts | undefined;
  /** undefined while not known. */
  readonly floorWatts: Watts | undefined;
  /** Power of the last quiet windows, oldest first. */
  readonly quietWatts: readonly number[];
  /** Lowest power of any window until the floor is known. */
  readonly lowestWatts: number;
}

export interface IdleFloorInput {
  readonly powerWatts: Watts;
  /** Busy part of the CPUs of this domain's package, 0..1. */
  readonly busyRatio: number;
  readonly spanNanos: Nanos;
}

export const initialIdleFloor = (configuredWatts: number | undefined): IdleFloorState => {
  const configured = configuredWatts === undefined ? undefined : watts(configuredWatts);
  return {
    configuredWatts: configured,
    floorWatts: configured,
    quietWatts: [],
    lowestWatts: Infinity,
  };
};

const lowQuantile = (values: readonly number[]): number => {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(QUANTILE * sorted.length)] ?? 0;
};

const rise = (floor: number, target: number, spanNanos: Nanos): number =>
  Math.max(floor, Math.min(target, floor + target * LEAK_PER_SECOND * secondsOf(spanNanos)));

/** Call for each window in which the domain advanced; rejected and failed windows teach nothing. */
export const advanceIdleFloor = (
  state: IdleFloorState,
  { powerWatts, busyRatio, spanNanos }: IdleFloorInput,
): IdleFloorState => {
  if (state.configuredWatts !== undefined || spanNanos < LEAST_SPAN_NANOS) return state;
  const isQuiet = busyRatio < QUIET_BUSY_RATIO;
  const quietWatts = isQuiet
    ? [...state.quietWatts, powerWatts].slice(-WINDOWS_KEPT)
    : state.quietWatts;
  const { floorWatts } = state;
  if (floorWatts === undefined) {
    const lowestWatts = Math.min(state.lowestWatts, powerWatts);
    const isKnown = quietWatts.length >= WINDOWS_TO_KNOW;
    const floor = watts(Math.min(lowestWatts, lowQuantile(quietWatts)));
    return { ...state, quietWatts, lowestWatts, floorWatts: isKnown ? floor : undefined };
  }
  // Idle power is part of every window's power: a lower one, busy or not, disproves the floor.
  if (powerWatts < floorWatts) return { ...state, quietWatts, floorWatts: powerWatts };
  if (!isQuiet) return state;
  const target = lowQuantile(quietWatts);
  return { ...state, quietWatts, floorWatts: watts(rise(floorWatts, target, spanNanos)) };
};
