// SPDX-License-Identifier: Apache-2.0
/** An endpoint that Prometheus scrapes, over the same ledger as everything else; bound to loopback by default. */
import { PrometheusExporter } from '@opentelemetry/exporter-prometheus';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import * as E from 'fp-ts/lib/Either.js';
import type * as TE from 'fp-ts/lib/TaskEither.js';
import type { Complaint } from '../model/errors.js';
import { ExportCounts } from './export-counts.js';
import { LedgerProducer, type ProducerOptions, type ProducerPorts } from './producer.js';
import type { ScrapeAddress } from './scrape-address.js';
import { startScrapeServer } from './scrape-server.js';
import { ScrapedProducer } from './scraped-producer.js';

export interface PrometheusOptions {
  readonly address: ScrapeAddress;
  readonly resource: Readonly<Record<string, string>>;
  readonly producer: Omit<ProducerOptions, 'temporality'>;
  /** Nobody else exports: ended entities are given back to the ledger by this endpoint. */
  readonly isAlone: boolean;
}

export interface RunningPrometheus {
  readonly stop: () => Promise<void>;
}

type LedgerPorts = Omit<ProducerPorts, 'counts' | 'onCollect'>;

const nothing = (): void => undefined;

/** Where OTLP is exported, too, that decides when an ended entity is forgotten. */
const withoutRetiring = (ports: LedgerPorts): LedgerPorts => ({
  ...ports,
  retireExported: nothing,
  retireExportedThreads: nothing,
  retireExportedCgroups: nothing,
  retireExportedWorkloads: nothing,
});

export const startPrometheus =
  (
    { address, resource, producer, isAlone }: PrometheusOptions,
    ports: LedgerPorts,
  ): TE.TaskEither<Complaint, RunningPrometheus> =>
  async () => {
    const ledger = new LedgerProducer(
      {
        ...(isAlone ? ports : withoutRetiring(ports)),
        counts: new ExportCounts(),
        onCollect: nothing,
      },
      { ...producer, temporality: 'cumulative' },
    );
    const exporter = new PrometheusExporter({
      preventServerStart: true,
      withoutScopeInfo: true,
      metricProducers: [new ScrapedProducer(ledger)],
    });
    const provider = new MeterProvider({
      resource: resourceFromAttributes({ ...resource }),
      readers: [exporter],
    });
    const server = await startScrapeServer(address, (request, response) => {
      exporter.getMetricsRequestHandler(request, response);
    })();
    if (E.isLeft(server))
      return E.left({
        what: `listen on ${address.host}:${String(address.port)} for Prometheus`,
        cause: server.left,
        remedy: 'choose another export.prometheus_address, or none',
      });
    return E.right({
      stop: async () => {
        await server.right.stop();
        await provider.shutdown().catch(() => undefined);
      },
    });
  };
