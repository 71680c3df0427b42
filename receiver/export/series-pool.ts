// SPDX-License-Identifier: Apache-2.0
/**
 * Decides, export by export, how the ledger's entities become series, so that each series only rises
 * and all of them together are the ledger's total, whatever starts, ends, is renamed, is promoted or
 * was not delivered:
 *
 *   total = Σ lanes (live and closed, not yet delivered) + ended (delivered lanes) + overflow (the rest)
 *
 * overflow is defined by that equation. It rises by exactly what entities without a lane burned.
 */
import { ClosedLanes } from './closed-lanes.js';
import type { EntityKind, PoolInput, PoolLimits } from './entity-kind.js';
import { LabelledTotals } from './labelled-totals.js';
import { Lane, MEASURES, type Measure, type MeasureLabels, type Readings } from './lane.js';
import {
  MAX_RELABELS,
  NOTHING,
  energyOf,
  hasFallen,
  forEachMeasure,
  weightBy,
  type Live,
  type Newcomer,
  type Opening,
  type Scan,
} from './pool-state.js';
import { isSelected } from '../model/selection-rule.js';
import { selectSeries } from './selection.js';
import type { Temporality } from './stream.js';

/** Entities taken in between two turns of the event loop: about 2 ms of work. */
const CHUNK_ENTITIES = 500;
/** Lanes summed up between two of them. */
const CHUNK_LANES = 5_000;

export class SeriesPool<Entity> {
  readonly ended = forEachMeasure(() => new LabelledTotals());
  readonly overflow = forEachMeasure(() => new LabelledTotals());
  readonly closed: ClosedLanes<Entity>;
  regressions = 0;
  readonly #live = new Map<string, Live<Entity>>();
  /** Entities without lanes, with what of theirs is in the overflow. */
  #pooled = new Map<string, Readings>();
  /** What entities had when their lanes were closed: one that comes back goes on from there. */
  readonly #closedAt = new Map<string, Readings>();
  /** Ended and fully delivered, but still in the ledger. */
  #finished = new Set<string>();
  #round = 0;
  #lastEndUnixNanos = 0n;
  #weightOf = energyOf;
  #labels: MeasureLabels = { package: undefined, dram: undefined, cpu: undefined };
  #haveLabelsChanged = false;

  constructor(
    private readonly kind: EntityKind<Entity>,
    private readonly limits: PoolLimits,
    temporality: Temporality,
  ) {
    this.closed = new ClosedLanes(kind.isSameSeries, limits.maxClosed, temporality, this.ended);
  }

  get seriesCount(): number {
    return this.#live.size;
  }

  get pooledCount(): number {
    return this.#pooled.size;
  }

  *lanes(): IterableIterator<Lane<Entity>> {
    for (const { lanes } of this.#live.values()) yield* lanes;
  }

  /**
   * Takes in the ledger as it stood. Yields between chunks of work, where the event loop may run: `input`
   * is a copy of one moment. Returns the ended entities that the ledger may forget.
   */
  *update(input: PoolInput<Entity>): Generator<undefined, readonly Entity[]> {
    this.#round += 1;
    this.#weightOf = weightBy(input.labels);
    this.#haveLabelsChanged = MEASURES.some((one) => input.labels[one] !== this.#labels[one]);
    this.#labels = input.labels;
    const settled = this.closed.settle();
    for (const key of settled) this.#finished.add(key);
    const { total, newcomers, forgettable } = yield* this.#scan(input);
    yield;
    for (const live of this.#live.values()) {
      if (live.seenAt !== this.#round) this.#close(live, input.endUnixNanos);
    }
    this.#select(newcomers, input, forgettable);
    yield;
    for (const key of settled) if (!this.closed.has(key)) this.#closedAt.delete(key);
    yield* this.#raiseOverflow(total, input.labels);
    this.#lastEndUnixNanos = input.endUnixNanos;
    return forgettable;
  }

  *#scan(input: PoolInput<Entity>): Generator<undefined, Scan<Entity>> {
    const total = { ...input.remainder };
    const newcomers: Newcomer<Entity>[] = [];
    const forgettable: Entity[] = [];
    const finished = new Set<string>();
    for (const [index, entity] of input.entities.entries()) {
      if (index % CHUNK_ENTITIES === CHUNK_ENTITIES - 1) yield;
      const readings = this.kind.readingsOf(entity);
      for (const measure of MEASURES) total[measure] += readings[measure];
      const key = this.kind.keyOf(entity);
      const live = this.#live.get(key);
      if (live !== undefined) {
        this.#advance(live, entity, readings, input);
        if (this.kind.hasEnded(entity) || !live.isSelected) this.#close(live, input.endUnixNanos);
      } else if (!this.kind.hasEnded(entity)) {
        newcomers.push(this.#newcomer(key, entity, readings));
      } else if (this.closed.has(key)) {
        // Back and gone again between two exports: what it burned meanwhile is in the overflow.
        this.#closedAt.set(key, readings);
      } else if (this.#finished.has(key) || this.#pooled.has(key)) {
        finished.add(key);
        forgettable.push(entity);
      } else {
        newcomers.push(this.#newcomer(key, entity, readings));
      }
    }
    this.#finished = finished;
    return { total, newcomers, forgettable };
  }

  #newcomer(key: string, entity: Entity, readings: Readings): Newcomer<Entity> {
    const before = this.#pooled.get(key) ?? this.#closedAt.get(key);
    // Less than before: the ledger has dropped it into its remainder and begun again.
    const pooled = before !== undefined && hasFallen(before, readings) ? NOTHING : before;
    const gain = this.#gain(pooled ?? NOTHING, readings);
    const selected = isSelected(this.limits.rules, this.kind.selectionFieldsOf(entity));
    return { key, entity, readings, pooled, gain, isSelected: selected };
  }

  #leastEnergy(entity: Entity): bigint {
    const { minEndedMicrojoules, minMicrojoules } = this.limits;
    return this.kind.hasEnded(entity) ? minEndedMicrojoules : minMicrojoules;
  }

  #gain(before: Readings, after: Readings): number {
    return Number(this.#weightOf(after) - this.#weightOf(before));
  }

  #advance(live: Live<Entity>, entity: Entity, readings: Readings, input: PoolInput<Entity>): void {
    live.seenAt = this.#round;
    live.ageExports += 1;
    live.gain = this.#gain(live.readings, readings);
    live.readings = readings;
    for (const lane of live.lanes) lane.follow(readings[lane.measure]);
    const isRenamed = live.relabels < MAX_RELABELS && !this.kind.isSameSeries(live.entity, entity);
    if (isRenamed) {
      live.relabels += 1;
      live.entity = entity;
      // Under its new name it may be one that is left out: the series ends here.
      live.isSelected = isSelected(this.limits.rules, this.kind.selectionFieldsOf(entity));
    }
    if (!live.isSelected) return;
    if (isRenamed || this.#haveLabelsChanged) this.#relabel(live, readings, input, isRenamed);
  }

  /** Ends the lanes whose attributes changed and goes on in new ones from here. */
  #relabel(
    live: Live<Entity>,
    readings: Readings,
    { labels, endUnixNanos }: PoolInput<Entity>,
    isRenamed: boolean,
  ): void {
    const kept: Lane<Entity>[] = [];
    for (const measure of MEASURES) {
      const lane = live.lanes.find((one) => one.measure === measure);
      const label = labels[measure] ?? lane?.label;
      if (label === undefined) continue;
      if (lane !== undefined && lane.label === label && !isRenamed) {
        kept.push(lane);
        continue;
      }
      if (lane !== undefined) this.closed.add(lane, endUnixNanos);
      const reading = readings[measure];
      const startUnixMillis = Number(endUnixNanos / 1_000_000n);
      kept.push(this.#open(live, measure, label, { startUnixMillis, baseline: reading, reading }));
    }
    live.lanes = kept;
  }

  #open(
    { key, entity }: { readonly key: string; readonly entity: Entity },
    measure: Measure,
    label: string,
    { startUnixMillis, baseline, reading }: Opening,
  ): Lane<Entity> {
    const waiting = this.closed.take(key, measure, label, entity);
    if (waiting !== undefined) {
      waiting.resumeAt(baseline);
      waiting.follow(reading);
      return waiting;
    }
    const lane = new Lane(key, measure, label, entity, startUnixMillis, baseline);
    lane.follow(reading);
    return lane;
  }

