// SPDX-License-Identifier: Apache-2.0
/** How the ledger's processes, cgroups and threads become series: keys, readings, identity attributes. */
import type { Attributes } from '@opentelemetry/api';
import {
  processKey,
  threadKey,
  type CgroupTotals,
  type ProcessIdentity,
  type ProcessTotals,
  type ThreadIdentity,
  type ThreadTotals,
} from '../model/ledger-view.js';
import type { CgroupIdentity } from '../model/workload.js';
import { attributeName } from './attributes.js';
import { boundedText } from './bounded-text.js';
import type { EntityKind } from './entity-kind.js';
import { readingsOf } from './readings.js';
import { cgroupFields, processFields, threadFields } from './selection-fields.js';
import { knownAttributes, podIdentity } from './workload-entities.js';

/** As far as it is exported. */
const isSameWorkload = (a: CgroupIdentity | undefined, b: CgroupIdentity | undefined): boolean =>
  a === b ||
  (a?.container?.id === b?.container?.id &&
    a?.isHelper === b?.isHelper &&
    a?.pod?.uid === b?.pod?.uid &&
    a?.pod?.name === b?.pod?.name);

/** Ids by which a collector finds the names: `k8s_attributes` asks for these two. */
const workloadIds = (workload: CgroupIdentity | undefined): Attributes =>
  workload === undefined
    ? {}
    : knownAttributes([
        ['containerId', workload.isHelper ? undefined : workload.container?.id],
        ...podIdentity(workload.pod),
        ['jobId', workload.job?.id],
      ]);

const isSameIdentity = (a: ProcessIdentity, b: ProcessIdentity): boolean =>
  a === b ||
  (a.name === b.name &&
    a.user === b.user &&
    a.cgroupPath === b.cgroupPath &&
    isSameWorkload(a.workload, b.workload));

const isoTime = (unixMillis: number): string => new Date(unixMillis).toISOString();

export const PROCESS_KIND: EntityKind<ProcessTotals> = {
  keyOf: ({ identity }) => processKey(identity.pid, identity.startBoottimeNanos),
  readingsOf,
  startUnixMillisOf: ({ seriesStartUnixMillis }) => seriesStartUnixMillis,
  hasEnded: ({ isExited }) => isExited,
  isSameSeries: (a, b) => isSameIdentity(a.identity, b.identity),
  selectionFieldsOf: processFields,
};

export const processAttributes = ({ identity }: ProcessTotals): Attributes => ({
  [attributeName('processPid')]: identity.pid,
  [attributeName('processCreationTime')]: isoTime(identity.startUnixMillis),
  [attributeName('processExecutableName')]: boundedText(identity.name),
  [attributeName('processOwner')]: boundedText(identity.user),
  [attributeName('processCgroup')]: boundedText(identity.cgroupPath),
  ...workloadIds(identity.workload),
});

export const CGROUP_KIND: EntityKind<CgroupTotals> = {
  keyOf: ({ id }) => String(id),
  readingsOf,
  startUnixMillisOf: ({ seriesStartUnixMillis }) => seriesStartUnixMillis,
  hasEnded: ({ isExited }) => isExited,
  isSameSeries: (a, b) => a.path === b.path && isSameWorkload(a.workload, b.workload),
  selectionFieldsOf: cgroupFields,
};

export const cgroupAttributes = ({ id, path, workload }: CgroupTotals): Attributes => ({
  [attributeName('cgroupPath')]: boundedText(path),
  [attributeName('cgroupId')]: String(id),
  ...workloadIds(workload),
});

const isSameThread = (a: ThreadIdentity, b: ThreadIdentity): boolean =>
  a === b || a.name === b.name;

export const THREAD_KIND: EntityKind<ThreadTotals> = {
  keyOf: ({ identity }) => threadKey(identity.tid, identity.startBoottimeNanos),
  readingsOf,
  startUnixMillisOf: ({ seriesStartUnixMillis }) => seriesStartUnixMillis,
  hasEnded: ({ isExited }) => isExited,
  isSameSeries: (a, b) => isSameThread(a.identity, b.identity),
  selectionFieldsOf: threadFields,
};

/** No owner and no cgroup: those are the process's, and each would make another series per thread. */
export const threadAttributes = ({ identity }: ThreadTotals): Attributes => ({
  [attributeName('threadId')]: identity.tid,
  [attributeName('threadName')]: boundedText(identity.name),
  [attributeName('threadCreationTime')]: isoTime(identity.startUnixMillis),
  [attributeName('processPid')]: identity.pid,
  [attributeName('processCreationTime')]: isoTime(identity.processStartUnixMillis),
});
