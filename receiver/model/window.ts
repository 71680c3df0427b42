// SPDX-License-Identifier: Apache-2.0
import type { AttributedKind, EnergyDomain, SplitMethod } from './energy-domain.js';
import type { AccountingStats } from './activity.js';
import type { Microjoules, Nanos, Watts, WindowNanos } from './units.js';

/**
 * What became of one domain's counter in one window. Three outcomes never merge: a domain that is
 * absent is not in the plan at all; `failed` and `rejected` windows move no ledger and are counted.
 */
export type DomainStep =
  | { readonly _tag: 'First' }
  | {
      readonly _tag: 'Advanced';
      readonly deltaMicrojoules: Microjoules;
      readonly spanNanos: Nanos;
      /** Part of the span before this window began: readings failed in between. Absent: none. */
      readonly missedNanos?: Nanos;
      readonly wrapped: boolean;
    }
  | { readonly _tag: 'Rejected'; readonly reason: RejectReason; readonly detail: string }
  | { readonly _tag: 'Failed'; readonly reason: FailReason; readonly detail: string };

export type RejectReason =
  'reset' | 'implausible' | 'suspend' | 'out-of-range' | 'gap' | 'not-counting';
export type FailReason = 'unreadable' | 'permission' | 'empty' | 'not-a-number' | 'gone';

export interface DomainReading {
  readonly domain: EnergyDomain;
  readonly step: DomainStep;
}

/** Why measured energy belongs to nobody. */
export type UnattributedReason =
  /** Task time that found no slot and whose cgroup could not be kept either. */
  | 'overflow'
  /** Task time of tasks without storage, or behind a switch that was not seen. */
  | 'unslotted'
  /** The window carries no record of any CPU of the package. */
  | 'no-activity'
  /** The domain names a package that the topology does not have. */
  | 'unknown-package'
  /** Drawn in windows whose reading failed: what ran in those is not what ran in this one. */
  | 'missed-reading'
  /** The attribution's own check failed: a defect, counted and logged. */
  | 'inconsistent'
  /** Burned between the last reading of an agent before this one and the first of this one. */
  | 'agent_down';

/** Where one attributed domain's delta went. entities + idle + irq + igpu + unattributed = delta, exactly. */
export interface DomainBalance {
  readonly domain: EnergyDomain;
  readonly split: SplitMethod;
  /** Part of the task time whose slices had a counter reading, 0..1; the rest went by time. */
  readonly countedShare: number;
  /** Memory: part of the weight whose place (NUMA node) was read; undefined elsewhere, and on one package. */
  readonly locatedShare: number | undefined;
  readonly deltaMicrojoules: Microjoules;
  readonly spanNanos: Nanos;
  /** Part of the span before this window began; no entity has any of its energy. */
  readonly missedNanos: Nanos;
  readonly entitiesMicrojoules: Microjoules;
  readonly idleMicrojoules: Microjoules;
  readonly irqMicrojoules: Microjoules;
  /** The integrated graphics of a client package, by its own counter; taken out before anything is split. */
  readonly igpuMicrojoules: Microjoules;
  readonly unattributed: ReadonlyMap<UnattributedReason, Microjoules>;
  /** The idle floor used; undefined while none is known yet: then all energy is active if anything ran. */
  readonly idleFloorWatts: Watts | undefined;
  /** Active energy that the cores' own counter showed and that was split apart; undefined without one. */
  readonly coreMicrojoules: Microjoules | undefined;
}

/** One (thread, CPU domain)'s part of one window, see `taskShareAt`. */
export interface TaskShare {
  readonly energy: Readonly<Record<AttributedKind, Microjoules>>;
}

/**
 * Everybody's part of one window in whole microjoules, as columns (10,000 rows a second: no object per
 * row). `tasks` and `overflow` run parallel to the same arrays of the ActivityWindow.
 */
export interface WindowShares {
  readonly tasks: Readonly<Record<AttributedKind, Float64Array>>;
  /** Task time without a slot, whose cgroup is known: charged to the cgroup, to no single process. */
  readonly overflow: Readonly<Record<AttributedKind, Float64Array>>;
}

/** Whole-machine meter against the sum of packages and DRAM. */
export interface MeterBalance {
  readonly domain: EnergyDomain;
  readonly meterMicrojoules: Microjoules;
  /** meter - packages - DRAM; negative when the sources contradict each other. Attributed to nobody. */
  readonly restMicrojoules: Microjoules | undefined;
  readonly spanNanos: Nanos;
}

/** The result of one window: what was measured and to whom it was given. */
export interface WindowReport {
  readonly index: bigint;
  readonly startNanos: Nanos;
  readonly endNanos: Nanos;
  readonly realtimeNanos: Nanos;
  readonly lateNanos: WindowNanos;
  readonly readings: readonly DomainReading[];
  readonly balances: readonly DomainBalance[];
  readonly meters: readonly MeterBalance[];
  readonly busyRatio: number;
  readonly stealNanos: WindowNanos | undefined;
  readonly stats: AccountingStats;
  readonly slotsUsed: number;
  readonly slotsLimit: number;
}
