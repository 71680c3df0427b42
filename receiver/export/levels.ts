// SPDX-License-Identifier: Apache-2.0
/** The levels that are exported: how each one's entities become series, and under which instruments. */
import type {
  CgroupTotals,
  ProcessTotals,
  ThreadTotals,
  WorkloadLevel,
  WorkloadTotals,
} from '../model/ledger-view.js';
import {
  CGROUP_KIND,
  PROCESS_KIND,
  THREAD_KIND,
  cgroupAttributes,
  processAttributes,
  threadAttributes,
} from './entities.js';
import type { LevelPlan } from './level.js';
import type { LevelInstruments } from './entity-points.js';
import { WORKLOAD_KIND, knownAttributes, workloadAttributes } from './workload-entities.js';

export const PROCESS_LEVEL: LevelPlan<ProcessTotals> = {
  name: 'process',
  kind: PROCESS_KIND,
  attributesOf: processAttributes,
  instruments: {
    energy: 'processEnergy',
    endedEnergy: 'exitedEnergy',
    cpuTime: 'processCpuTime',
    endedCpuTime: 'exitedCpuTime',
  },
};

export const processPlan = (
  commandLineOf: ((pid: number) => string | undefined) | undefined,
): LevelPlan<ProcessTotals> =>
  commandLineOf === undefined
    ? PROCESS_LEVEL
    : {
        ...PROCESS_LEVEL,
        attributesOf: (process) => ({
          ...processAttributes(process),
          ...knownAttributes([
            [
              'processCommandLine',
              process.isExited ? undefined : commandLineOf(process.identity.pid),
            ],
          ]),
        }),
      };

export const CGROUP_LEVEL: LevelPlan<CgroupTotals> = {
  name: 'cgroup',
  kind: CGROUP_KIND,
  attributesOf: cgroupAttributes,
  instruments: {
    energy: 'cgroupEnergy',
    endedEnergy: 'removedCgroupEnergy',
    cpuTime: 'cgroupCpuTime',
    endedCpuTime: 'removedCgroupCpuTime',
  },
};

export const THREAD_LEVEL: LevelPlan<ThreadTotals> = {
  name: 'thread',
  kind: THREAD_KIND,
  attributesOf: threadAttributes,
  instruments: {
    energy: 'threadEnergy',
    endedEnergy: 'exitedThreadEnergy',
    cpuTime: 'threadCpuTime',
    endedCpuTime: 'exitedThreadCpuTime',
  },
};

const WORKLOAD_LEVEL_INSTRUMENTS: Readonly<Record<WorkloadLevel, LevelInstruments>> = {
  container: {
    energy: 'containerEnergy',
    endedEnergy: 'removedContainerEnergy',
    cpuTime: 'containerCpuTime',
    endedCpuTime: 'removedContainerCpuTime',
  },
  pod: {
    energy: 'podEnergy',
    endedEnergy: 'removedPodEnergy',
    cpuTime: 'podCpuTime',
    endedCpuTime: 'removedPodCpuTime',
  },
  job: {
    energy: 'jobEnergy',
    endedEnergy: 'removedJobEnergy',
    cpuTime: 'jobCpuTime',
    endedCpuTime: 'removedJobCpuTime',
  },
  unit: {
    energy: 'unitEnergy',
    endedEnergy: 'removedUnitEnergy',
    cpuTime: 'unitCpuTime',
    endedCpuTime: 'removedUnitCpuTime',
  },
  user: {
    energy: 'userEnergy',
    endedEnergy: 'removedUserEnergy',
    cpuTime: 'userCpuTime',
    endedCpuTime: 'removedUserCpuTime',
  },
  name: {
    energy: 'nameEnergy',
    endedEnergy: 'removedNameEnergy',
    cpuTime: 'nameCpuTime',
    endedCpuTime: 'removedNameCpuTime',
  },
};

export const workloadPlan = (level: WorkloadLevel): LevelPlan<WorkloadTotals> => ({
  name: level,
  kind: WORKLOAD_KIND,
  attributesOf: workloadAttributes,
  instruments: WORKLOAD_LEVEL_INSTRUMENTS[level],
});
