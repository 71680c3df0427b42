// SPDX-License-Identifier: Apache-2.0
/** What advanceCounter() takes, keeps and gives: see counter.ts for the rules. */
import type { RejectReason } from '../model/window.js';
import { nanos, type Microjoules, type Nanos } from '../model/units.js';
import type { EnergyUnit } from './energy-unit.js';

export interface CounterShape {
  readonly unit: EnergyUnit;
  /** Largest value before the wrap (powercap's `max_energy_range_uj`); undefined: it never wraps. */
  readonly maxRaw: bigint | undefined;
  /** More than this over a window is no measurement. */
  readonly maxWatts: number;
  /** A package or a whole machine always draws power: standing still means it is not counting. */
  readonly mustMove: boolean;
}

export interface CounterReading {
  readonly raw: bigint;
  /** CLOCK_MONOTONIC right after the read. */
  readonly atNanos: Nanos;
  /** CLOCK_BOOTTIME - CLOCK_MONOTONIC; grows while the machine sleeps. */
  readonly boottimeOffsetNanos: Nanos;
  /** perf only: time the event was enabled and really counting. */
  readonly perf?: { readonly enabledNanos: bigint; readonly runningNanos: bigint };
}

export interface CounterState {
  readonly baseline: CounterReading | undefined;
  /**
   * Start of the span over which the next move is judged: the last reading, or for a counter that must
   * move the last one that did, because energy may arrive late after a standstill.
   */
  readonly judgedFromNanos: Nanos;
  /** A reading that did not follow from the baseline; the next one decides which of the two is right. */
  readonly suspect: CounterReading | undefined;
  /** How often the suspect's value was read in a row. */
  readonly suspectRepeats: number;
  /** Fraction of a microjoule not handed out yet, in 1/denominator of the unit. */
  readonly remainder: bigint;
}

export type CounterStep =
  | { readonly _tag: 'First' }
  | {
      readonly _tag: 'Advanced';
      readonly deltaMicrojoules: Microjoules;
      readonly spanNanos: Nanos;
      readonly wrapped: boolean;
    }
  | { readonly _tag: 'Rejected'; readonly reason: RejectReason; readonly detail: string };

export interface CounterAdvance {
  readonly step: CounterStep;
  readonly state: CounterState;
}

export const INITIAL_COUNTER: CounterState = {
  baseline: undefined,
  judgedFromNanos: nanos(0n),
  suspect: undefined,
  suspectRepeats: 0,
  remainder: 0n,
};
