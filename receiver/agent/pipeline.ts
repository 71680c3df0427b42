// SPDX-License-Identifier: Apache-2.0
/**
 * One window as one pass: raw readings -> domain steps -> idle floors -> attribution -> ledger.
 * Holds what must be remembered from window to window (counters' states, floors) and nothing else.
 */
import { attribute, type WindowAttribution } from '../attribution/attribute.js';
import type { Ledger } from '../attribution/ledger.js';
import { windowReport } from '../attribution/window-report.js';
import { busyRatios, type BusyRatios } from '../energy/busy-ratio.js';
import { advanceIdleFloor, initialIdleFloor, type IdleFloorState } from '../energy/idle-floor.js';
import type { EnergyPlan, PlannedDomain } from '../energy/plan-types.js';
import { meterBalances } from '../attribution/meters.js';
import { createEnergyReader, type DomainState } from '../energy/reader.js';
import type { ActivityWindow } from '../model/activity.js';
import type { HostTopology } from '../model/host-topology.js';
import { meanWatts, nanos, type Watts } from '../model/units.js';
import type { DomainReading, WindowReport } from '../model/window.js';

export interface PipelineOptions {
  readonly plan: EnergyPlan;
  readonly topology: HostTopology;
  /** `energy.idle_watts`: floor of one package; undefined: learnt. */
  readonly idleWatts: number | undefined;
}

export interface PipelineResult {
  readonly report: WindowReport;
  readonly attribution: WindowAttribution;
}

/** All that a pipeline remembers from window to window. */
export interface PipelineState {
  readonly counters: ReadonlyMap<string, DomainState>;
  readonly floors: ReadonlyMap<string, IdleFloorState>;
}

export interface Pipeline {
  /** Call once per window, in order. */
  readonly advance: (window: ActivityWindow, ledger: Ledger) => PipelineResult;
  readonly state: () => PipelineState;
  /** Goes on where another pipeline was: the same windows then give the same joules. */
  readonly restore: (state: PipelineState) => void;
  /** Windows are missing: the next readings are baselines, what was learnt stays. */
  readonly skip: () => void;
}

/** The model says itself what it draws when idle; a configured floor is meant for packages. */
const configuredFloor = (
  { domain, measure }: PlannedDomain,
  idleWatts: number | undefined,
): number | undefined => {
  if (measure._tag === 'Model') return measure.curve.idleWatts;
  return domain.kind === 'package' ? idleWatts : undefined;
};

class IdleFloors {
  readonly #states: Map<string, IdleFloorState>;

  constructor({ plan, idleWatts }: PipelineOptions) {
    this.#states = new Map(
      plan.domains
        .filter(({ domain }) => domain.isAttributed)
        .map((planned) => [
          planned.domain.id,
          initialIdleFloor(configuredFloor(planned, idleWatts)),
        ]),
    );
  }

  learn(readings: readonly DomainReading[], busy: BusyRatios): void {
    for (const { domain, step } of readings) {
      const state = this.#states.get(domain.id);
      if (state === undefined || step._tag !== 'Advanced') continue;
      const packageBusy =
        domain.packageId === undefined ? undefined : busy.byPackage.get(domain.packageId);
      const next = advanceIdleFloor(state, {
        powerWatts: meanWatts(step.deltaMicrojoules, step.spanNanos),
        busyRatio: packageBusy ?? busy.ofHost,
        spanNanos: step.spanNanos,
      });
      this.#states.set(domain.id, next);
    }
  }

  states(): ReadonlyMap<string, IdleFloorState> {
    return new Map(this.#states);
  }

  /** Only floors of domains in the plan; those configured stay as they are. */
  restore(states: ReadonlyMap<string, IdleFloorState>): void {
    for (const [id, state] of states)
      if (this.#states.get(id)?.configuredWatts === undefined && this.#states.has(id))
        this.#states.set(id, state);
  }

  watts(): ReadonlyMap<string, Watts | undefined> {
    return new Map([...this.#states].map(([id, { floorWatts }]) => [id, floorWatts]));
  }
}

export const createPipeline = (options: PipelineOptions): Pipeline => {
  const { plan, topology } = options;
  const reader = createEnergyReader(plan);
  const floors = new IdleFloors(options);
  return {
    advance: (window, ledger) => {
      const busy = busyRatios(window.cpus, topology, nanos(window.endNanos - window.startNanos));
      const readings = reader.read({
        readings: window.readings,
        startNanos: window.startNanos,
        endNanos: window.endNanos,
        boottimeOffsetNanos: window.boottimeOffsetNanos,
        busyRatios: busy.byPackage,
      });
      floors.learn(readings, busy);
      const attribution = attribute({ window, readings, topology, idleFloors: floors.watts() });
      ledger.book(window, readings, attribution);
      return {
        report: windowReport(window, readings, attribution, meterBalances(readings)),
        attribution,
      };
    },
    state: () => ({ counters: reader.states(), floors: floors.states() }),
    restore: (state) => {
      reader.restore(state.counters);
      floors.restore(state.floors);
    },
    skip: () => {
      reader.restore(new Map());
    },
  };
};
