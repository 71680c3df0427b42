// SPDX-License-Identifier: Apache-2.0
/** The agent's life: measure, export, serve viewers, until told to stop; then end in order. */
import * as E from 'fp-ts/lib/Either.js';
import type * as TE from 'fp-ts/lib/TaskEither.js';
import { pipe } from 'fp-ts/lib/function.js';
import type { Config } from '../config/config.js';
import { readEnvironment, type ExportSettings } from '../export/environment.js';
import type { Environment } from '../export/environment-reader.js';
import { startExport, type RunningExport } from '../export/provider.js';
import { tlsComplaints } from '../export/tls-files.js';
import { complaintText, type Complaint } from '../model/errors.js';
import { serveReports, type ReportServer } from '../socket/server.js';
import { createLogger, type Logger } from './logger.js';
import { hostResource, ledgerPorts, producerOptions } from './export-options.js';
import { createPeerGate } from './peer-gate.js';
import { hasSinks, startSinks, type RunningSinks } from './sinks.js';
import { startMeasurement, type RunningMeasurement } from './start-measurement.js';

export interface AgentPorts {
  readonly version: string;
  readonly env: Environment;
  readonly writeLog: (line: string) => void;
  /** Resolves with the signal's name when the agent is told to stop. */
  readonly stopped: () => Promise<string>;
}

/** OpenTelemetry's own defaults: OTEL_METRIC_EXPORT_INTERVAL and _TIMEOUT. */
const EXPORT_DEFAULTS = { intervalMillis: 60_000, timeoutMillis: 30_000 };
/** systemd kills 90 s after SIGTERM, Kubernetes after 30 s: the last export has less. */
const LAST_EXPORT_MILLIS = 10_000;

const exportOptions = (
  config: Config,
  settings: ExportSettings,
  { host }: RunningMeasurement['machine'],
  version: string,
): Parameters<typeof startExport>[0] => ({
  settings,
  endpoint: undefined,
  resource: hostResource(host, version, settings),
  producer: producerOptions(config, version),
});

/** What the environment asks for, and can be done. */
const usableSettings = (env: Environment): E.Either<readonly Complaint[], ExportSettings> =>
  pipe(
    readEnvironment(env, EXPORT_DEFAULTS),
    E.flatMap((settings) => {
      const complaints = tlsComplaints(settings.tlsFiles);
      return complaints.length === 0 ? E.right(settings) : E.left(complaints);
    }),
  );

/** Undefined: nothing is exported. All mistakes in the environment are told, the last one as the reason. */
const exportSettings = (
  { export: { enabled } }: Config,
  { env }: AgentPorts,
  logger: Logger,
): E.Either<Complaint, ExportSettings | undefined> => {
  if (!enabled) return E.right(undefined);
  const settings = usableSettings(env);
  if (E.isLeft(settings)) {
    const [first, ...rest] = settings.left;
    for (const complaint of rest) logger.error(complaintText(complaint));
    const reason = first ?? { what: 'read OTEL_ variables', cause: 'invalid', remedy: '' };
    return E.left({ ...reason, isUsage: true });
  }
  for (const warning of settings.right.warnings) logger.warn(complaintText(warning));
  return E.right(settings.right.exporter === 'none' ? undefined : settings.right);
};

const beginExport = (
  config: Config,
  settings: ExportSettings,
  running: RunningMeasurement,
  version: string,
  logger: Logger,
): RunningExport | undefined =>
  startExport(exportOptions(config, settings, running.machine, version), {
    ...ledgerPorts(running, config),
    ...(running.readings && {
      onMeasuredBegin: running.readings.begin,
      onMeasuredDelivered: running.readings.commit,
    }),
    say: (text) => {
      logger.warn(text);
    },
    nowMillis: () => performance.now(),
  });

const endInOrder = async (
  server: ReportServer,
  exporting: RunningExport | undefined,
  sinks: RunningSinks,
  running: RunningMeasurement,
  logger: Logger,
): Promise<void> => {
  await running.close();
  await sinks.stop();
  if (exporting !== undefined) {
    const last = await exporting.shutdown(LAST_EXPORT_MILLIS)();
    if (E.isLeft(last)) logger.warn(complaintText(last.left));
  }
  await server.close('the agent was told to stop');
};

export const runAgent =
  (config: Config, ports: AgentPorts): TE.TaskEither<Complaint, void> =>
  async () => {
    const logger = createLogger(config.log.level, ports.writeLog);
    const stopped = ports.stopped();
    const settings = exportSettings(config, ports, logger);
    if (E.isLeft(settings)) return settings;
    const started = await startMeasurement(config, {
      version: ports.version,
      logger,
      windowMillis: config.windowMillis,
      isAgent: true,
      isExporting: settings.right !== undefined || hasSinks(config),
      isDelivering: settings.right !== undefined,
      isKeepingState: true,
      isExportingThreads:
        config.export.levels.thread &&
        (settings.right !== undefined || config.export.prometheusAddress !== undefined),
    });
    if (E.isLeft(started)) return started;
    const running = started.right;
    const exporting =
      settings.right === undefined
        ? undefined
        : beginExport(config, settings.right, running, ports.version, logger);
    const sinks = await startSinks(config, {
      running,
      logger,
      version: ports.version,
      settings: settings.right,
    });
    if (E.isLeft(sinks)) {
      await exporting?.shutdown(0)();
      await running.close();
      return sinks;
    }
    const peers = createPeerGate(logger);
    const viewed = {
      version: ports.version,
      last: running.measurement.last,
      subscribe: running.measurement.subscribe,
      watchThreads: running.threads.watch,
      record: running.measurement.record,
      explain: running.measurement.explain,
    };
    const server = await serveReports(config.agent.socketPath, viewed, peers)();
    if (E.isLeft(server)) {
      await exporting?.shutdown(0)();
      await sinks.right.stop();
      await running.close();
      return server;
    }
    // Beside the first windows: nobody waits for a collector that does not answer.
    void exporting?.greet();
    logger.info('measuring', { socket: config.agent.socketPath, source: running.sourceText });
    const signal = await stopped;
    logger.info('stopping', { signal, refusedViewers: peers.refusedCount() });
    await endInOrder(server.right, exporting, sinks.right, running, logger);
    return E.right(undefined);
  };
