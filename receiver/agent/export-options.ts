// SPDX-License-Identifier: Apache-2.0
/** What every way out of the agent has in common: which levels, whose resource, who may forget the ended. */
import type { Config } from '../config/config.js';
import type { ExportSettings } from '../export/environment.js';
import type { LevelOptions } from '../export/level.js';
import type { ProducerOptions, ProducerPorts } from '../export/producer.js';
import { resourceAttributes } from '../export/resource.js';
import { commandLineFor } from '../identity/process-files.js';
import type { WorkloadLevel } from '../model/ledger-view.js';
import type { RunningMeasurement } from './start-measurement.js';

const selectionOf = ({ export: { minMicrojoules, rules } }: Config) => ({ minMicrojoules, rules });

const workloadOptions = (config: Config): Readonly<Record<WorkloadLevel, LevelOptions>> => {
  const { levels, cpuTime, maxWorkloadSeries: maxSeries } = config.export;
  const level = (isExported: boolean): LevelOptions => ({
    isExported,
    hasCpuTime: cpuTime.workload,
    maxSeries,
    ...selectionOf(config),
  });
  return {
    container: level(levels.container),
    pod: level(levels.pod),
    job: level(levels.job),
    unit: level(levels.unit),
    user: level(levels.user),
    name: level(levels.name),
  };
};

export const producerOptions = (
  config: Config,
  version: string,
): Omit<ProducerOptions, 'temporality'> => ({
  version,
  processes: {
    isExported: config.export.levels.process,
    hasCpuTime: config.export.cpuTime.process,
    maxSeries: config.export.maxProcessSeries,
    ...selectionOf(config),
  },
  cgroups: {
    isExported: config.export.levels.cgroup,
    hasCpuTime: config.export.cpuTime.cgroup,
    maxSeries: config.ledger.maxCgroups,
    ...selectionOf(config),
  },
  threads: {
    isExported: config.export.levels.thread,
    hasCpuTime: config.export.cpuTime.thread,
    maxSeries: config.export.maxThreadSeries,
    ...selectionOf(config),
  },
  workloads: workloadOptions(config),
});

/** `settings` undefined: nothing is pushed, and the environment adds nothing. */
export const hostResource = (
  host: RunningMeasurement['machine']['host'],
  version: string,
  settings: ExportSettings | undefined,
): Readonly<Record<string, string>> =>
  resourceAttributes({
    version,
    hostName: host.name ?? '',
    machineId: host.machineId,
    serviceName: settings?.serviceName,
    resourceAttributes: settings?.resourceAttributes ?? {},
  });

export const ledgerPorts = (
  { ledger, self }: Pick<RunningMeasurement, 'ledger' | 'self'>,
  { identity: { commandLine }, roots }: Config,
): Omit<ProducerPorts, 'counts' | 'onCollect'> => ({
  ...(commandLine !== 'off' && {
    commandLineOf: (pid: number) => commandLineFor(commandLine, roots.procfs, pid),
  }),
  ledger,
  self,
  retireExported: (identities) => {
    ledger.retireExported(identities);
  },
  retireExportedThreads: (identities) => {
    ledger.retireExportedThreads(identities);
  },
  retireExportedCgroups: (cgroups) => {
    ledger.retireExportedCgroups(cgroups);
  },
  retireExportedWorkloads: (level, workloads) => {
    ledger.retireExportedWorkloads(level, workloads);
  },
});
