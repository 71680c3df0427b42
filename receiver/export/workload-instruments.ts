// SPDX-License-Identifier: Apache-2.0
/** Instruments of the levels above processes and cgroups: containers, pods, jobs, units, users, names. */
import type { AttributeKey } from './attributes.js';
import type { Instrument } from './instruments.js';

const SPLIT: readonly AttributeKey[] = ['domain', 'origin', 'split'];

const energy = (level: string, whose: string, identity: readonly AttributeKey[]): Instrument => ({
  name: `wattfeed.${level}.energy`,
  unit: 'J',
  kind: 'counter',
  stability: 'beta',
  description: `Energy attributed to ${whose} It is the sum of its control groups and outlives its processes. The series with \`otel.metric.overflow\` holds what those without a series of their own burned.`,
  attributes: [...identity, ...SPLIT, 'overflow'],
});

const cpuTime = (level: string, identity: readonly AttributeKey[]): Instrument => ({
  name: `wattfeed.${level}.cpu.time`,
  unit: 's',
  kind: 'counter',
  stability: 'beta',
  isOptIn: true,
  description: 'CPU time, from the same ledger as the energy beside it.',
  attributes: [...identity, 'overflow'],
});

const removedEnergy = (level: string): Instrument => ({
  name: `wattfeed.${level}.removed.energy`,
  unit: 'J',
  kind: 'counter',
  stability: 'beta',
  description: `Sum of the final values of \`wattfeed.${level}.energy\` series that have ended. Add it to a sum of current values, never to a sum of rates.`,
  attributes: SPLIT,
});

const removedCpuTime = (level: string): Instrument => ({
  name: `wattfeed.${level}.removed.cpu.time`,
  unit: 's',
  kind: 'counter',
  stability: 'beta',
  isOptIn: true,
  description: `Sum of the final values of \`wattfeed.${level}.cpu.time\` series that are no longer sent.`,
  attributes: [],
});

const CONTAINER: readonly AttributeKey[] = [
  'containerId',
  'containerRuntime',
  'containerName',
  'outerContainerId',
  'rootContainerId',
  'podUid',
  'podName',
  'podNamespace',
  'podSystem',
  'podId',
];
const POD: readonly AttributeKey[] = [
  'podUid',
  'podName',
  'podNamespace',
  'podSystem',
  'podId',
  'podQos',
];
const JOB: readonly AttributeKey[] = ['jobSystem', 'jobId', 'jobOwner'];
const UNIT: readonly AttributeKey[] = ['unitName', 'unitSlice', 'unitOwner', 'containerId'];
const USER: readonly AttributeKey[] = ['userName', 'userId'];
const NAME: readonly AttributeKey[] = ['processExecutableName'];

export const WORKLOAD_INSTRUMENTS = {
  containerEnergy: energy(
    'container',
    'a container or virtual machine. Of containers inside each other it is the innermost; the one around it is an attribute, so that no joule is counted twice.',
    CONTAINER,
  ),
  removedContainerEnergy: removedEnergy('container'),
  containerCpuTime: cpuTime('container', CONTAINER),
  removedContainerCpuTime: removedCpuTime('container'),
  podEnergy: energy(
    'pod',
    'a pod (Kubernetes, podman), an ECS task or a Nomad allocation, helpers beside its containers included.',
    POD,
  ),
  removedPodEnergy: removedEnergy('pod'),
  podCpuTime: cpuTime('pod', POD),
  removedPodCpuTime: removedCpuTime('pod'),
  jobEnergy: energy(
    'job',
    'a job of a batch system on this node, all its steps and tasks together.',
    JOB,
  ),
  removedJobEnergy: removedEnergy('job'),
  jobCpuTime: cpuTime('job', JOB),
  removedJobCpuTime: removedCpuTime('job'),
  unitEnergy: energy('unit', 'a systemd unit, its own control groups included.', UNIT),
  removedUnitEnergy: removedEnergy('unit'),
  unitCpuTime: cpuTime('unit', UNIT),
  removedUnitCpuTime: removedCpuTime('unit'),
  userEnergy: energy('user', 'all processes of a user, living and ended.', USER),
  removedUserEnergy: removedEnergy('user'),
  userCpuTime: cpuTime('user', USER),
  removedUserCpuTime: removedCpuTime('user'),
  nameEnergy: energy('name', 'all processes of a command name, living and ended.', NAME),
  removedNameEnergy: removedEnergy('name'),
  nameCpuTime: cpuTime('name', NAME),
  removedNameCpuTime: removedCpuTime('name'),
} as const satisfies Record<string, Instrument>;
