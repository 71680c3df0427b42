// SPDX-License-Identifier: Apache-2.0
/** How the ledger's processes, cgroups and threads become series: keys, readings, identity attributes. */
import type { Attributes } from '@opentelemetry/api';
import {
  processKey,
  threadKey,
  type CgroupTotals,
  type ProcessIdentity,
  type ProcessTotals,
  type Remainder,
  type ThreadIdentity,
  type ThreadTotals,
} from '../model/ledger-view.js';
import { attributeName } from './attributes.js';
import type { Readings } from './lane.js';
import type { EntityKind } from './entity-kind.js';

/**
 * Longest attribute on the wire, in UTF-16 units. Paths may have 4 KiB; a batch of 1,000 points must stay
 * below the 4 MiB that collectors accept. What is cut off is still told apart by pid or cgroup id.
 */
export const MAX_ATTRIBUTE_LENGTH = 1_024;

/** Cut to length, never inside a surrogate pair. */
export const boundedText = (text: string): string =>
  text.length <= MAX_ATTRIBUTE_LENGTH
    ? text
    : `${text.slice(0, MAX_ATTRIBUTE_LENGTH - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;

export const readingsOf = ({ energy, cpuNanos }: Remainder): Readings => ({
  package: energy.package,
  dram: energy.dram,
  cpu: cpuNanos,
});

export const bothReadings = (one: Remainder, other: Remainder): Readings => {
  const [a, b] = [readingsOf(one), readingsOf(other)];
  return { package: a.package + b.package, dram: a.dram + b.dram, cpu: a.cpu + b.cpu };
};

const isSameIdentity = (a: ProcessIdentity, b: ProcessIdentity): boolean =>
  a === b || (a.name === b.name && a.user === b.user && a.cgroupPath === b.cgroupPath);

const isoTime = (unixMillis: number): string => new Date(unixMillis).toISOString();

export const PROCESS_KIND: EntityKind<ProcessTotals> = {
  keyOf: ({ identity }) => processKey(identity.pid, identity.startBoottimeNanos),
  readingsOf,
  startUnixMillisOf: ({ seriesStartUnixMillis }) => seriesStartUnixMillis,
  hasEnded: ({ isExited }) => isExited,
  isSameSeries: (a, b) => isSameIdentity(a.identity, b.identity),
};

export const processAttributes = ({ identity }: ProcessTotals): Attributes => ({
  [attributeName('processPid')]: identity.pid,
  [attributeName('processCreationTime')]: isoTime(identity.startUnixMillis),
  [attributeName('processExecutableName')]: boundedText(identity.name),
  [attributeName('processOwner')]: boundedText(identity.user),
  [attributeName('processCgroup')]: boundedText(identity.cgroupPath),
});

export const CGROUP_KIND: EntityKind<CgroupTotals> = {
  keyOf: ({ id }) => String(id),
  readingsOf,
  startUnixMillisOf: ({ seriesStartUnixMillis }) => seriesStartUnixMillis,
  // A removed cgroup leaves the ledger; the pool then ends its series.
  hasEnded: () => false,
  isSameSeries: (a, b) => a.path === b.path,
};

export const cgroupAttributes = ({ id, path }: CgroupTotals): Attributes => ({
  [attributeName('cgroupPath')]: boundedText(path),
  [attributeName('cgroupId')]: String(id),
});

const isSameThread = (a: ThreadIdentity, b: ThreadIdentity): boolean =>
  a === b || a.name === b.name;

export const THREAD_KIND: EntityKind<ThreadTotals> = {
  keyOf: ({ identity }) => threadKey(identity.tid, identity.startBoottimeNanos),
  readingsOf,
  startUnixMillisOf: ({ seriesStartUnixMillis }) => seriesStartUnixMillis,
  hasEnded: ({ isExited }) => isExited,
  isSameSeries: (a, b) => isSameThread(a.identity, b.identity),
};

/** No owner and no cgroup: those are the process's, and each would make another series per thread. */
export const threadAttributes = ({ identity }: ThreadTotals): Attributes => ({
  [attributeName('threadId')]: identity.tid,
  [attributeName('threadName')]: boundedText(identity.name),
  [attributeName('threadCreationTime')]: isoTime(identity.startUnixMillis),
  [attributeName('processPid')]: identity.pid,
  [attributeName('processCreationTime')]: isoTime(identity.processStartUnixMillis),
});
