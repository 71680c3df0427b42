// SPDX-License-Identifier: Apache-2.0
/**
 * Plan + raw readings of a window -> what became of each domain. Keeps the counters' states between
 * windows and nothing else. A domain whose file vanishes fails for as long as it is gone and goes on
 * by itself when it is back; no domain's trouble touches another.
 */
import * as E from 'fp-ts/lib/Either.js';
import type { RawReading } from '../model/activity.js';
import { assertNever } from '../model/errors.js';
import { nanos, type Nanos } from '../model/units.js';
import type { DomainReading, DomainStep } from '../model/window.js';
import { readBattery } from './battery.js';
import { advanceCounter } from './counter.js';
import { INITIAL_COUNTER, type CounterShape, type CounterState } from './counter-state.js';
import type { DramModel, Measure } from './measure.js';
import { modelEnergy, modelWatts, type ModelCurve } from './model.js';
import type { EnergyPlan, PlannedDomain } from './plan-types.js';
import { INITIAL_POWER, advancePower, breakPower, type PowerState } from './power.js';
import { readingCount, type ReadFailure } from './readings.js';

export interface ReadInput {
  /** In the order of `sourceSpecs(plan)`. */
  readonly readings: readonly RawReading[];
  readonly startNanos: Nanos;
  readonly endNanos: Nanos;
  readonly boottimeOffsetNanos: Nanos;
  /** Busy part of each package's CPUs, 0..1, steal not counted; for the model. */
  readonly busyRatios: ReadonlyMap<number, number>;
  /** Lines fetched from memory by each package's CPUs; packages that count none are missing. */
  readonly linesByPackage?: ReadonlyMap<number, number> | undefined;
}

export interface EnergyReader {
  /** One entry per planned domain, in the plan's order. Call once per window. */
  readonly read: (input: ReadInput) => readonly DomainReading[];
  /** What it remembers, by domain id: with it, another reader goes on where this one is. */
  readonly states: () => ReadonlyMap<string, DomainState>;
  /** Domains without a state begin anew: their next reading is a baseline. */
  readonly restore: (states: ReadonlyMap<string, DomainState>) => void;
  /** These counters go on from readings that another agent took in this boot. */
  readonly resume: (counters: ReadonlyMap<string, CounterState>) => void;
}

/** State of one domain; which of the three is used follows from its measure. */
export interface DomainState {
  readonly counter: CounterState;
  readonly power: PowerState;
  readonly modelRemainder: bigint;
}

const INITIAL: DomainState = { counter: INITIAL_COUNTER, power: INITIAL_POWER, modelRemainder: 0n };

interface DomainAdvance {
  readonly step: DomainStep;
  readonly state: DomainState;
}

const NOT_READ: ReadFailure = { reason: 'unreadable', detail: 'was not read' };

const failed = (state: DomainState, { reason, detail }: ReadFailure): DomainAdvance => ({
  step: { _tag: 'Failed', reason, detail },
  state: { ...state, power: breakPower(state.power) },
});

const stepCounter = (
  shape: CounterShape,
  state: DomainState,
  reading: RawReading | undefined,
  boottimeOffsetNanos: Nanos,
): DomainAdvance => {
  if (reading === undefined) return failed(state, NOT_READ);
  const raw = readingCount(reading);
  if (E.isLeft(raw)) return failed(state, raw.left);
  const base = { raw: raw.right, atNanos: reading.afterNanos, boottimeOffsetNanos };
  const advance = advanceCounter(
    shape,
    state.counter,
    reading._tag === 'PerfReading'
      ? {
          ...base,
          perf: { enabledNanos: reading.enabledNanos, runningNanos: reading.runningNanos },
        }
      : base,
  );
  return { step: advance.step, state: { ...state, counter: advance.state } };
};

/** A reading follows the end of its window, so one that is older than this window's begin is not its neighbour. */
const withMissed = (
  step: DomainStep,
  reading: RawReading | undefined,
  startNanos: Nanos,
): DomainStep => {
  if (step._tag !== 'Advanced' || reading === undefined) return step;
  const missedNanos = startNanos - (reading.afterNanos - step.spanNanos);
  return missedNanos > 0n ? { ...step, missedNanos: nanos(missedNanos) } : step;
};

const stepPower = (
  maxWatts: number,
  state: DomainState,
  reading: RawReading | undefined,
  boottimeOffsetNanos: Nanos,
): DomainAdvance => {
  if (reading === undefined) return failed(state, NOT_READ);
  const microwatts = readingCount(reading);
  if (E.isLeft(microwatts)) return failed(state, microwatts.left);
  const advance = advancePower(maxWatts, state.power, {
    microwatts: microwatts.right,
    atNanos: reading.afterNanos,
    boottimeOffsetNanos,
  });
  return { step: advance.step, state: { ...state, power: advance.state } };
};

