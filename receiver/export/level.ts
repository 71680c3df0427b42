// SPDX-License-Identifier: Apache-2.0
/** One level of entities (processes, threads, cgroups) on its way out: its pool of series and their points. */
import type { Attributes } from '@opentelemetry/api';
import type { EntityKind, PoolInput, PoolLimits } from './entity-kind.js';
import { EntityPoints, type Breath, type LevelInstruments } from './entity-points.js';
import type { MetricSet } from './metric-set.js';
import type { LevelCounts } from './self-points.js';
import { NO_RULES, type SelectionRules } from '../model/selection-rule.js';
import { SeriesPool } from './series-pool.js';
import type { StreamTable } from './stream-table.js';
import type { Temporality } from './stream.js';

export interface LevelOptions {
  /** Off: nothing of this level is exported; ended entities are given back to the ledger at once. */
  readonly isExported: boolean;
  readonly hasCpuTime: boolean;
  readonly maxSeries: number;
  /** Energy from which on an entity has a series of its own; 0 by default. */
  readonly minMicrojoules?: bigint;
  readonly rules?: SelectionRules;
}

/** What does not depend on a configuration. */
export interface LevelPlan<Entity> {
  /** Value of `wattfeed.level`. */
  readonly name: string;
  readonly kind: EntityKind<Entity>;
  readonly attributesOf: (entity: Entity) => Attributes;
  readonly instruments: LevelInstruments;
}

/** Lanes of an ended entity are few; this many can wait out an outage of hours on a busy build host. */
const MIN_CLOSED = 4_096;
const CLOSED_PER_SERIES = 4;
/**
 * 1 J. Without a bound a storm of short processes makes a series for each: 50,000 in a few seconds. What
 * is below it is in the overflow series and in its cgroup.
 */
const MIN_ENDED_MICROJOULES = 1_000_000n;

const limitsOf = ({
  isExported,
  maxSeries,
  minMicrojoules = 0n,
  rules = NO_RULES,
}: LevelOptions): PoolLimits => ({
  maxSeries: isExported ? maxSeries : 0,
  maxClosed: Math.max(MIN_CLOSED, CLOSED_PER_SERIES * maxSeries),
  minEndedMicrojoules:
    minMicrojoules > MIN_ENDED_MICROJOULES ? minMicrojoules : MIN_ENDED_MICROJOULES,
  minMicrojoules,
  rules,
});

export class Level<Entity> {
  readonly #pool: SeriesPool<Entity>;
  readonly #points: EntityPoints<Entity>;

  constructor(
    private readonly plan: LevelPlan<Entity>,
    readonly options: LevelOptions,
    temporality: Temporality,
    table: StreamTable,
  ) {
    const { kind, attributesOf, instruments } = plan;
    this.#pool = new SeriesPool(kind, limitsOf(options), temporality);
    this.#points = new EntityPoints(this.#pool, attributesOf, instruments, table);
  }

  /** Takes the ledger's copy in. Returns the ended entities that the ledger may forget. */
  async update(input: PoolInput<Entity>, breathe: Breath): Promise<readonly Entity[]> {
    const work = this.#pool.update(input);
    for (let step = work.next(); ; step = work.next()) {
      if (step.done === true) return step.value;
      await breathe();
    }
  }

  async addTo(set: MetricSet, breathe: Breath): Promise<void> {
    if (this.options.isExported) await this.#points.addTo(set, breathe);
  }

  counts(): LevelCounts {
    const { seriesCount, pooledCount, regressions, closed } = this.#pool;
    const { name: level } = this.plan;
    return { level, seriesCount, pooledCount, regressions, finalsDropped: closed.droppedCount };
  }
}
