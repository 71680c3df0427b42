// SPDX-License-Identifier: Apache-2.0
/** Puts producer, reader and exporter together, and takes them apart with a last export. */
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-grpc';
import { OTLPMetricExporter as OtlpHttpExporter } from '@opentelemetry/exporter-metrics-otlp-proto';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  AggregationTemporality,
  ConsoleMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
  type PushMetricExporter,
  type ResourceMetrics,
} from '@opentelemetry/sdk-metrics';
import * as E from 'fp-ts/lib/Either.js';
import type * as TE from 'fp-ts/lib/TaskEither.js';
import { complaintText, type Complaint } from '../model/errors.js';
import type { LedgerView } from '../model/ledger-view.js';
import { installDiagnostics } from './diagnostics.js';
import type { ExportSettings } from './environment.js';
import { ExportCounts } from './export-counts.js';
import { ResilientExporter, type CollectorChange } from './exporter.js';
import { INSTRUMENTS } from './instruments.js';
import { LedgerProducer, type ProducerOptions, type ProducerPorts } from './producer.js';
import type { SelfView } from './self-view.js';

/**
 * Points in one request. The SDK serialises a request in one go, which is the longest that an export
 * keeps the event loop: bench/export. At the longest attributes they stay below the 4 MiB a collector accepts.
 */
export const MAX_BATCH_POINTS = 500;

const DEFAULT_ENDPOINTS = {
  grpc: 'http://localhost:4317',
  'http/protobuf': 'http://localhost:4318/v1/metrics',
} as const;

export interface ExportOptions {
  readonly settings: ExportSettings;
  /** From the configuration file; a variable wins. */
  readonly endpoint: string | undefined;
  readonly resource: Readonly<Record<string, string>>;
  readonly producer: Omit<ProducerOptions, 'temporality'>;
}

export interface ExportPorts extends Omit<ProducerPorts, 'counts' | 'onCollect'> {
  /** An export begins: it carries the counters' energy as it is now. */
  readonly onMeasuredBegin?: () => void;
  /** That energy has arrived. */
  readonly onMeasuredDelivered?: () => void;
  readonly ledger: LedgerView;
  readonly self: SelfView;
  /** One line for the log. */
  readonly say: (text: string) => void;
  /** A clock that never steps back. */
  readonly nowMillis: () => number;
}

export interface RunningExport {
  readonly counts: ExportCounts;
  /** Asks the collector for an answer, so that a wrong address is not first told a minute later. */
  readonly greet: () => Promise<void>;
  /** Exports now, and resolves when that is done or has failed. */
  readonly flush: () => Promise<void>;
  /** A last export, within the time; then all is closed. Left where it did not end in time. */
  readonly shutdown: (timeoutMillis: number) => TE.TaskEither<Complaint, void>;
}

export const changeText = (change: CollectorChange, endpoint: string): string => {
  if (change._tag === 'Recovered') {
    return change.failedIntervals === 0
      ? `export to ${endpoint}: works now`
      : `export to ${endpoint}: works again after ${change.failedIntervals} failed intervals`;
  }
  if (change._tag === 'Shrunk') {
    return complaintText({
      what: `export to ${endpoint}`,
      cause: `the collector takes no larger messages; ${change.maxPoints} points at a time from now on`,
      remedy: 'raise max_recv_msg_size_mib of its otlp receiver to save requests',
    });
  }
  const { kind, reason, detail } = change.failure;
  const remedy =
    kind === 'unreachable'
      ? 'measuring goes on and totals are sent when it answers; is a collector listening there?'
      : 'measuring goes on; see the collector’s log';
  const cause = `${kind} (${[reason, detail].filter((part) => part !== '').join(': ')})`;
  return complaintText({ what: `export to ${endpoint}`, cause, remedy });
};

/** Nothing for the exporter `none`. */
export const startExport = (
  options: ExportOptions,
  ports: ExportPorts,
): RunningExport | undefined => {
  const { settings } = options;
  if (settings.exporter === 'none') return undefined;
  const counts = new ExportCounts();
  installDiagnostics(settings.logLevel, counts, ports.say);
  const exporter = new ResilientExporter(
    {
      build: () => stockExporter(options),
      counts,
      nowMillis: ports.nowMillis,
      onDelivered: (part) => {
        if (carriesMeasured(part)) ports.onMeasuredDelivered?.();
      },
      onChange: (change) => {
        ports.say(
          changeText(
            change,
            settings.endpoint ?? options.endpoint ?? DEFAULT_ENDPOINTS[settings.protocol],
          ),
        );
      },
    },
    settings.timeoutMillis,
  );
  const producer = new LedgerProducer(
    {
      ...ports,
      counts,
      onCollect: () => {
        exporter.beginCycle();
        ports.onMeasuredBegin?.();
      },
    },
    { ...options.producer, temporality: settings.temporality },
  );
  const reader = new PeriodicExportingMetricReader({
    exporter,
    exportIntervalMillis: settings.intervalMillis,
    exportTimeoutMillis: settings.timeoutMillis,
    maxExportBatchSize: MAX_BATCH_POINTS,
    metricProducers: [producer],
  });
  const resource = resourceFromAttributes({ ...options.resource });
  const provider = new MeterProvider({ resource, readers: [reader] });
  return {
    counts,
    greet: async () => {
      if (settings.exporter === 'otlp') await exporter.greet({ resource, scopeMetrics: [] });
    },
    flush: () => reader.forceFlush(),
    shutdown: shutdownOf(provider),
  };
};

const MEASURED: ReadonlySet<string> = new Set([
  INSTRUMENTS.hwEnergy.name,
  INSTRUMENTS.hwHostEnergy.name,
]);

const carriesMeasured = ({ scopeMetrics }: ResourceMetrics): boolean =>
  scopeMetrics.some(({ metrics }) =>
    metrics.some(({ descriptor }) => MEASURED.has(descriptor.name)),
  );

const stockExporter = ({ settings, endpoint }: ExportOptions): PushMetricExporter => {
  if (settings.exporter === 'console') return new ConsoleMetricExporter();
  const Exporter = settings.protocol === 'grpc' ? OTLPMetricExporter : OtlpHttpExporter;
  return new Exporter({
    timeoutMillis: settings.requestTimeoutMillis,
    // Totals come with theirs; said here, so that the exporter does not read the environment again.
    temporalityPreference:
      settings.temporality === 'delta'
        ? AggregationTemporality.DELTA
        : AggregationTemporality.CUMULATIVE,
    // A url given here would override the environment's.
    ...(settings.endpoint === undefined && endpoint !== undefined ? { url: endpoint } : {}),
  });
};

const shutdownOf =
  (provider: MeterProvider) =>
  (timeoutMillis: number): TE.TaskEither<Complaint, void> =>
  async () => {
    try {
      await provider.shutdown({ timeoutMillis });
      return E.right(undefined);
    } catch (error) {
      return E.left({
        what: 'export a last time',
        cause: error instanceof Error ? error.message : String(error),
        remedy: 'what was not sent is lost with the agent',
      });
    }
  };
