// SPDX-License-Identifier: Apache-2.0
/**
 * The ledger for a backend that pulls. Scrapes wait for each other, because the series behind them have
 * a state; the names are those that a Collector would make of them; and what a scrape was given
 * counts as delivered when the next one comes.
 */
import {
  type CollectionResult,
  type MetricCollectOptions,
  type MetricData,
  type MetricProducer,
  type ResourceMetrics,
} from '@opentelemetry/sdk-metrics';
import { INSTRUMENTS, type Instrument } from './instruments.js';
import { prometheusName } from './prometheus-name.js';
import { StreamPoint } from './stream.js';

const TOTAL = /_total$/;

/** By the OpenTelemetry name; the exporter puts `_total` behind sums by itself. */
const NAMES: ReadonlyMap<string, string> = new Map(
  Object.values<Instrument>(INSTRUMENTS).map((instrument) => [
    instrument.name,
    prometheusName(instrument).replace(TOTAL, ''),
  ]),
);

/** The unit is in the name; a `# UNIT` that is not the name's last word is refused by some readers. */
const renamed = (metric: MetricData): MetricData => {
  const name = NAMES.get(metric.descriptor.name) ?? metric.descriptor.name;
  return { ...metric, descriptor: { ...metric.descriptor, name, unit: '' } };
};

/** The backend has these points. */
export const deliverAll = ({ scopeMetrics }: ResourceMetrics): void => {
  for (const { metrics } of scopeMetrics) {
    for (const { dataPoints } of metrics) {
      for (const point of dataPoints) if (point instanceof StreamPoint) point.deliver();
    }
  }
};

export class ScrapedProducer implements MetricProducer {
  #given: ResourceMetrics | undefined;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(private readonly inner: MetricProducer) {}

  collect(options?: MetricCollectOptions): Promise<CollectionResult> {
    const result = this.#turn.then(() => this.#collect(options));
    this.#turn = result.catch(() => undefined);
    return result;
  }

  async #collect(options?: MetricCollectOptions): Promise<CollectionResult> {
    if (this.#given !== undefined) deliverAll(this.#given);
    const { resourceMetrics, errors } = await this.inner.collect(options);
    this.#given = resourceMetrics;
    const scopeMetrics = resourceMetrics.scopeMetrics.map(({ scope, metrics }) => ({
      scope,
      metrics: metrics.map(renamed),
    }));
    return { resourceMetrics: { ...resourceMetrics, scopeMetrics }, errors };
  }
}
