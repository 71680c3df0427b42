// SPDX-License-Identifier: Apache-2.0
/** What a pool of series keeps about entities with and without lanes, and how it ranks them; pure. */
import type { Lane, Measure, MeasureLabels, Readings } from './lane.js';
import type { Candidate, Resident } from './selection.js';

/** A name that changes for ever must not make series for ever. */
export const MAX_RELABELS = 8;

export interface Live<Entity> extends Resident {
  readonly key: string;
  entity: Entity;
  lanes: Lane<Entity>[];
  seenAt: number;
  ageExports: number;
  relabels: number;
  readings: Readings;
  gain: number;
  /** By the include and exclude rules. */
  isSelected: boolean;
}

export interface Newcomer<Entity> extends Candidate {
  readonly key: string;
  readonly entity: Entity;
  readonly readings: Readings;
  /** As of the last export, where it went into the overflow; undefined if it was in none yet. */
  readonly pooled: Readings | undefined;
  /** By the include and exclude rules. */
  readonly isSelected: boolean;
}

/** What one pass over the ledger's entities found. */
export interface Scan<Entity> {
  /** Of all entities and the ledger's remainder. */
  readonly total: Readings;
  readonly newcomers: readonly Newcomer<Entity>[];
  /** Ended, and nothing of theirs waits for delivery. */
  readonly forgettable: Entity[];
}

export interface Opening {
  readonly startUnixMillis: number;
  /** The reading at which the lane's total is zero. */
  readonly baseline: bigint;
  readonly reading: bigint;
}

export const NOTHING: Readings = { package: 0n, dram: 0n, cpu: 0n };

export const energyOf = (readings: Readings): bigint => readings.package + readings.dram;

/** What entities are ranked by: energy, and CPU time only where the host offers no energy at all. */
export const weightBy = ({
  package: pkg,
  dram,
}: MeasureLabels): ((readings: Readings) => bigint) =>
  pkg === undefined && dram === undefined ? ({ cpu }) => cpu / 1_000n : energyOf;

export const forEachMeasure = <T>(make: () => T): Readonly<Record<Measure, T>> => ({
  package: make(),
  dram: make(),
  cpu: make(),
});

export const hasFallen = (before: Readings, after: Readings): boolean =>
  after.package < before.package || after.dram < before.dram || after.cpu < before.cpu;
