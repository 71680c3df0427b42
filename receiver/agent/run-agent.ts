// SPDX-License-Identifier: Apache-2.0
/** The agent's life: measure, export, serve viewers, until told to stop; then end in order. */
import * as E from 'fp-ts/lib/Either.js';
import type * as TE from 'fp-ts/lib/TaskEither.js';
import type { Config } from '../config/config.js';
import { readEnvironment, type Environment } from '../export/environment.js';
import { startExport, type RunningExport } from '../export/provider.js';
import { resourceAttributes } from '../export/resource.js';
import { complaintText, type Complaint } from '../model/errors.js';
import { serveReports, type ReportServer } from '../socket/server.js';
import { createLogger, type Logger } from './logger.js';
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
  settings: Parameters<typeof startExport>[0]['settings'],
  { host }: RunningMeasurement['machine'],
  version: string,
): Parameters<typeof startExport>[0] => ({
  settings,
  endpoint: undefined,
  resource: resourceAttributes({
    version,
    hostName: host.name ?? '',
    machineId: host.machineId,
    serviceName: settings.serviceName,
    resourceAttributes: settings.resourceAttributes,
  }),
  producer: {
    version,
    processes: {
      isExported: config.export.levels.process,
      hasCpuTime: config.export.cpuTime.process,
      maxSeries: config.export.maxProcessSeries,
    },
    cgroups: {
      isExported: config.export.levels.cgroup,
      hasCpuTime: config.export.cpuTime.cgroup,
      maxSeries: config.ledger.maxCgroups,
    },
  },
});

const beginExport = (
  config: Config,
  running: RunningMeasurement,
  { env, version }: AgentPorts,
  logger: Logger,
): E.Either<Complaint, RunningExport | undefined> => {
  if (!config.export.enabled) return E.right(undefined);
  const settings = readEnvironment(env, EXPORT_DEFAULTS);
  if (E.isLeft(settings)) {
    const [first, ...rest] = settings.left;
    for (const complaint of rest) logger.error(complaintText(complaint));
    return E.left(first ?? { what: 'read OTEL_ variables', cause: 'invalid', remedy: '' });
  }
  for (const warning of settings.right.warnings) logger.warn(complaintText(warning));
  return E.right(
    startExport(exportOptions(config, settings.right, running.machine, version), {
      ledger: running.ledger,
      self: running.self,
      retireExported: (identities) => {
        running.ledger.retireExported(identities);
      },
      say: (text) => {
        logger.warn(text);
      },
      nowMillis: () => performance.now(),
    }),
  );
};

const endInOrder = async (
  server: ReportServer,
  exporting: RunningExport | undefined,
  running: RunningMeasurement,
  logger: Logger,
): Promise<void> => {
  await running.close();
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
    const started = await startMeasurement(config, {
      version: ports.version,
      logger,
      windowMillis: config.windowMillis,
    });
    if (E.isLeft(started)) return started;
    const running = started.right;
    const exporting = beginExport(config, running, ports, logger);
    if (E.isLeft(exporting)) {
      await running.close();
      return exporting;
    }
    const server = await serveReports(config.agent.socketPath, {
      version: ports.version,
      last: running.measurement.last,
      subscribe: running.measurement.subscribe,
      watchThreads: running.threads.watch,
    })();
    if (E.isLeft(server)) {
      await exporting.right?.shutdown(0)();
      await running.close();
      return server;
    }
    logger.info('measuring', { socket: config.agent.socketPath, source: running.sourceText });
    logger.info('stopping', { signal: await stopped });
    await endInOrder(server.right, exporting.right, running, logger);
    return E.right(undefined);
  };
