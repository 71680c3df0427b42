// SPDX-License-Identifier: Apache-2.0
/** Pods: Kubernetes with both cgroup drivers, podman's pods, ECS tasks. */
import type { PodQos, PodSystem } from '../../model/workload.js';
import { FULL_HEX_ID, HEX_ID, UUID, type Finding, type Rule } from './rule.js';

const pattern = (source: string): RegExp => new RegExp(`^${source}$`);

const pod = (system: PodSystem, uid: string | undefined, qos?: PodQos): Finding | undefined =>
  uid === undefined ? undefined : { pod: { system, uid: uid.replaceAll('_', '-'), qos } };

/** No level in the path means guaranteed. */
const qosOf = (level: string | undefined): PodQos =>
  level === 'burstable' || level === 'besteffort' ? level : 'guaranteed';

const ECS_TASK = '[0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';

const ecsContainer = (task: string | undefined, id: string | undefined): Finding | undefined => {
  const found = pod('ecs', task);
  return found === undefined || id === undefined
    ? found
    : { ...found, container: { id, runtime: 'docker', name: undefined } };
};

export const POD_RULES: readonly Rule[] = [
  {
    // Also with a cgroup root of the kubelet's own in front, as kind has it: `kubelet-kubepods-…`.
    name: 'kubernetes-systemd',
    segments: [
      pattern(`(?:.+-)?kubepods(?:-(?<qos>besteffort|burstable))?-pod(?<uid>${UUID})\\.slice`),
    ],
    find: ({ uid, qos }) => pod('kubernetes', uid, qosOf(qos)),
  },
  {
    name: 'kubernetes-cgroupfs',
    segments: [pattern(`pod(?<uid>${UUID})`)],
    find: ({ uid }, { before }) => pod('kubernetes', uid, qosOf(before.at(-1))),
  },
  {
    name: 'podman-pod-slice',
    segments: [pattern(`(?:machine|user)-libpod_pod_(?<uid>${FULL_HEX_ID})\\.slice`)],
    find: ({ uid }) => pod('podman', uid),
  },
  {
    name: 'podman-pod-cgroupfs',
    segments: [pattern(`(?<uid>${FULL_HEX_ID})`), pattern(`libpod-(?<id>${HEX_ID})`)],
    after: /^libpod_parent$/,
    find: ({ uid, id }) =>
      uid === undefined || id === undefined
        ? undefined
        : {
            pod: { system: 'podman', uid, qos: undefined },
            container: { id, runtime: 'podman', name: undefined },
          },
  },
  {
    name: 'ecs-task-slice',
    segments: [pattern(`ecstasks-(?<uid>${ECS_TASK})\\.slice`)],
    find: ({ uid }) => pod('ecs', uid),
  },
  {
    name: 'ecs',
    segments: [
      /^ecs$/,
      pattern(`(?<task>${ECS_TASK})`),
      pattern(`(?<id>${FULL_HEX_ID}|[0-9a-f]{32}-\\d{1,12})`),
    ],
    find: ({ task, id }) => ecsContainer(task, id),
  },
  {
    name: 'ecs-cluster',
    segments: [
      /^ecs$/,
      /^[\w-]{1,255}$/,
      pattern(`(?<task>${ECS_TASK})`),
      pattern(`(?<id>${FULL_HEX_ID}|[0-9a-f]{32}-\\d{1,12})`),
    ],
    find: ({ task, id }) => ecsContainer(task, id),
  },
];
