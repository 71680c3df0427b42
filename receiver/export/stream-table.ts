// SPDX-License-Identifier: Apache-2.0
/** The streams of counters whose attribute sets are few and live as long as the agent. */
import type { Attributes, HrTime } from '@opentelemetry/api';
import type { InstrumentKey } from './instruments.js';
import type { MetricSet } from './metric-set.js';
import { SumStream, type Quantity } from './stream.js';

export class StreamTable {
  readonly #streams = new Map<string, SumStream>();

  constructor(private readonly startTime: HrTime) {}

  /** Adds the point of the stream that `attributes` name; the stream is made when first met. */
  add(
    set: MetricSet,
    instrument: InstrumentKey,
    quantity: Quantity,
    total: bigint,
    attributes: Attributes = {},
  ): void {
    const key = `${instrument} ${JSON.stringify(attributes)}`;
    let stream = this.#streams.get(key);
    if (stream === undefined) {
      stream = new SumStream(attributes, this.startTime, quantity);
      this.#streams.set(key, stream);
    }
    set.add(instrument, stream.point(total, set.endTime, set.temporality));
  }
}
