// SPDX-License-Identifier: Apache-2.0
/** A producer over a ledger that a test moves. */
import {
  DataPointType,
  type CollectionResult,
  type MetricData,
  type ResourceMetrics,
} from '@opentelemetry/sdk-metrics';
import { ExportCounts } from '../../receiver/export/export-counts.js';
import type { LevelOptions } from '../../receiver/export/level.js';
import { LedgerProducer, type ProducerOptions } from '../../receiver/export/producer.js';
import type { ProcessIdentity } from '../../receiver/model/ledger-view.js';
import { MovingLedger } from './moving-ledger.js';
import { selfTotals } from './self-totals.js';

export const STAGES = { flush: 1_000, energy: 2_000, scan: 3_000, attribution: 4_000 };

/** The same for all levels. */
export const workloadOptions = (all: LevelOptions): ProducerOptions['workloads'] => ({
  container: all,
  pod: all,
  job: all,
  unit: all,
  user: all,
  name: all,
});

export const DEFAULT_OPTIONS: ProducerOptions = {
  version: '0.0.0-test',
  temporality: 'cumulative',
  processes: { isExported: true, hasCpuTime: false, maxSeries: 1_000 },
  cgroups: { isExported: true, hasCpuTime: true, maxSeries: 1_000 },
  threads: { isExported: false, hasCpuTime: false, maxSeries: 1_000 },
  workloads: workloadOptions({ isExported: true, hasCpuTime: false, maxSeries: 1_000 }),
};

export class ProducerRig {
  readonly ledger = new MovingLedger();
  readonly self = selfTotals(500);
  readonly counts = new ExportCounts();
  readonly retired: ProcessIdentity[] = [];
  readonly producer: LedgerProducer;

  constructor(options: Partial<ProducerOptions> = {}) {
    const retireExported = (identities: Iterable<ProcessIdentity>): void => {
      const list = [...identities];
      this.retired.push(...list);
      this.ledger.retire(list);
    };
    const { ledger, self, counts } = this;
    this.producer = new LedgerProducer(
      {
        ledger,
        self,
        counts,
        retireExported,
        retireExportedThreads: ledger.retireThreads,
        retireExportedCgroups: () => undefined,
        retireExportedWorkloads: () => undefined,
        onCollect: () => undefined,
      },
      { ...DEFAULT_OPTIONS, ...options },
    );
  }

  closeWindow(spanMillis?: number): void {
    this.self.book(this.ledger.window(spanMillis), STAGES);
  }

  /** Closes a window and collects. */
  async collect(): Promise<CollectionResult> {
    this.closeWindow();
    return await this.producer.collect({ timeoutMillis: 5_000 });
  }
}

/** The points of one export that `pick` lets through, as if the others' batches had failed. */
export const partOf = (
  { resource, scopeMetrics }: ResourceMetrics,
  pick: (index: number) => boolean,
): ResourceMetrics => {
  let index = 0;
  const thinned = (metric: MetricData): MetricData =>
    metric.dataPointType === DataPointType.SUM
      ? { ...metric, dataPoints: metric.dataPoints.filter(() => pick(index++)) }
      : metric;
  return {
    resource,
    scopeMetrics: scopeMetrics.map(({ scope, metrics }) => ({
      scope,
      metrics: metrics.map(thinned),
    })),
  };
};
