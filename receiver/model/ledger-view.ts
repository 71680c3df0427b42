// SPDX-License-Identifier: Apache-2.0
/**
 * What outputs may read of the ledger: cumulative totals since the agent started, never windows.
 * The exporter, the socket and `top` see the same numbers because they read the same thing.
 */
import type { AttributedKind, EnergyDomain, SplitMethod } from './energy-domain.js';
import type { FailReason, RejectReason, UnattributedReason } from './window.js';
import type { Microjoules, Nanos, WindowNanos } from './units.js';

export type EnergyByKind = Readonly<Record<AttributedKind, Microjoules>>;

/** (tgid, start) names a process for ever; a re-used pid is another one. */
export interface ProcessIdentity {
  readonly pid: number;
  readonly startBoottimeNanos: Nanos;
  /** Wall-clock start, milliseconds since the epoch: `process.creation.time`. */
  readonly startUnixMillis: number;
  readonly parentPid: number;
  readonly name: string;
  readonly uid: number;
  /** Login name; the uid in digits where there is none. */
  readonly user: string;
  readonly isKernelThread: boolean;
  readonly cgroupId: bigint;
  readonly cgroupPath: string;
}

export interface ProcessTotals {
  readonly identity: ProcessIdentity;
  readonly energy: EnergyByKind;
  readonly cpuNanos: Nanos;
  readonly threadCount: number;
  /** max(process start, agent start), milliseconds since the epoch: the series' start time. */
  readonly seriesStartUnixMillis: number;
  /** Ended, kept until its final value was exported. */
  readonly isExited: boolean;
}

export interface CgroupTotals {
  readonly id: bigint;
  /** Path below the hierarchy's root, `/` for the root itself; `(deleted:ID)` where it was gone before it was read. */
  readonly path: string;
  /** Exclusive: own tasks only, children not included. */
  readonly energy: EnergyByKind;
  readonly cpuNanos: Nanos;
  readonly seriesStartUnixMillis: number;
}

/** (tid, start) names a thread for ever; a re-used tid is another one. */
export interface ThreadIdentity {
  readonly tid: number;
  readonly startBoottimeNanos: Nanos;
  /** Wall-clock start, milliseconds since the epoch. */
  readonly startUnixMillis: number;
  readonly name: string;
  readonly pid: number;
  /** With the pid it names the process: its `process.creation.time`. */
  readonly processStartUnixMillis: number;
}

export interface ThreadTotals {
  readonly identity: ThreadIdentity;
  readonly energy: EnergyByKind;
  readonly cpuNanos: Nanos;
  /** max(thread start, agent start, moment threads were asked for), milliseconds since the epoch. */
  readonly seriesStartUnixMillis: number;
  /** Ended, kept until its final value was exported. */
  readonly isExited: boolean;
}

/**
 * One energy domain since start. accepted = entities + idle + irq + igpu + unattributed, exactly, for a domain
 * that is attributed; the others (inside or around one) have an accepted total and no parts.
 */
export interface DomainTotals {
  readonly domain: EnergyDomain;
  readonly split: SplitMethod;
  /** Of the last window: part of the task time that was counted, 0..1. */
  readonly countedShare: number;
  readonly acceptedMicrojoules: Microjoules;
  readonly entitiesMicrojoules: Microjoules;
  readonly idleMicrojoules: Microjoules;
  readonly irqMicrojoules: Microjoules;
  /** Integrated graphics; 0 where the package has no counter of it. */
  readonly igpuMicrojoules: Microjoules;
  readonly unattributed: ReadonlyMap<UnattributedReason, Microjoules>;
  readonly windowsAccepted: number;
  readonly windowsRejected: ReadonlyMap<RejectReason, number>;
  readonly windowsFailed: ReadonlyMap<FailReason, number>;
}

/** Sums for entities that no longer have, or never got, an entry of their own. */
export interface Remainder {
  readonly energy: EnergyByKind;
  readonly cpuNanos: Nanos;
}

export interface LedgerView {
  readonly startUnixMillis: number;
  readonly domains: () => readonly DomainTotals[];
  readonly processes: () => Iterable<ProcessTotals>;
  readonly cgroups: () => Iterable<CgroupTotals>;
  /** Only while threads are asked for; their sums begin at that moment. */
  readonly threads: () => Iterable<ThreadTotals>;
  /** Processes that ended and were exported: their sum, so that totals stay whole. */
  readonly exitedProcesses: () => Remainder;
  /** The same of threads. */
  readonly exitedThreads: () => Remainder;
  /** Entities beyond the ledger's caps, and task time without a slot. */
  readonly overflow: () => Readonly<Record<Level, Remainder>>;
}

/** Σ entities + exited + overflow of any two levels is the same, threads since they were asked for. */
type Level = 'processes' | 'cgroups' | 'threads';

/** What the last window added. */
export interface LastWindow {
  readonly energy: EnergyByKind;
  readonly cpuNanos: WindowNanos;
}

export type Rated<T> = T & { readonly lastWindow: LastWindow };

/** All processes of one command name, living and ended, since start. */
export interface NameTotals extends Remainder {
  readonly name: string;
}

/** All processes of one user, living and ended, since start. */
export interface UserTotals extends Remainder {
  readonly uid: number;
  readonly user: string;
}

/** The ledger as the report of the last window needs it: the same entries with what was added last. */
export interface RatedLedgerView extends LedgerView {
  readonly processes: () => Iterable<Rated<ProcessTotals>>;
  readonly cgroups: () => Iterable<Rated<CgroupTotals>>;
  readonly threads: () => Iterable<Rated<ThreadTotals>>;
  readonly exitedProcesses: () => Rated<Remainder>;
  readonly exitedThreads: () => Rated<Remainder>;
  readonly overflow: () => Readonly<Record<Level, Rated<Remainder>>>;
  readonly names: () => Iterable<Rated<NameTotals>>;
  /** Names beyond the cap, and task time of processes whose name is not known. */
  readonly namesOverflow: () => Rated<Remainder>;
  readonly users: () => Iterable<Rated<UserTotals>>;
  readonly usersOverflow: () => Rated<Remainder>;
  /** Events since start that lost detail or precision, by name; all zero on a healthy agent. */
  readonly losses: () => Readonly<Record<string, number>>;
}

/** Names a process for ever: a re-used pid has another start. */
export const processKey = (pid: number, startBoottimeNanos: Nanos): string =>
  `${String(pid)}:${String(startBoottimeNanos)}`;

/** Names a thread for ever: a re-used tid has another start. */
export const threadKey = processKey;
