// SPDX-License-Identifier: Apache-2.0
/** Instruments for energy and CPU time: what wattfeed is for. */
import type { Instrument } from './instruments.js';

/** What a process or control group is part of. */
const WORKLOAD = [
  'containerId',
  'podUid',
  'podName',
  'podNamespace',
  'podSystem',
  'podId',
  'jobId',
] as const;

const PROCESS = [
  'processPid',
  'processCreationTime',
  'processExecutableName',
  'processOwner',
  'processCommandLine',
  'processCgroup',
  ...WORKLOAD,
] as const;

export const ENERGY_INSTRUMENTS = {
  hwEnergy: {
    name: 'hw.energy',
    unit: 'J',
    kind: 'counter',
    stability: 'development',
    description:
      'Energy that one counter has measured since the agent started, wraps and resets removed. Sum only series without `hw.parent`.',
    attributes: ['hwId', 'hwType', 'hwName', 'hwParent', 'domain', 'origin', 'source'],
  },
  hwHostEnergy: {
    name: 'hw.host.energy',
    unit: 'J',
    kind: 'counter',
    stability: 'development',
    description:
      'Energy of the whole machine by a meter that covers all of it (psys, battery, BMC). Contains everything in `hw.energy`: never add the two.',
    attributes: ['hwId', 'hwName', 'domain', 'origin', 'source'],
  },
  restPower: {
    name: 'wattfeed.rest.power',
    unit: 'W',
    kind: 'gauge',
    stability: 'beta',
    description:
      'Rest of the machine in the last window: whole-machine meter less packages and DRAM. Attributed to nobody. Negative: the two sources contradict each other.',
    attributes: ['hwId', 'hwName'],
  },
  processEnergy: {
    name: 'wattfeed.process.energy',
    unit: 'J',
    kind: 'counter',
    stability: 'beta',
    description:
      'Energy attributed to a process while it had a series of its own. The series with `otel.metric.overflow` holds what all others burned.',
    attributes: [...PROCESS, 'domain', 'origin', 'split', 'overflow'],
  },
  exitedEnergy: {
    name: 'wattfeed.process.exited.energy',
    unit: 'J',
    kind: 'counter',
    stability: 'beta',
    description:
      'Sum of the final values of `wattfeed.process.energy` series that have ended and are no longer sent. Add it to a sum of current values; never to a sum of rates, where those joules were counted already.',
    attributes: ['domain', 'origin', 'split'],
  },
  processCpuTime: {
    name: 'wattfeed.process.cpu.time',
    unit: 's',
    kind: 'counter',
    stability: 'beta',
    isOptIn: true,
    description: 'CPU time of a process, from the same ledger as its energy.',
    attributes: [...PROCESS, 'overflow'],
  },
  exitedCpuTime: {
    name: 'wattfeed.process.exited.cpu.time',
    unit: 's',
    kind: 'counter',
    stability: 'beta',
    isOptIn: true,
    description:
      'Sum of the final values of `wattfeed.process.cpu.time` series that are no longer sent.',
    attributes: [],
  },
  threadEnergy: {
    name: 'wattfeed.thread.energy',
    unit: 'J',
    kind: 'counter',
    stability: 'beta',
    isOptIn: true,
    description:
      'Energy attributed to a thread while it had a series of its own; a part of its process’s energy, never to be added to it. The series with `otel.metric.overflow` holds what all other threads burned.',
    attributes: [
      'threadId',
      'threadName',
      'threadCreationTime',
      'processPid',
      'processCreationTime',
      'domain',
      'origin',
      'split',
      'overflow',
    ],
  },
  exitedThreadEnergy: {
    name: 'wattfeed.thread.exited.energy',
    unit: 'J',
    kind: 'counter',
    stability: 'beta',
    isOptIn: true,
    description:
      'Sum of the final values of `wattfeed.thread.energy` series that have ended and are no longer sent. Add it to a sum of current values, never to a sum of rates.',
    attributes: ['domain', 'origin', 'split'],
  },
  threadCpuTime: {
    name: 'wattfeed.thread.cpu.time',
    unit: 's',
    kind: 'counter',
    stability: 'beta',
    isOptIn: true,
    description: 'CPU time of a thread, from the same ledger as its energy.',
    attributes: [
      'threadId',
      'threadName',
      'threadCreationTime',
      'processPid',
      'processCreationTime',
      'overflow',
    ],
  },
  exitedThreadCpuTime: {
    name: 'wattfeed.thread.exited.cpu.time',
    unit: 's',
    kind: 'counter',
    stability: 'beta',
    isOptIn: true,
    description:
      'Sum of the final values of `wattfeed.thread.cpu.time` series that are no longer sent.',
    attributes: [],
  },
  cgroupEnergy: {
    name: 'wattfeed.cgroup.energy',
    unit: 'J',
    kind: 'counter',
    stability: 'beta',
    description:
      "Energy attributed to a control group's own tasks, children not included, so that the sum over all groups counts nothing twice. It outlives its processes: bill with it.",
    attributes: ['cgroupPath', 'cgroupId', ...WORKLOAD, 'domain', 'origin', 'split', 'overflow'],
  },
  removedCgroupEnergy: {
    name: 'wattfeed.cgroup.removed.energy',
    unit: 'J',
    kind: 'counter',
    stability: 'beta',
    description:
      'Sum of the final values of `wattfeed.cgroup.energy` series that have ended. Add it to a sum of current values, never to a sum of rates.',
    attributes: ['domain', 'origin', 'split'],
  },
  cgroupCpuTime: {
    name: 'wattfeed.cgroup.cpu.time',
    unit: 's',
    kind: 'counter',
    stability: 'beta',
    description: "CPU time of a control group's own tasks, from the same ledger as its energy.",
    attributes: ['cgroupPath', 'cgroupId', ...WORKLOAD, 'overflow'],
  },
  removedCgroupCpuTime: {
    name: 'wattfeed.cgroup.removed.cpu.time',
    unit: 's',
    kind: 'counter',
    stability: 'beta',
    description:
      'Sum of the final values of `wattfeed.cgroup.cpu.time` series that are no longer sent.',
    attributes: [],
  },
  idleEnergy: {
    name: 'wattfeed.idle.energy',
    unit: 'J',
    kind: 'counter',
    stability: 'beta',
    description: 'Measured energy of the idle floor: what the domain would have burned anyway.',
    attributes: ['hwId', 'domain', 'origin'],
  },
  irqEnergy: {
    name: 'wattfeed.irq.energy',
    unit: 'J',
    kind: 'counter',
    stability: 'beta',
    description: 'Measured energy of interrupt handling, attributed to no task.',
    attributes: ['hwId', 'domain', 'origin'],
  },
  igpuEnergy: {
    name: 'wattfeed.igpu.energy',
    unit: 'J',
    kind: 'counter',
    stability: 'beta',
    description:
      'Measured energy of the graphics inside a client package (the `uncore` zone), taken out before anything is split among tasks. No series where the package has none.',
    attributes: ['hwId', 'domain', 'origin'],
  },
  unattributedEnergy: {
    name: 'wattfeed.unattributed.energy',
    unit: 'J',
    kind: 'counter',
    stability: 'beta',
    description:
      'Measured energy that is nobody’s. Reasons: `overflow` (no slot left), `unslotted` (task not seen at its start), `no-activity` (no record of the CPUs), `unknown-package`, `missed-reading` (drawn in windows whose reading failed), `inconsistent` (a defect, logged), `agent_down` (burned while no agent ran). Per domain: `hw.energy` = tasks + idle + irq + igpu + unattributed, to the microjoule.',
    attributes: ['hwId', 'domain', 'origin', 'reason'],
  },
} as const satisfies Record<string, Instrument>;
