// SPDX-License-Identifier: Apache-2.0
/** The idle floors of all domains that have one: the attributed ones, and cores within a package. */
import { energyWithoutGraphics } from '../attribution/advances.js';
import type { BusyRatios } from '../energy/busy-ratio.js';
import {
  advanceIdleFloor,
  initialIdleFloor,
  isTelling,
  settleIdle,
  type IdleFloorState,
} from '../energy/idle-floor.js';
import type { EnergyPlan, PlannedDomain } from '../energy/plan-types.js';
import type { EnergyDomain } from '../model/energy-domain.js';
import { meanWatts, watts, type Microjoules, type Watts } from '../model/units.js';
import type { DomainReading } from '../model/window.js';

export interface IdleFloorOptions {
  readonly plan: EnergyPlan;
  /** `energy.idle_watts`: floor of one package; undefined: learnt. */
  readonly idleWatts: number | undefined;
}

/** A model says itself what it draws when idle; a configured floor is meant for packages. */
const configuredFloor = (
  { domain, measure }: PlannedDomain,
  idleWatts: number | undefined,
): number | undefined => {
  if (measure._tag === 'Model') return measure.curve.idleWatts;
  if (measure._tag === 'DramModel') return measure.dram.backgroundWatts;
  return domain.kind === 'package' ? idleWatts : undefined;
};

const hasFloor = ({ domain }: PlannedDomain): boolean =>
  domain.isAttributed || domain.kind === 'core';

export class IdleFloors {
  readonly #states: Map<string, IdleFloorState>;
  readonly #packageOfCores: ReadonlyMap<string, string | undefined>;

  constructor({ plan, idleWatts }: IdleFloorOptions) {
    this.#states = new Map(
      plan.domains
        .filter(hasFloor)
        .map((planned) => [
          planned.domain.id,
          initialIdleFloor(configuredFloor(planned, idleWatts)),
        ]),
    );
    this.#packageOfCores = new Map(
      plan.domains
        .filter(({ domain }) => domain.kind === 'core')
        .map(({ domain }) => [domain.id, domain.parentId]),
    );
  }

  /**
   * `activeWattsOf`: what ran should have drawn, asked only of windows in which little did.
   * A package's floor is learnt without its graphics, which may draw while every CPU sleeps.
   */
  learn(
    readings: readonly DomainReading[],
    busy: BusyRatios,
    activeWattsOf: (domain: EnergyDomain) => number | undefined = () => undefined,
  ): void {
    const energies = energyWithoutGraphics(readings);
    for (const { domain, step } of readings) {
      const state = this.#states.get(domain.id);
      if (state === undefined || step._tag !== 'Advanced') continue;
      const packageBusy =
        domain.packageId === undefined ? undefined : busy.byPackage.get(domain.packageId);
      const busyRatio = packageBusy ?? busy.ofHost;
      const next = advanceIdleFloor(state, {
        activeWatts: isTelling(state, busyRatio) ? activeWattsOf(domain) : undefined,
        powerWatts: meanWatts(energies.get(domain.id) ?? step.deltaMicrojoules, step.spanNanos),
        busyRatio,
        spanNanos: step.spanNanos,
      });
      this.#states.set(domain.id, next);
    }
  }

  /** After a window was split: what its idle energy was short of is the next one's. */
  settle(readings: readonly DomainReading[]): void {
    const energies = energyWithoutGraphics(readings);
    for (const { domain, step } of readings) {
      const state = this.#states.get(domain.id);
      if (state === undefined || step._tag !== 'Advanced') continue;
      const energy = energies.get(domain.id) ?? step.deltaMicrojoules;
      this.#states.set(domain.id, settleIdle(state, energy, step.spanNanos));
    }
  }

  /** By domain id: idle energy that earlier windows lacked. */
  owed(): ReadonlyMap<string, Microjoules> {
    return new Map([...this.#states].map(([id, { owedMicrojoules }]) => [id, owedMicrojoules]));
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

  /**
   * Idle cores are power-gated: where the package's floor is known (configured, or provisional) before that of its
   * cores, theirs is nothing. An error of a few tenths of a watt, and the cores' own counter can be used.
   */
  watts(): ReadonlyMap<string, Watts | undefined> {
    const floorOf = (id: string | undefined): Watts | undefined =>
      id === undefined ? undefined : this.#states.get(id)?.floorWatts;
    return new Map(
      [...this.#states].map(([id, { floorWatts }]) => {
        const packageFloor = floorOf(this.#packageOfCores.get(id));
        return [id, floorWatts ?? (packageFloor === undefined ? undefined : watts(0))];
      }),
    );
  }
}
