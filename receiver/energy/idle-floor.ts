// SPDX-License-Identifier: Apache-2.0
/**
 * What a domain draws when nothing runs, learnt from quiet windows. Pure.
 *
 * The floor is a low quantile of the power in windows that were almost idle, less what little ran in
 * them should have drawn. It falls at once to any power that is really lower (not by jitter) and rises
 * only slowly (leakage grows with temperature), so one stress test can never lift it for good. Until enough quiet windows were seen
 * it is undefined, never a guess.
 *
 * A host on which something always runs a little (this agent alone, on a slow one) has no quiet window ever, and all
 * its idle power would go to whoever runs. There the floor is provisional: the median of light windows, each less
 * what should have been drawn in it. A prediction that is wrong by a third of 5 W leaves 2 W of error where not
 * knowing leaves the whole floor. The first quiet windows replace it.
 *
 * A power is judged over two seconds at least, windows of less are summed up: the counters' update jitter
 * moves about 0.4 ms of energy from one window to the next, and the lowest of many short windows would
 * be the one that lost most. Of 0.1 s that is 1 % of an idle domain, more than some loads draw from it.
 */
import {
  energyOf,
  microjoules,
  nanos,
  secondsOf,
  watts,
  ZERO_MICROJOULES,
  type Microjoules,
  type Nanos,
  type Watts,
} from '../model/units.js';

/** Below this a window says what the machine draws for nothing; models.md and turbostat practice. */
const QUIET_BUSY_RATIO = 0.02;
/** Below this the prediction of what ran is small beside the floor, where no window is quiet. */
const LIGHT_BUSY_RATIO = 0.25;
const QUANTILE = 0.02;
/** Quiet windows, and seconds of them, before the floor is believed. */
const WINDOWS_TO_KNOW = 5;
const SECONDS_TO_KNOW = 4;
/** Light samples before a provisional floor, 8 s of them. */
const LIGHT_SAMPLES_TO_KNOW = 4;
/** Quiet samples remembered: 2 % of it are one, and it is not the lowest, so that a single odd reading does not decide for ever. */
const SAMPLES_KEPT = 64;
/** Upward leak: at most 1 % of the quiet power a minute of quiet time, the pace at which a heat sink warms. */
const LEAK_PER_SECOND = 0.01 / 60;
const SAMPLE_SECONDS = 2;
/** Six standard deviations of a sample's jitter: 0.4 ms and again 0.4 ms of two seconds. */
const JITTER_RATIO = 0.002;
/** At least this much of a quiet window's power is idle power, whatever a prediction says. */
const LEAST_IDLE_RATIO = 0.5;

/** Windows that are still too little to judge. */
export interface PowerSum {
  readonly joules: number;
  readonly seconds: number;
}

export interface IdleFloorState {
  /** `energy.idle_watts`, or the model's own idle power: wins over everything learnt. */
  readonly configuredWatts: Watts | undefined;
  /** undefined while not known. */
  readonly floorWatts: Watts | undefined;
  /** Power of the last quiet samples, oldest first. */
  readonly quietWatts: readonly number[];
  /** Lowest sample of any windows until the floor is known. */
  readonly lowestWatts: number;
  readonly quiet: PowerSum;
  readonly any: PowerSum;
  /** Quiet windows and their time, until the floor is known. */
  readonly quietWindows: number;
  readonly quietSeconds: number;
  /** Idle energy that windows before this one were too short of; see `settleIdle`. */
  readonly owedMicrojoules: Microjoules;
  /** Power of the last light samples, while no quiet windows have said better. */
  readonly lightWatts: readonly number[];
  readonly light: PowerSum;
  readonly isProvisional: boolean;
}

export interface IdleFloorInput {
  readonly powerWatts: Watts;
  /** Busy part of the CPUs of this domain's package, 0..1. */
  readonly busyRatio: number;
  readonly spanNanos: Nanos;
  /** What ran should have drawn, by the coefficients in use; undefined: not known, and little in a quiet window. */
  readonly activeWatts?: number | undefined;
}

const NOTHING: PowerSum = { joules: 0, seconds: 0 };

export const initialIdleFloor = (configuredWatts: number | undefined): IdleFloorState => {
  const configured = configuredWatts === undefined ? undefined : watts(configuredWatts);
  return {
    configuredWatts: configured,
    floorWatts: configured,
    quietWatts: [],
    lowestWatts: Infinity,
    quiet: NOTHING,
    any: NOTHING,
    quietWindows: 0,
    quietSeconds: 0,
    owedMicrojoules: ZERO_MICROJOULES,
    lightWatts: [],
    light: NOTHING,
    isProvisional: false,
  };
};

const isUnsettled = ({ floorWatts, isProvisional }: IdleFloorState): boolean =>
  floorWatts === undefined || isProvisional;

/** Whether a window of that much work teaches something, so that what it should have drawn is asked for. */
export const isTelling = (state: IdleFloorState, busyRatio: number): boolean =>
  state.configuredWatts === undefined &&
  (busyRatio < QUIET_BUSY_RATIO || (busyRatio < LIGHT_BUSY_RATIO && isUnsettled(state)));

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

/** Low quantile of the samples, averaged with what differs from it by jitter alone. */
const lowLevel = (values: readonly number[]): number => {
  const sorted = [...values].sort((a, b) => a - b);
  const quantile = sorted[Math.floor(QUANTILE * sorted.length)] ?? 0;
  const near = sorted.filter((value) => Math.abs(value - quantile) <= JITTER_RATIO * quantile);
  return near.reduce((sum, value) => sum + value, 0) / Math.max(1, near.length);
};

