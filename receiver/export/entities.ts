// SPDX-License-Identifier: Apache-2.0
/** How the ledger's processes and cgroups become series: keys, readings, identity attributes. */
import type { Attributes } from '@opentelemetry/api';
import {
  processKey,
  type CgroupTotals,
  type ProcessIdentity,
  type ProcessTotals,
  type Remainder,
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

const isSameIdentity = (a: ProcessIdentity, b: ProcessIdentity): boolean =>
  a === b || (a.name === b.name && a.user === b.user && a.cgroupPath === b.cgroupPath);

export const PROCESS_KIND: EntityKind<ProcessTotals> = {
  keyOf: ({ identity }) => processKey(identity.pid, identity.startBoottimeNanos),
  readingsOf,
  startUnixMillisOf: ({ seriesStartUnixMillis }) => seriesStartUnixMillis,
  hasEnded: ({ isExited }) => isExited,
  isSameSeries: (a, b) => isSameIdentity(a.identity, b.identity),
};

export const processAttributes = ({ identity }: ProcessTotals): Attributes => ({
  [attributeName('processPid')]: identity.pid,
  [attributeName('processCreationTime')]: new Date(identity.startUnixMillis).toISOString(),
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
