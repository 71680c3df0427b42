// SPDX-License-Identifier: Apache-2.0
/**
 * One window as one pass: raw readings -> domain steps -> idle floors -> attribution -> ledger, and
 * then what the window teaches about the coefficients. Holds what must be remembered from window to
 * window (counters' states, floors, the calibration) and nothing else.
 */
import {
  attribute,
  DEFAULT_SETTINGS,
  type AttributionInput,
  type AttributionSettings,
  type WindowAttribution,
} from '../attribution/attribute.js';
import { Calibration, type PackageCalibration } from '../attribution/calibration/calibration.js';
import type { SavedFit } from '../attribution/calibration/package-fit.js';
import type { MemoryUse } from '../attribution/dram-weights.js';
import type { Reservations } from '../attribution/idle-policy.js';
import type { Ledger } from '../attribution/ledger.js';
import { meterBalances } from '../attribution/meters.js';
import { windowReport } from '../attribution/window-report.js';
import { busyRatios } from '../energy/busy-ratio.js';
import type { IdleFloorState } from '../energy/idle-floor.js';
import type { EnergyPlan } from '../energy/plan-types.js';
import { createEnergyReader, type DomainState } from '../energy/reader.js';
import type { ActivityWindow } from '../model/activity.js';
import type { Coefficients } from '../model/coefficients.js';
import type { HostTopology } from '../model/host-topology.js';
import type { EnergyDomain } from '../model/energy-domain.js';
import { nanos, secondsOf } from '../model/units.js';
import type { WindowReport } from '../model/window.js';
import type { CounterState } from '../energy/counter-state.js';
import { ResumedCounters } from './resumed-counters.js';
import { IdleFloors } from './idle-floors.js';

/** One line of 64 bytes to or from memory: 12 to 17 nJ on DDR4 servers. */
const DRAM_LINE_JOULES = 15e-9;

export interface PipelineOptions {
  readonly plan: EnergyPlan;
  readonly topology: HostTopology;
  /** `energy.idle_watts`: floor of one package; undefined: learnt. */
  readonly idleWatts: number | undefined;
  /** Default: DEFAULT_SETTINGS. */
  readonly settings?: AttributionSettings | undefined;
  /** Default: false, the priors stay. */
  readonly isCalibrating?: boolean | undefined;
  /** Coefficients to begin with, by core type; default: those of model/coefficients.ts. */
  readonly priorFor?: ((coreType: string) => Coefficients) | undefined;
}

/** What was read beside the window: where memory lies, what cgroups have reserved. */
export interface Surroundings {
  readonly memory?: MemoryUse | undefined;
  readonly reservations?: Reservations | undefined;
  /** The kernel's core predictions are scaled by each core's own energy counter. */
  readonly hasCoreScales?: boolean | undefined;
  /** A replay's: those that the recording agent used, by CPU domain, instead of its own. */
  readonly coefficients?: readonly Coefficients[] | undefined;
}

export interface PipelineResult {
  readonly report: WindowReport;
  readonly attribution: WindowAttribution;
  /** What the window was split from: `explain` shows it. */
  readonly input: AttributionInput;
  /** `coefficients()` are others from the next window on. */
  readonly hasNewCoefficients: boolean;
}

/** All that a pipeline remembers from window to window. */
export interface PipelineState {
  readonly counters: ReadonlyMap<string, DomainState>;
  readonly floors: ReadonlyMap<string, IdleFloorState>;
  /** Missing in recordings of agents that did not calibrate. */
  readonly fits?: readonly SavedFit[];
}

export interface Pipeline {
  /** Call once per window, in order. */
  readonly advance: (
    window: ActivityWindow,
    ledger: Ledger,
    surroundings?: Surroundings,
  ) => PipelineResult;
  /** In use for the next window, by CPU domain. */
  readonly coefficients: () => readonly Coefficients[];
  readonly calibration: () => readonly PackageCalibration[];
  readonly state: () => PipelineState;
  /** Goes on where another pipeline was: the same windows then give the same joules. */
  readonly restore: (state: PipelineState) => void;
  /** Takes over learnt coefficients alone; returns for how many packages they fitted. */
  readonly restoreFits: (fits: readonly SavedFit[]) => number;
  /** The counters go on from readings that an earlier agent took in this boot. */
  readonly resume: (counters: ReadonlyMap<string, CounterState>) => void;
  /** Windows are missing: the next readings are baselines, what was learnt stays. */
  readonly skip: () => void;
}

