// SPDX-License-Identifier: Apache-2.0
/** Counting and cutting exports by data points; pure. */
import { DataPointType, type MetricData, type ResourceMetrics } from '@opentelemetry/sdk-metrics';

export const pointsIn = ({ scopeMetrics }: ResourceMetrics): number => {
  let count = 0;
  for (const { metrics } of scopeMetrics) {
    for (const { dataPoints } of metrics) count += dataPoints.length;
  }
  return count;
};

/** The points [from, to) of a metric. One branch per kind, or the type system loses which is which. */
const slice = (metric: MetricData, from: number, to: number): MetricData => {
  switch (metric.dataPointType) {
    case DataPointType.SUM:
      return { ...metric, dataPoints: metric.dataPoints.slice(from, to) };
    case DataPointType.GAUGE:
      return { ...metric, dataPoints: metric.dataPoints.slice(from, to) };
    case DataPointType.HISTOGRAM:
      return { ...metric, dataPoints: metric.dataPoints.slice(from, to) };
    case DataPointType.EXPONENTIAL_HISTOGRAM:
      return { ...metric, dataPoints: metric.dataPoints.slice(from, to) };
  }
};

/** Parts of at most `maxPoints` points each, in order; the export itself where it is small enough. */
export const splitByPoints = (
  whole: ResourceMetrics,
  maxPoints: number,
): readonly ResourceMetrics[] => {
  if (pointsIn(whole) <= maxPoints) return [whole];
  const parts: ResourceMetrics[] = [];
  for (const { scope, metrics } of whole.scopeMetrics) {
    let pieces: MetricData[] = [];
    let room = maxPoints;
    const close = (): void => {
      if (pieces.length === 0) return;
      parts.push({ resource: whole.resource, scopeMetrics: [{ scope, metrics: pieces }] });
      pieces = [];
      room = maxPoints;
    };
    for (const metric of metrics) {
      for (let from = 0; from < metric.dataPoints.length;) {
        const to = Math.min(metric.dataPoints.length, from + room);
        pieces.push(slice(metric, from, to));
        room -= to - from;
        from = to;
        if (room === 0) close();
      }
    }
    close();
  }
  return parts;
};