/** Down at once where it is a matter of jitter only, up slowly. */
const approach = (floor: number, target: number, seconds: number): number =>
  target > floor
    ? Math.min(target, floor + target * LEAK_PER_SECOND * seconds)
    : Math.max(target, floor * (1 - JITTER_RATIO));

interface Sampled {
  readonly rest: PowerSum;
  /** Undefined while the sum is too short. */
  readonly powerWatts: number | undefined;
}

const sample = (sum: PowerSum, powerWatts: number, seconds: number): Sampled => {
  const next = { joules: sum.joules + powerWatts * seconds, seconds: sum.seconds + seconds };
  // A hair less than two seconds is two windows of one.
  return next.seconds < SAMPLE_SECONDS * 0.99
    ? { rest: next, powerWatts: undefined }
    : { rest: NOTHING, powerWatts: next.joules / next.seconds };
};

const quietPower = ({ powerWatts, activeWatts = 0 }: IdleFloorInput): number =>
  Math.max(powerWatts * LEAST_IDLE_RATIO, powerWatts - Math.max(0, activeWatts));

/** Takes the window into the sums and samples; decides nothing. */
const gather = (state: IdleFloorState, input: IdleFloorInput, seconds: number) => {
  const any = sample(state.any, input.powerWatts, seconds);
  const isQuiet = input.busyRatio < QUIET_BUSY_RATIO;
  const quiet = isQuiet ? sample(state.quiet, quietPower(input), seconds) : undefined;
  const quietWatts =
    quiet?.powerWatts === undefined
      ? state.quietWatts
      : [...state.quietWatts, quiet.powerWatts].slice(-SAMPLES_KEPT);
  const isPredicted = input.activeWatts !== undefined;
  const isLight = !isQuiet && isPredicted && isTelling(state, input.busyRatio);
  const light = isLight ? sample(state.light, quietPower(input), seconds) : undefined;
  const gathered: IdleFloorState = {
    ...state,
    light: light?.rest ?? state.light,
    lightWatts:
      light?.powerWatts === undefined
        ? state.lightWatts
        : [...state.lightWatts, light.powerWatts].slice(-SAMPLES_KEPT),
    any: any.rest,
    quiet: quiet?.rest ?? state.quiet,
    quietWatts,
    quietWindows: state.quietWindows + (isQuiet ? 1 : 0),
    quietSeconds: state.quietSeconds + (isQuiet ? seconds : 0),
    lowestWatts: Math.min(state.lowestWatts, any.powerWatts ?? Infinity),
  };
  return { gathered, isQuiet, anyWatts: any.powerWatts };
};

/** The first floor: of quiet windows where there were enough, else of light ones, else none. */
const firstFloor = (gathered: IdleFloorState): IdleFloorState => {
  const { quietWatts, lightWatts, lowestWatts } = gathered;
  const most = lowestWatts * (1 + JITTER_RATIO);
  const isKnown =
    quietWatts.length > 0 &&
    gathered.quietWindows >= WINDOWS_TO_KNOW &&
    gathered.quietSeconds >= SECONDS_TO_KNOW * 0.99;
  if (isKnown)
    return {
      ...gathered,
      floorWatts: watts(Math.min(most, lowLevel(quietWatts))),
      isProvisional: false,
      lightWatts: [],
    };
  if (lightWatts.length < LIGHT_SAMPLES_TO_KNOW) return gathered;
  return {
    ...gathered,
    floorWatts: watts(Math.min(most, median(lightWatts))),
    isProvisional: true,
  };
};

/** Call for each window in which the domain advanced; rejected and failed windows teach nothing. */
export const advanceIdleFloor = (state: IdleFloorState, input: IdleFloorInput): IdleFloorState => {
  const seconds = secondsOf(input.spanNanos);
  if (state.configuredWatts !== undefined || !(seconds > 0)) return state;
  const { gathered, isQuiet, anyWatts } = gather(state, input, seconds);
  const { floorWatts, quietWatts } = gathered;
  if (floorWatts === undefined || gathered.isProvisional) return firstFloor(gathered);
  // Idle power is part of every window's power: a lower one, busy or not, disproves the floor.
  if (anyWatts !== undefined && anyWatts < floorWatts * (1 - JITTER_RATIO))
    return { ...gathered, floorWatts: watts(anyWatts) };
  if (!isQuiet || quietWatts.length === 0) return gathered;
  return {
    ...gathered,
    floorWatts: watts(approach(floorWatts, lowLevel(quietWatts), seconds)),
  };
};

/** Counters move every 1 to 16 ms: no window lacks more than that. */
const LONGEST_UPDATE_NANOS = nanos(20_000_000n);

/**
 * What a window had less than its idle energy it lent to the next: a counter that moves in steps cuts a
 * little of the one off to the other, and never loses any. So the next one's idle energy is more by
 * that. Without it the half of the jitter that is above the floor would be somebody's active energy, and
 * the half below nobody's: on a memory that hardly works a per cent of all.
 */
export const settleIdle = (
  state: IdleFloorState,
  /** Of the window, without graphics. */
  energyMicrojoules: Microjoules,
  spanNanos: Nanos,
): IdleFloorState => {
  const { floorWatts, owedMicrojoules: owed } = state;
  if (floorWatts === undefined || !(floorWatts > 0)) return state;
  const lacking = energyOf(floorWatts, spanNanos) + owed - energyMicrojoules;
  const most = energyOf(floorWatts, LONGEST_UPDATE_NANOS);
  const next = lacking <= 0n ? 0n : lacking < most ? lacking : most;
  return next === owed ? state : { ...state, owedMicrojoules: microjoules(next) };
};
