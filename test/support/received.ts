// SPDX-License-Identifier: Apache-2.0
/** What a backend knows after a number of exports: it keeps the last value of each series it was sent. */
import type { CollectionResult, ResourceMetrics } from '@opentelemetry/sdk-metrics';
import { AggregationTemporality } from '@opentelemetry/sdk-metrics';
import { StreamPoint } from '../../receiver/export/stream.js';

export interface Series {
  readonly metric: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  value: number;
  /** All that the series ever rose, over restarts: what a rate function adds up. */
  increase: bigint;
  start: number;
  end: number;
}

/** Microjoules, from exported joules. */
export const microjoulesIn = (joules: number): bigint => BigInt(Math.round(joules * 1e6));

const seconds = ([whole, rest]: [number, number]): number => whole + rest / 1e9;

export class Backend {
  readonly series = new Map<string, Series>();
  readonly faults: string[] = [];

  /** Takes one export in; deltas are added up, as a backend would. */
  take({ scopeMetrics }: ResourceMetrics): void {
    const inThisExport = new Set<string>();
    for (const { metrics } of scopeMetrics) {
      for (const metric of metrics) {
        for (const point of metric.dataPoints) {
          if (typeof point.value !== 'number') continue;
          const key = `${metric.descriptor.name} ${JSON.stringify(point.attributes)}`;
          if (inThisExport.has(key)) this.faults.push(`twice in one export: ${key}`);
          inThisExport.add(key);
          // A gauge or a sum that may fall obeys no law.
          if (!('isMonotonic' in metric) || !metric.isMonotonic) continue;
          const isDelta = metric.aggregationTemporality === AggregationTemporality.DELTA;
          this.#store(key, metric.descriptor.name, point.attributes, {
            value: point.value,
            start: seconds(point.startTime),
            end: seconds(point.endTime),
            isDelta,
          });
          if (point instanceof StreamPoint) point.deliver();
        }
      }
    }
  }

  /** What all series of a metric rose together. */
  increaseOf(metric: string, domain: string): bigint {
    let sum = 0n;
    for (const series of this.series.values()) {
      const isMeant = series.metric === metric && series.attributes['wattfeed.domain'] === domain;
      if (isMeant) sum += series.increase;
    }
    return sum;
  }

  #store(
    key: string,
    metric: string,
    attributes: Readonly<Record<string, unknown>>,
    point: { value: number; start: number; end: number; isDelta: boolean },
  ): void {
    const known = this.series.get(key);
    if (point.end < point.start) this.faults.push(`ends before it starts: ${key}`);
    if (known === undefined) {
      this.series.set(key, { metric, attributes, ...point, increase: microjoulesIn(point.value) });
      return;
    }
    if (point.isDelta) {
      if (point.start < known.end) this.faults.push(`deltas overlap: ${key}`);
      known.value += point.value;
      known.increase += microjoulesIn(point.value);
    } else {
      const isReset = point.start > known.start;
      if (point.start < known.start) this.faults.push(`start moved back: ${key}`);
      if (!isReset && point.value < known.value) this.faults.push(`fell: ${key}`);
      const before = isReset ? 0n : microjoulesIn(known.value);
      known.increase += microjoulesIn(point.value) - before;
      known.value = point.value;
    }
    known.start = point.start;
    known.end = point.end;
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