const stepBattery = (
  measure: Extract<Measure, { _tag: 'Battery' }>,
  state: DomainState,
  readings: readonly RawReading[],
  boottimeOffsetNanos: Nanos,
): DomainAdvance => {
  const battery = readBattery(measure.batteries, readings);
  if (E.isLeft(battery)) return failed(state, battery.left);
  if (battery.right === undefined)
    return {
      // On mains the battery says nothing about the machine; the next discharge starts afresh.
      step: { _tag: 'Rejected', reason: 'not-counting', detail: 'no battery is discharging' },
      state: { ...state, power: { ...INITIAL_POWER, remainder: state.power.remainder } },
    };
  const { microwatts, atNanos } = battery.right;
  const advance = advancePower(measure.maxWatts, state.power, {
    microwatts,
    atNanos,
    boottimeOffsetNanos,
  });
  return { step: advance.step, state: { ...state, power: advance.state } };
};

const stepModel = (
  curve: ModelCurve,
  packageId: number,
  state: DomainState,
  input: ReadInput,
): DomainAdvance => {
  const busyRatio = input.busyRatios.get(packageId);
  if (busyRatio === undefined) return failed(state, { ...NOT_READ, detail: 'no busy time known' });
  const spanNanos = nanos(input.endNanos - input.startNanos);
  const { energyMicrojoules, remainder } = modelEnergy(
    modelWatts(curve, busyRatio),
    spanNanos,
    state.modelRemainder,
  );
  return {
    step: { _tag: 'Advanced', deltaMicrojoules: energyMicrojoules, spanNanos, wrapped: false },
    state: { ...state, modelRemainder: remainder },
  };
};

/** Without a counter of misses there is nothing to predict from: failed, not the background alone. */
const stepDram = (
  { backgroundWatts, lineNanojoules }: DramModel,
  packageId: number,
  state: DomainState,
  input: ReadInput,
): DomainAdvance => {
  const lines = input.linesByPackage?.get(packageId);
  const spanNanos = nanos(input.endNanos - input.startNanos);
  if (lines === undefined) return failed(state, { ...NOT_READ, detail: 'no cache misses counted' });
  if (spanNanos <= 0n) return failed(state, { ...NOT_READ, detail: 'empty window' });
  const powerWatts = backgroundWatts + (lineNanojoules * lines) / Number(spanNanos);
  const { energyMicrojoules, remainder } = modelEnergy(powerWatts, spanNanos, state.modelRemainder);
  return {
    step: { _tag: 'Advanced', deltaMicrojoules: energyMicrojoules, spanNanos, wrapped: false },
    state: { ...state, modelRemainder: remainder },
  };
};

const advanceDomain = (
  { measure }: PlannedDomain,
  state: DomainState,
  readings: readonly RawReading[],
  input: ReadInput,
): DomainAdvance => {
  switch (measure._tag) {
    case 'Counter': {
      const [reading] = readings;
      const advance = stepCounter(measure.shape, state, reading, input.boottimeOffsetNanos);
      return { ...advance, step: withMissed(advance.step, reading, input.startNanos) };
    }
    case 'Power':
      return stepPower(measure.maxWatts, state, readings[0], input.boottimeOffsetNanos);
    case 'Battery':
      return stepBattery(measure, state, readings, input.boottimeOffsetNanos);
    case 'DramModel':
      return stepDram(measure.dram, measure.packageId, state, input);
    case 'Model':
      return stepModel(measure.curve, measure.packageId, state, input);
    default:
      return assertNever(measure);
  }
};

export const createEnergyReader = (plan: EnergyPlan): EnergyReader => {
  const states = new Map<string, DomainState>();
  return {
    read: (input) => {
      let next = 0;
      return plan.domains.map((planned): DomainReading => {
        const readings = input.readings.slice(next, next + planned.specs.length);
        next += planned.specs.length;
        const { id } = planned.domain;
        const { step, state } = advanceDomain(planned, states.get(id) ?? INITIAL, readings, input);
        states.set(id, state);
        return { domain: planned.domain, step };
      });
    },
    states: () => new Map(states),
    resume: (counters) => {
      for (const [id, counter] of counters) states.set(id, { ...INITIAL, counter });
    },
    restore: (restored) => {
      states.clear();
      for (const [id, state] of restored) states.set(id, state);
    },
  };
};
