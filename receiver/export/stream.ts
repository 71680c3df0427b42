// SPDX-License-Identifier: Apache-2.0
/**
 * One OpenTelemetry stream of a monotonic sum: an attribute set in one instrument, with a start time.
 * It keeps what the collector is known to have, so that a delta is measured against what was
 * delivered, never against what was tried, and a final value is repeated until it has arrived.
 *
 * Values are exact integers (microjoules, nanoseconds, counts) until the moment they become a point.
 */
import type { Attributes, HrTime } from '@opentelemetry/api';
import type { DataPoint } from '@opentelemetry/sdk-metrics';
import { joulesOf, microjoules, nanos, secondsOf } from '../model/units.js';
import { laterOf } from './time.js';

export type Temporality = 'cumulative' | 'delta';

/** What the exact integer counts; decides how it becomes the exported number. */
export type Quantity = 'microjoules' | 'nanos' | 'count';

const exportedNumber = (quantity: Quantity, value: bigint): number => {
  switch (quantity) {
    case 'microjoules':
      return joulesOf(microjoules(value));
    case 'nanos':
      return secondsOf(nanos(value));
    case 'count':
      return Number(value);
  }
};

/** A data point that knows its stream; private, so that no printer or encoder walks into it. */
export class StreamPoint implements DataPoint<number> {
  readonly #stream: SumStream;
  readonly #total: bigint;

  constructor(
    stream: SumStream,
    total: bigint,
    readonly attributes: Attributes,
    readonly startTime: HrTime,
    readonly endTime: HrTime,
    readonly value: number,
  ) {
    this.#stream = stream;
    this.#total = total;
  }

  /** The collector has this point. */
  deliver(): void {
    this.#stream.delivered(this.#total, this.endTime);
  }
}

export class SumStream {
  #highestTotal = 0n;
  #deliveredTotal: bigint | undefined;
  #deliveredTime: HrTime;

  constructor(
    readonly attributes: Attributes,
    readonly startTime: HrTime,
    private readonly quantity: Quantity,
  ) {
    this.#deliveredTime = startTime;
  }

  /**
   * The point for a total since `startTime`, or nothing where a delta has nothing to say. A total below
   * an earlier one is replaced by the earlier one: a series never falls.
   */
  point(total: bigint, endTime: HrTime, temporality: Temporality): StreamPoint | undefined {
    if (total > this.#highestTotal) this.#highestTotal = total;
    const highest = this.#highestTotal;
    const end = laterOf(endTime, this.#deliveredTime);
    if (temporality === 'cumulative') {
      const value = exportedNumber(this.quantity, highest);
      return new StreamPoint(this, highest, this.attributes, this.startTime, end, value);
    }
    const delta = highest - (this.#deliveredTotal ?? 0n);
    if (delta === 0n) return undefined;
    const value = exportedNumber(this.quantity, delta);
    return new StreamPoint(this, highest, this.attributes, this.#deliveredTime, end, value);
  }

  delivered(total: bigint, endTime: HrTime): void {
    if (this.#deliveredTotal === undefined || total > this.#deliveredTotal) {
      this.#deliveredTotal = total;
    }
    this.#deliveredTime = laterOf(this.#deliveredTime, endTime);
  }

  /** True once the collector has `total`; in delta mode a total of nothing needs no delivery. */
  hasDelivered(total: bigint, temporality: Temporality): boolean {
    if (temporality === 'delta' && total === 0n) return true;
    return this.#deliveredTotal !== undefined && this.#deliveredTotal >= total;
  }
}
