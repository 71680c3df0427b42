// SPDX-License-Identifier: Apache-2.0
/** The levels that are exported: how each one's entities become series, and under which instruments. */
import type { CgroupTotals, ProcessTotals, ThreadTotals } from '../model/ledger-view.js';
import {
  CGROUP_KIND,
  PROCESS_KIND,
  THREAD_KIND,
  cgroupAttributes,
  processAttributes,
  threadAttributes,
} from './entities.js';
import type { LevelPlan } from './level.js';

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
