// SPDX-License-Identifier: Apache-2.0
/** What a pool of series must be told: about its entities, its limits, and the ledger at one moment. */
import type { MeasureLabels, Readings } from './lane.js';
import type { SelectionFields, SelectionRules } from '../model/selection-rule.js';

/** What the pool must know of a process or a cgroup. */
export interface EntityKind<Entity> {
  readonly keyOf: (entity: Entity) => string;
  readonly readingsOf: (entity: Entity) => Readings;
  readonly startUnixMillisOf: (entity: Entity) => number;
  readonly hasEnded: (entity: Entity) => boolean;
  /** Both would be exported under the same attributes. */
  readonly isSameSeries: (a: Entity, b: Entity) => boolean;
  /** What include and exclude rules may look at. */
  readonly selectionFieldsOf: (entity: Entity) => SelectionFields;
}

export interface PoolLimits {
  readonly maxSeries: number;
  /** Ended lanes that may wait for delivery; beyond it the oldest is given up and counted. */
  readonly maxClosed: number;
  /** An entity that came and went between two exports gets a series from this energy on. */
  readonly minEndedMicrojoules: bigint;
  /** One that lives gets a series from this energy on. */
  readonly minMicrojoules: bigint;
  readonly rules: SelectionRules;
}

export interface PoolInput<Entity> {
  /** As they were at one moment; not changed while the update runs. */
  readonly entities: readonly Entity[];
  /** Entities that no longer have, or never got, an entry in the ledger. */
  readonly remainder: Readings;
  readonly labels: MeasureLabels;
  readonly endUnixNanos: bigint;
}
