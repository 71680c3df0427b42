// SPDX-License-Identifier: Apache-2.0
/** What a backend knows after a number of exports: what each series it was sent came to. */
import {
  AggregationTemporality,
  type CollectionResult,
  type ResourceMetrics,
} from '@opentelemetry/sdk-metrics';
import { StreamPoint } from '../../receiver/export/stream.js';
import type { ReceivedPoint } from './otlp-json.js';

/** Microjoules, from exported joules. */
export const microjoulesIn = (joules: number): bigint => BigInt(Math.round(joules * 1e6));

export interface Series {
  readonly metric: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  value: number;
  /** All that the series ever rose, over restarts: what a rate function adds up. */
  increase: bigint;
  startNanos: bigint;
  endNanos: bigint;
}

interface CounterPoint {
  readonly metric: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly value: number;
  readonly startNanos: bigint;
  readonly endNanos: bigint;
  readonly isDelta: boolean;
}

const nanosIn = ([seconds, rest]: [number, number]): bigint =>
  BigInt(seconds) * 1_000_000_000n + BigInt(rest);

const keyOf = ({ metric, attributes }: CounterPoint): string =>
  `${metric} ${JSON.stringify(attributes)}`;

const DELTA = 1;

export class Backend {
  readonly series = new Map<string, Series>();
  readonly faults: string[] = [];

  /** Takes one export in, and tells its points that they have arrived. */
  take({ scopeMetrics }: ResourceMetrics): void {
    const met = new Set<string>();
    for (const { metrics } of scopeMetrics) {
      for (const metric of metrics) {
        // A gauge or a sum that may fall obeys no law.
        if (!('isMonotonic' in metric) || !metric.isMonotonic) continue;
        for (const point of metric.dataPoints) {
          const counter = {
            metric: metric.descriptor.name,
            attributes: point.attributes,
            value: point.value,
            startNanos: nanosIn(point.startTime),
            endNanos: nanosIn(point.endTime),
            isDelta: metric.aggregationTemporality === AggregationTemporality.DELTA,
          };
          const key = keyOf(counter);
          if (met.has(key)) this.faults.push(`twice in one export: ${key}`);
          met.add(key);
          this.#store(counter);
          if (point instanceof StreamPoint) point.deliver();
        }
      }
    }
  }

  /** Takes what a Collector wrote down. */
  takeReceived(points: readonly ReceivedPoint[]): void {
    for (const { name, kind, temporality, ...rest } of points) {
      if (kind === 'counter')
        this.#store({ ...rest, metric: name, isDelta: temporality === DELTA });
    }
  }

  /** What all series of a metric rose together, in microjoules. */
  increaseOf(metric: string, domain: string): bigint {
    return this.#sum(metric, domain, ({ increase }) => increase);
  }

  /** The sum of the last values of all series of a metric, in microjoules. */
  lastOf(metric: string, domain: string): bigint {
    return this.#sum(metric, domain, ({ value }) => microjoulesIn(value));
  }

  #sum(metric: string, domain: string, pick: (series: Series) => bigint): bigint {
    let sum = 0n;
    for (const series of this.series.values()) {
      const isMeant = series.metric === metric && series.attributes['wattfeed.domain'] === domain;
      if (isMeant) sum += pick(series);
    }
    return sum;
  }

  #store(point: CounterPoint): void {
    const key = keyOf(point);
    const known = this.series.get(key);
    const { metric, attributes, value, startNanos, endNanos, isDelta } = point;
    if (endNanos < startNanos) this.faults.push(`ends before it starts: ${key}`);
    if (known === undefined) {
      const increase = microjoulesIn(value);
      this.series.set(key, { metric, attributes, value, startNanos, endNanos, increase });
      return;
    }
    if (isDelta) this.#addDelta(key, known, point);
    else this.#replace(key, known, point);
    known.startNanos = startNanos;
    known.endNanos = endNanos;
  }

  #addDelta(key: string, known: Series, { value, startNanos }: CounterPoint): void {
    if (startNanos < known.endNanos) this.faults.push(`deltas overlap: ${key}`);
    known.value += value;
    known.increase += microjoulesIn(value);
  }

  #replace(key: string, known: Series, { value, startNanos, endNanos }: CounterPoint): void {
    const isReset = startNanos > known.startNanos;
    if (startNanos < known.startNanos) this.faults.push(`start moved back: ${key}`);
    if (endNanos < known.endNanos) this.faults.push(`end moved back: ${key}`);
    if (!isReset && value < known.value) this.faults.push(`fell: ${key}`);
    const before = isReset ? 0n : microjoulesIn(known.value);
    known.increase += microjoulesIn(value) - before;
    known.value = value;
  }
}

/** The sum of one export's values, by metric name and `wattfeed.domain`, in microjoules. */
export const sumsOf = (result: CollectionResult): ReadonlyMap<string, bigint> => {
  const sums = new Map<string, bigint>();
  for (const { metrics } of result.resourceMetrics.scopeMetrics) {
    for (const { descriptor, dataPoints } of metrics) {
      for (const { value, attributes } of dataPoints) {
        if (typeof value !== 'number') continue;
        const domain = attributes['wattfeed.domain'];
        const key = `${descriptor.name} ${typeof domain === 'string' ? domain : ''}`;
        sums.set(key, (sums.get(key) ?? 0n) + microjoulesIn(value));
      }
    }
  }
  return sums;
};
