// SPDX-License-Identifier: Apache-2.0
/**
 * What outputs may read of the ledger: cumulative totals since the agent started, never windows.
 * The exporter, the socket and `top` see the same numbers because they read the same thing.
 */
import type { AttributedKind, EnergyDomain, SplitMethod } from './energy-domain.js';
import type { FailReason, RejectReason, UnattributedReason } from './window.js';
import type { CgroupIdentity, ContainerRef, PodRef, UnitRef } from './workload.js';
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
  /** What the cgroup stands for; undefined while its path is not known. */
  readonly workload: CgroupIdentity | undefined;
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
  /** What it stands for; undefined while its path is not known. */
  readonly workload: CgroupIdentity | undefined;
  /** Removed, kept until its final value was exported. */
  readonly isExited: boolean;
}

/** Levels whose accounts follow those of the cgroups. */
export const CGROUP_LEVELS = ['container', 'pod', 'job', 'unit'] as const;
export type CgroupLevel = (typeof CGROUP_LEVELS)[number];

/** All levels of workloads; a command name or a user does not end. */
export const WORKLOAD_LEVELS = [...CGROUP_LEVELS, 'user', 'name'] as const;
export type WorkloadLevel = (typeof WORKLOAD_LEVELS)[number];

/** What names a workload, by its level. */
export type WorkloadFacts =
  | {
      readonly _tag: 'container';
      readonly container: ContainerRef;
      /** Around it, outermost first: their sum is a query. */
      readonly outerContainers: readonly ContainerRef[];
      readonly pod: PodRef | undefined;
    }
  | { readonly _tag: 'pod'; readonly pod: PodRef }
  | {
      readonly _tag: 'job';
      readonly system: string;
      readonly id: string;
      /** Login name and uid of the owner, as far as they are known. */
      readonly user: string | undefined;
      readonly uid: number | undefined;
    }
  | {
      readonly _tag: 'unit';
      readonly unit: UnitRef;
      readonly slice: string | undefined;
      /** Of a user's unit. */
      readonly uid: number | undefined;
      readonly user: string | undefined;
      /** The container that the unit is in. */
      readonly containerId: string | undefined;
    }
  | { readonly _tag: 'user'; readonly uid: number; readonly user: string }
  | { readonly _tag: 'name'; readonly name: string };

export interface WorkloadTotals extends Remainder {
  /** Unique on its level, for ever. */
  readonly key: string;
  readonly facts: WorkloadFacts;
  readonly seriesStartUnixMillis: number;
  /** Ended, kept until its final value was exported. */
  readonly isExited: boolean;
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
 * How much time a counter's joules were accounted for. `agent_down`: no agent ran, but the joules were
 * found afterwards; `gap`: neither.
 */
export const COVERAGE_KINDS = ['accounted', 'agent_down', 'gap'] as const;
export type CoverageKind = (typeof COVERAGE_KINDS)[number];

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
  readonly coverage: Readonly<Record<CoverageKind, Nanos>>;
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
  /** Another number after everything that changed the ledger: what was read in between is of one moment. */
  readonly revision: () => number;
  readonly domains: () => readonly DomainTotals[];
  readonly processes: () => Iterable<ProcessTotals>;
  readonly cgroups: () => Iterable<CgroupTotals>;
  /** Only while threads are asked for; their sums begin at that moment. */
  readonly threads: () => Iterable<ThreadTotals>;
  /** Processes that ended and were exported: their sum, so that totals stay whole. */
  readonly exitedProcesses: () => Remainder;
  /** The same of threads. */
  readonly exitedThreads: () => Remainder;
  /** The same of removed cgroups. */
  readonly exitedCgroups: () => Remainder;
  readonly workloads: (level: WorkloadLevel) => Iterable<WorkloadTotals>;
  readonly exitedWorkloads: (level: WorkloadLevel) => Remainder;
  readonly overflowWorkloads: (level: WorkloadLevel) => Remainder;
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
  readonly exitedCgroups: () => Rated<Remainder>;
  readonly workloads: (level: WorkloadLevel) => Iterable<Rated<WorkloadTotals>>;
  readonly exitedWorkloads: (level: WorkloadLevel) => Rated<Remainder>;
  readonly overflowWorkloads: (level: WorkloadLevel) => Rated<Remainder>;
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