  #close(live: Live<Entity>, endUnixNanos: bigint): void {
    this.#live.delete(live.key);
    this.#closedAt.set(live.key, live.readings);
    for (const lane of live.lanes) this.closed.add(lane, endUnixNanos);
  }

  #select(
    newcomers: readonly Newcomer<Entity>[],
    input: PoolInput<Entity>,
    forgettable: Entity[],
  ): void {
    const eligible = newcomers.filter(
      ({ entity, readings, isSelected }) =>
        isSelected && energyOf(readings) >= this.#leastEnergy(entity),
    );
    const { promoted, demoted } = selectSeries(eligible, [...this.#live.values()], this.limits);
    const chosen = new Set(promoted);
    const pooled = new Map<string, Readings>();
    for (const newcomer of newcomers) {
      if (chosen.has(newcomer)) continue;
      if (this.kind.hasEnded(newcomer.entity)) {
        this.#finished.add(newcomer.key);
        forgettable.push(newcomer.entity);
      } else pooled.set(newcomer.key, newcomer.readings);
    }
    for (const live of demoted) {
      this.#close(live, input.endUnixNanos);
      pooled.set(live.key, live.readings);
    }
    this.#pooled = pooled;
    for (const newcomer of promoted) this.#promote(newcomer, input);
  }

  #promote(newcomer: Newcomer<Entity>, { labels, endUnixNanos }: PoolInput<Entity>): void {
    const { key, entity, readings, pooled } = newcomer;
    const startUnixMillis =
      pooled === undefined
        ? this.kind.startUnixMillisOf(entity)
        : Number(this.#lastEndUnixNanos / 1_000_000n);
    const live: Live<Entity> = {
      key,
      entity,
      lanes: [],
      seenAt: this.#round,
      ageExports: 0,
      relabels: 0,
      readings,
      gain: newcomer.gain,
      isSelected: true,
    };
    for (const measure of MEASURES) {
      const label = labels[measure];
      if (label === undefined) continue;
      const reading = readings[measure];
      const baseline = (pooled ?? NOTHING)[measure];
      live.lanes.push(this.#open(live, measure, label, { startUnixMillis, baseline, reading }));
    }
    this.#live.set(key, live);
    if (this.kind.hasEnded(entity)) this.#close(live, endUnixNanos);
  }

  *#raiseOverflow(total: Readings, labels: MeasureLabels): Generator<undefined, void> {
    const own = { package: 0n, dram: 0n, cpu: 0n };
    let count = 0;
    for (const lane of this.lanes()) {
      own[lane.measure] += lane.total;
      count += 1;
      if (count % CHUNK_LANES === 0) yield;
    }
    for (const { lane } of this.closed.values()) own[lane.measure] += lane.total;
    for (const measure of MEASURES) {
      const label = labels[measure];
      const rest = total[measure] - own[measure] - this.ended[measure].sum;
      if (label !== undefined && !this.overflow[measure].raiseTo(label, rest)) {
        this.regressions += 1;
      }
    }
  }
}
