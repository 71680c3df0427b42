// SPDX-License-Identifier: Apache-2.0
/** The ways out beside OTLP: an endpoint for Prometheus and a CSV file. */
import * as E from 'fp-ts/lib/Either.js';
import type { Ledger } from '../attribution/ledger.js';
import type { Config } from '../config/config.js';
import { CsvFile } from '../export/csv-file.js';
import type { ExportSettings } from '../export/environment.js';
import type { RunningPrometheus } from '../export/prometheus.js';
import { parseScrapeAddress } from '../export/scrape-address.js';
import { systemClock } from '../host/clock.js';
import type { Complaint } from '../model/errors.js';
import { CGROUP_LEVELS } from '../model/ledger-view.js';
import { hostResource, ledgerPorts, producerOptions } from './export-options.js';
import type { Logger } from './logger.js';
import type { RunningMeasurement } from './start-measurement.js';

export interface SinkPorts {
  readonly running: RunningMeasurement;
  readonly logger: Logger;
  readonly version: string;
  /** Undefined: nothing is pushed. */
  readonly settings: ExportSettings | undefined;
}

export interface RunningSinks {
  /** A last row each; then all is closed. */
  readonly stop: () => Promise<void>;
}

export const hasSinks = ({ export: { prometheusAddress, csv } }: Config): boolean =>
  prometheusAddress !== undefined || csv !== undefined;

const startScraping = async (
  config: Config,
  { running, version, settings }: SinkPorts,
): Promise<E.Either<Complaint, RunningPrometheus | undefined>> => {
  const text = config.export.prometheusAddress;
  if (text === undefined) return E.right(undefined);
  const address = parseScrapeAddress(text);
  if (address === undefined) {
    const remedy = 'write PORT, HOST:PORT or :PORT';
    return E.left({ what: 'read export.prometheus_address', cause: `${text} is none`, remedy });
  }
  // Nobody else pays for loading it.
  const { startPrometheus } = await import('../export/prometheus.js');
  return startPrometheus(
    {
      address,
      resource: hostResource(running.machine.host, version, settings),
      producer: producerOptions(config, version),
      isAlone: settings === undefined,
    },
    ledgerPorts(running, config),
  )();
};

/** The ended as they are now; called later, it lets the ledger forget them. */
const endedIn = (ledger: Ledger): (() => void) => {
  const processes = [...ledger.processes()].filter(({ isExited }) => isExited);
  const cgroups = [...ledger.cgroups()].filter(({ isExited }) => isExited);
  const workloads = CGROUP_LEVELS.map(
    (level) => [level, [...ledger.workloads(level)].filter(({ isExited }) => isExited)] as const,
  );
  return () => {
    ledger.retireExported(processes.map(({ identity }) => identity));
    ledger.retireExportedCgroups(cgroups);
    for (const [level, ended] of workloads) ledger.retireExportedWorkloads(level, ended);
  };
};

const startCsv = (
  { export: { csv, prometheusAddress } }: Config,
  { running: { ledger }, logger, settings }: SinkPorts,
): CsvFile | undefined => {
  if (csv === undefined) return undefined;
  const isAlone = settings === undefined && prometheusAddress === undefined;
  const file = new CsvFile(csv, {
    ledger,
    nowMillis: () => performance.now(),
    unixMillis: () => systemClock.unixMillis(),
    say: (text) => {
      logger.warn(text);
    },
    takeEnded: isAlone ? () => endedIn(ledger) : () => () => undefined,
  });
  file.start();
  return file;
};

export const startSinks = async (
  config: Config,
  ports: SinkPorts,
): Promise<E.Either<Complaint, RunningSinks>> => {
  const scraped = await startScraping(config, ports);
  if (E.isLeft(scraped)) return scraped;
  const csv = startCsv(config, ports);
  return E.right({
    stop: async () => {
      await csv?.stop();
      await scraped.right?.stop();
    },
  });
};
