// SPDX-License-Identifier: Apache-2.0
/**
 * A lane is one entity's part of one measure (package energy, DRAM energy, CPU time) that is exported
 * as a series of its own: from the moment it was opened, counting from a baseline.
 */
import type { SumStream } from './stream.js';

export const MEASURES = ['package', 'dram', 'cpu'] as const;
export type Measure = (typeof MEASURES)[number];

/** Exact integers: microjoules, microjoules, nanoseconds. */
export type Readings = Readonly<Record<Measure, bigint>>;

/** What may be said about each measure's origin; `undefined`: there is no such measure on this host. */
export type MeasureLabels = Readonly<Record<Measure, string | undefined>>;

export class Lane<Entity> {
  /** Made by the emitter at the first export. */
  stream: SumStream | undefined;
  #current: bigint;

  constructor(
    readonly key: string,
    readonly measure: Measure,
    readonly label: string,
    readonly entity: Entity,
    readonly startUnixMillis: number,
    private baseline: bigint,
  ) {
    this.#current = baseline;
  }

  /** Since the lane was opened. */
  get total(): bigint {
    return this.#current - this.baseline;
  }

  /**
   * A reading below the last one means that the ledger moved the entity's sum into a remainder and began
   * again from zero: what it burned since then is added.
   */
  follow(reading: bigint): void {
    if (reading < this.#current) this.resumeAt(0n);
    this.#current = reading;
  }

  /** Goes on from `reading` with the total it had: what came in between belongs elsewhere. */
  resumeAt(reading: bigint): void {
    this.baseline = reading - this.total;
    this.#current = reading;
  }
}

/** A lane whose entity ended or changed its labels; kept until its last value has arrived. */
export interface ClosedLane<Entity> {
  readonly lane: Lane<Entity>;
  /** When the last value was read. */
  readonly endUnixNanos: bigint;
}
