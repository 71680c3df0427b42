// SPDX-License-Identifier: Apache-2.0
/** Gathers the data points of one export by instrument and turns them into the SDK's metric data. */
import { ValueType, type Attributes, type HrTime } from '@opentelemetry/api';
import {
  AggregationTemporality,
  DataPointType,
  type DataPoint,
  type MetricData,
} from '@opentelemetry/sdk-metrics';
import { INSTRUMENTS, type Instrument, type InstrumentKey } from './instruments.js';
import type { Temporality } from './stream.js';

export class MetricSet {
  readonly #points = new Map<InstrumentKey, DataPoint<number>[]>();

  constructor(
    readonly endTime: HrTime,
    private readonly agentStartTime: HrTime,
    readonly temporality: Temporality,
  ) {}

  /** A point of a counter; nothing is added where there is nothing to say. */
  add(key: InstrumentKey, point: DataPoint<number> | undefined): void {
    if (point === undefined) return;
    const points = this.#points.get(key);
    if (points === undefined) this.#points.set(key, [point]);
    else points.push(point);
  }

  /** A value that may fall: a gauge, or a sum that is not monotonic. */
  set(key: InstrumentKey, value: number, attributes: Attributes = {}): void {
    const { agentStartTime: startTime, endTime } = this;
    this.add(key, { startTime, endTime, attributes, value });
  }

  metrics(): MetricData[] {
    return [...this.#points].map(([key, points]) =>
      metricData(INSTRUMENTS[key], points, this.temporality),
    );
  }
}

/** Counts are integers on the wire, everything with a unit is a double. */
const valueTypeOf = ({ unit }: Instrument): ValueType =>
  unit.startsWith('{') || unit === 'By' ? ValueType.INT : ValueType.DOUBLE;

const metricData = (
  instrument: Instrument,
  dataPoints: DataPoint<number>[],
  temporality: Temporality,
): MetricData => {
  const { name, description, unit, kind } = instrument;
  const descriptor = { name, description, unit, valueType: valueTypeOf(instrument) };
  if (kind === 'gauge') {
    return {
      descriptor,
      aggregationTemporality: AggregationTemporality.CUMULATIVE,
      dataPointType: DataPointType.GAUGE,
      dataPoints,
    };
  }
  const isMonotonic = kind === 'counter';
  return {
    descriptor,
    // A sum that may fall is cumulative whatever the preference says, as in the specification.
    aggregationTemporality:
      isMonotonic && temporality === 'delta'
        ? AggregationTemporality.DELTA
        : AggregationTemporality.CUMULATIVE,
    dataPointType: DataPointType.SUM,
    isMonotonic,
    dataPoints,
  };
};