/** By package; missing where nobody's misses are counted. */
const countedLines = (
  window: ActivityWindow,
  calibration: Calibration,
): ReadonlyMap<number, number> =>
  new Map(
    [...calibration.predict(window)].flatMap(([packageId, { lines, isCounted }]) =>
      isCounted ? [[packageId, lines] as const] : [],
    ),
  );

/** Asked only of windows in which little ran. Undefined: nothing is predicted of such a domain. */
const activeWattsIn = (
  window: ActivityWindow,
  calibration: Calibration,
): ((domain: EnergyDomain) => number | undefined) => {
  let predicted: ReturnType<Calibration['predict']> | undefined;
  const seconds = secondsOf(nanos(window.endNanos - window.startNanos));
  return ({ kind, packageId }) => {
    if (seconds <= 0 || (kind !== 'package' && kind !== 'dram')) return undefined;
    predicted ??= calibration.predict(window);
    const own = predicted.get(packageId ?? -1);
    if (own === undefined || (kind === 'dram' && !own.isCounted)) return undefined;
    const joules = kind === 'dram' ? own.lines * DRAM_LINE_JOULES : own.joules;
    return joules / seconds;
  };
};

export const createPipeline = (options: PipelineOptions): Pipeline => {
  const { plan, topology } = options;
  const reader = createEnergyReader(plan);
  const resumed = new ResumedCounters();
  const floors = new IdleFloors(options);
  const calibration = new Calibration(topology, {
    isEnabled: options.isCalibrating ?? false,
    priorFor: options.priorFor,
  });
  const settings = options.settings ?? DEFAULT_SETTINGS;
  const modelsDram = plan.domains.some(({ measure }) => measure._tag === 'DramModel');
  return {
    advance: (window, ledger, surroundings = {}) => {
      const busy = busyRatios(window.cpus, topology, nanos(window.endNanos - window.startNanos));
      const read = reader.read({
        readings: window.readings,
        startNanos: window.startNanos,
        endNanos: window.endNanos,
        boottimeOffsetNanos: window.boottimeOffsetNanos,
        busyRatios: busy.byPackage,
        linesByPackage: modelsDram ? countedLines(window, calibration) : undefined,
      });
      const readings = resumed.settle(read, window.endNanos, ledger);
      floors.learn(readings, busy, activeWattsIn(window, calibration));
      const idleFloors = floors.watts();
      const input = {
        window,
        readings,
        topology,
        idleFloors,
        idleOwed: floors.owed(),
        settings,
        ...surroundings,
        coefficients: surroundings.coefficients ?? calibration.coefficients(),
      };
      const attribution = attribute(input);
      ledger.book(window, readings, attribution);
      floors.settle(readings);
      const hasNewCoefficients = calibration.learn({
        window,
        readings,
        idleFloors,
        features: attribution.features,
      });
      const report = windowReport(window, readings, attribution, meterBalances(readings));
      return { report, attribution, input, hasNewCoefficients };
    },
    coefficients: () => calibration.coefficients(),
    calibration: () => calibration.packages(),
    state: () => ({
      counters: reader.states(),
      floors: floors.states(),
      fits: calibration.save(),
    }),
    restore: (state) => {
      reader.restore(state.counters);
      floors.restore(state.floors);
      calibration.restore(state.fits ?? []);
    },
    restoreFits: (fits) => calibration.restore(fits),
    resume: (counters) => {
      const known = new Map(
        [...counters].filter(([id]) => plan.domains.some(({ domain }) => domain.id === id)),
      );
      // A perf event counts from when it was opened: what came before is not to be had.
      reader.resume(new Map([...known].filter(([, { baseline }]) => baseline?.perf === undefined)));
      resumed.expect(known);
    },
    skip: () => {
      reader.restore(new Map());
    },
  };
};
