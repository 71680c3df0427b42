// SPDX-License-Identifier: Apache-2.0
/** Which container, pod, job and unit a cgroup's joules belong to, and what names each for ever. Pure. */
import type { CgroupLevel, WorkloadFacts } from '../model/ledger-view.js';
import type { CgroupIdentity } from '../model/workload.js';

export interface KeyedWorkload {
  readonly key: string;
  readonly facts: WorkloadFacts;
}

/** Ids hold no line feed. */
const keyOf = (...parts: readonly (string | undefined)[]): string =>
  parts.map((part) => part ?? '').join('\n');

/** A helper beside a container is not the container: what it burns stays with pod, job or unit. */
const containerOf = (identity: CgroupIdentity): KeyedWorkload | undefined => {
  const { container, outerContainers, pod, isHelper } = identity;
  if (container === undefined || isHelper) return undefined;
  return {
    key: keyOf(container.runtime, container.id, ...outerContainers.map(({ id }) => id)),
    facts: { _tag: 'container', container, outerContainers, pod },
  };
};

const podOf = ({ pod }: CgroupIdentity): KeyedWorkload | undefined =>
  pod && { key: keyOf(pod.system, pod.uid), facts: { _tag: 'pod', pod } };

const jobOf = (
  { job }: CgroupIdentity,
  ownerUid: number | undefined,
  userName: (uid: number) => string,
): KeyedWorkload | undefined => {
  if (job === undefined) return undefined;
  const uid = job.uid ?? ownerUid;
  const user = job.user ?? (uid === undefined ? undefined : userName(uid));
  return {
    key: keyOf(job.system, job.id),
    facts: { _tag: 'job', system: job.system, id: job.id, uid, user },
  };
};

/** A unit's name says which one it is only together with the manager that knows it. */
const unitOf = (
  { unit, slice, sliceUid, container }: CgroupIdentity,
  userName: (uid: number) => string,
): KeyedWorkload | undefined => {
  if (unit === undefined) return undefined;
  const uid = unit.manager === 'user' ? sliceUid : undefined;
  const user = uid === undefined ? undefined : userName(uid);
  return {
    key: keyOf(container?.id, uid === undefined ? undefined : String(uid), unit.name),
    facts: { _tag: 'unit', unit, slice, uid, user, containerId: container?.id },
  };
};

export const workloadOf = (
  level: CgroupLevel,
  identity: CgroupIdentity,
  ownerUid: number | undefined,
  userName: (uid: number) => string,
): KeyedWorkload | undefined => {
  switch (level) {
    case 'container':
      return containerOf(identity);
    case 'pod':
      return podOf(identity);
    case 'job':
      return jobOf(identity, ownerUid, userName);
    case 'unit':
      return unitOf(identity, userName);
  }
};
