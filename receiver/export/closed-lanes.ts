// SPDX-License-Identifier: Apache-2.0
/**
 * Lanes that have ended, waiting until the collector has their last value. Delivered ones are booked
 * into the totals of the ended; so are those given up because too many wait, which is counted.
 */
import type { LabelledTotals } from './labelled-totals.js';
import type { ClosedLane, Lane, Measure } from './lane.js';
import type { Temporality } from './stream.js';

export class ClosedLanes<Entity> {
  droppedCount = 0;
  /** In the order in which they ended. */
  readonly #waiting = new Set<ClosedLane<Entity>>();
  readonly #byKey = new Map<string, Set<ClosedLane<Entity>>>();

  constructor(
    private readonly isSameSeries: (a: Entity, b: Entity) => boolean,
    private readonly maxWaiting: number,
    private readonly temporality: Temporality,
    private readonly ended: Readonly<Record<Measure, LabelledTotals>>,
  ) {}

  get size(): number {
    return this.#waiting.size;
  }

  has(key: string): boolean {
    return this.#byKey.has(key);
  }

  values(): IterableIterator<ClosedLane<Entity>> {
    return this.#waiting.values();
  }

  add(lane: Lane<Entity>, endUnixNanos: bigint): void {
    const closed = { lane, endUnixNanos };
    this.#waiting.add(closed);
    const same = this.#byKey.get(lane.key);
    if (same === undefined) this.#byKey.set(lane.key, new Set([closed]));
    else same.add(closed);
  }

  /** Takes a waiting lane back that would be exported under the same attributes as a new one. */
  take(key: string, measure: Measure, label: string, entity: Entity): Lane<Entity> | undefined {
    for (const closed of this.#byKey.get(key) ?? []) {
      const { lane } = closed;
      if (lane.measure !== measure || lane.label !== label) continue;
      if (!this.isSameSeries(lane.entity, entity)) continue;
      this.#remove(closed);
      return lane;
    }
    return undefined;
  }

  /** Books what has been delivered, or given up, as ended. Returns the keys that wait no longer. */
  settle(): readonly string[] {
    const done: string[] = [];
    for (const closed of this.#waiting) {
      const { lane } = closed;
      const isDelivered = lane.stream?.hasDelivered(lane.total, this.temporality) ?? false;
      const isGivenUp = !isDelivered && this.#waiting.size > this.maxWaiting;
      if (!isDelivered && !isGivenUp) continue;
      if (isGivenUp) this.droppedCount += 1;
      this.ended[lane.measure].add(lane.label, lane.total);
      this.#remove(closed);
      if (!this.#byKey.has(lane.key)) done.push(lane.key);
    }
    return done;
  }

  #remove(closed: ClosedLane<Entity>): void {
    this.#waiting.delete(closed);
    const same = this.#byKey.get(closed.lane.key);
    same?.delete(closed);
    if (same?.size === 0) this.#byKey.delete(closed.lane.key);
  }
}
