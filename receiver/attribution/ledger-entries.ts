// SPDX-License-Identifier: Apache-2.0
/** The books' entries as outputs see them. */
import type {
  CgroupTotals,
  ProcessTotals,
  Rated,
  ThreadTotals,
  WorkloadTotals,
} from '../model/ledger-view.js';
import type { CgroupIdentity } from '../model/workload.js';
import type { CgroupEntry } from './cgroup-book.js';
import type { ProcessEntry } from './process-book.js';
import type { ThreadEntry } from './thread-book.js';
import type { WorkloadEntry } from './workload-book.js';

/** Names of what the kernel only numbers. Asked per entry and view: answers come from memory. */
export interface Identities {
  readonly userName: (uid: number) => string;
  /** `(deleted:ID)` while or if it is not known. */
  readonly cgroupPath: (id: bigint) => string;
  /** What it stands for; the same object as long as that does not change. Undefined: not known yet. */
  readonly cgroupIdentity: (id: bigint) => CgroupIdentity | undefined;
  /** False only if it was removed. */
  readonly isCgroupThere: (id: bigint) => boolean;
  /** The name of a process whose `comm` is that of its first thread (`MainThread`): its executable's. */
  readonly processName: (pid: number, comm: string) => string;
  /** A cgroup was charged for the first time, by this process if known: find its path now. */
  readonly noticeCgroup: (id: bigint, pid: number | undefined) => void;
}

/** A book's entries one after the other, as often as it is iterated; nothing is copied. */
export const eachOf = <Entry, Seen>(
  book: { readonly values: () => Iterable<Entry> },
  see: (entry: Entry) => Seen,
): Iterable<Seen> => ({
  *[Symbol.iterator]() {
    for (const entry of book.values()) yield see(entry);
  },
});

export const processTotals = (
  entry: ProcessEntry,
  identities: Identities,
  booking: number,
): Rated<ProcessTotals> => ({
  identity: {
    pid: entry.pid,
    startBoottimeNanos: entry.startBoottimeNanos,
    startUnixMillis: entry.startUnixMillis,
    parentPid: entry.parentPid,
    name: entry.name,
    uid: entry.uid,
    user: identities.userName(entry.uid),
    isKernelThread: entry.isKernelThread,
    cgroupId: entry.cgroupId,
    cgroupPath: identities.cgroupPath(entry.cgroupId),
    workload: identities.cgroupIdentity(entry.cgroupId),
  },
  energy: entry.account.energy(),
  cpuNanos: entry.account.cpuNanos(),
  threadCount: entry.slotsByTid.size,
  seriesStartUnixMillis: entry.seriesStartUnixMillis,
  isExited: entry.state !== 'live',
  lastWindow: entry.account.lastWindow(booking),
});

export const cgroupTotals = (
  entry: CgroupEntry,
  identities: Identities,
  booking: number,
): Rated<CgroupTotals> => ({
  id: entry.id,
  path: identities.cgroupPath(entry.id),
  energy: entry.account.energy(),
  cpuNanos: entry.account.cpuNanos(),
  seriesStartUnixMillis: entry.seriesStartUnixMillis,
  workload: identities.cgroupIdentity(entry.id),
  isExited: entry.state !== 'live',
  lastWindow: entry.account.lastWindow(booking),
});

export const workloadTotals = (
  { key, facts, account, seriesStartUnixMillis, state }: WorkloadEntry,
  booking: number,
): Rated<WorkloadTotals> => ({
  ...account.remainder(booking),
  key,
  facts,
  seriesStartUnixMillis,
  isExited: state !== 'live',
});

export const threadTotals = (entry: ThreadEntry, booking: number): Rated<ThreadTotals> => ({
  identity: {
    tid: entry.tid,
    startBoottimeNanos: entry.startBoottimeNanos,
    startUnixMillis: entry.startUnixMillis,
    name: entry.name,
    pid: entry.process.pid,
    processStartUnixMillis: entry.process.startUnixMillis,
  },
  energy: entry.account.energy(),
  cpuNanos: entry.account.cpuNanos(),
  seriesStartUnixMillis: entry.seriesStartUnixMillis,
  isExited: entry.state !== 'live',
  lastWindow: entry.account.lastWindow(booking),
});
