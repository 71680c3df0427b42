// SPDX-License-Identifier: Apache-2.0
/** How the raw readings of one energy domain become microjoules. Written by the plan, obeyed by the reader. */
import type { EnergySourceSpec } from '../activity/port.js';
import type { EnergyDomainKind, EnergySourceKind } from '../model/energy-domain.js';
import type { CounterShape } from './counter-state.js';
import type { ModelCurve } from './model.js';

export type Measure =
  /** One reading: a rising counter. */
  | { readonly _tag: 'Counter'; readonly shape: CounterShape }
  /** One reading: power now, in microwatts; integrated over time by the trapezoid rule. */
  | { readonly _tag: 'Power'; readonly maxWatts: number }
  /** Three or two readings per battery, see `BatteryInputs`; counts while one of them discharges. */
  | {
      readonly _tag: 'Battery';
      readonly batteries: readonly BatteryInputs[];
      readonly maxWatts: number;
    }
  /** No reading: computed from how busy the package was. */
  | { readonly _tag: 'Model'; readonly packageId: number; readonly curve: ModelCurve }
  /** No reading: memory of one package, predicted from the lines that were fetched from it. */
  | { readonly _tag: 'DramModel'; readonly packageId: number; readonly dram: DramModel };

/** P = background + line energy x lines per second. */
export interface DramModel {
  readonly backgroundWatts: number;
  readonly lineNanojoules: number;
}

/** `status` and `power_now`, or `status`, `current_now` and `voltage_now` (microampere, microvolt). */
export interface BatteryInputs {
  readonly name: string;
  readonly inputs: 'power' | 'current-voltage';
}

export const readingsOfBattery = ({ inputs }: BatteryInputs): number =>
  inputs === 'power' ? 2 : 3;

/** Something the machine offers that could measure one domain. Facts only: nothing is chosen yet. */
export interface EnergyCandidate {
  /** Becomes `EnergyDomain.id`. */
  readonly id: string;
  readonly kind: EnergyDomainKind;
  readonly name: string;
  readonly packageId: number | undefined;
  readonly dieId: number | undefined;
  /** Of a counter of one core. */
  readonly coreId?: number | undefined;
  readonly source: EnergySourceKind;
  /** Among candidates of one source for one domain the lower is the better: MSR 0, MMIO 1. */
  readonly rank: number;
  readonly measure: Measure;
  readonly specs: readonly EnergySourceSpec[];
  /** Known to mislead or to cost too much; dropped with this reason whatever it reads. */
  readonly unfit: string | undefined;
}
