// SPDX-License-Identifier: Apache-2.0
/**
 * The last window as a viewer sees it: what the socket sends, `top` draws and `--json` prints.
 * JSON-safe (no bigint): exact energies are decimal strings of microjoules where a sum must close,
 * numbers elsewhere. `schema` rises when a field changes its meaning; fields are only ever added.
 */
import type { ExplainedCalibration } from './explanation.js';
import type { SpinKind } from './spin.js';
import type { CgroupLevel } from './ledger-view.js';
import type {
  EnergyDomainKind,
  EnergyOrigin,
  EnergySourceKind,
  SplitMethod,
} from './energy-domain.js';

export const AGENT_REPORT_SCHEMA = 1;

export interface AgentReport {
  readonly schema: typeof AGENT_REPORT_SCHEMA;
  readonly agent: {
    readonly pid: number;
    readonly version: string;
    readonly startedUnixMillis: number;
    readonly hostName: string;
  };
  readonly window: {
    readonly index: string;
    readonly startNanos: string;
    readonly endNanos: string;
    readonly endUnixMillis: number;
    readonly durationSeconds: number;
    readonly lateMillis: number;
  };
  readonly source: {
    readonly origin: EnergyOrigin;
    readonly kinds: readonly EnergySourceKind[];
    readonly split: SplitMethod;
    /** The model's parameters are a guess: nobody set energy.model. */
    readonly isGuess: boolean;
    /** As `top` shows it, e.g. `measured (powercap), split by CPU time`. */
    readonly label: string;
  };
  readonly host: {
    readonly cpuCount: number;
    readonly busyRatio: number;
    readonly stealRatio: number | null;
  };
  /** How the counter model's coefficients came about, per package. */
  readonly calibration?: readonly ExplainedCalibration[];
  readonly domains: readonly DomainRow[];
  readonly meters: readonly MeterRow[];
  readonly processes: readonly ProcessRow[];
  readonly cgroups: readonly CgroupRow[];
  readonly threads: readonly ThreadRow[];
  readonly exitedProcesses: EnergyRow;
  readonly overflowProcesses: EnergyRow;
  readonly overflowCgroups: EnergyRow;
  /** Of removed cgroups that are forgotten. */
  readonly exitedCgroups?: EnergyRow;
  /** Sums by command name and by user, living and ended processes alike. */
  readonly names?: readonly NameRow[];
  readonly overflowNames?: EnergyRow;
  readonly users?: readonly UserRow[];
  readonly overflowUsers?: EnergyRow;
  /** Containers, pods, jobs and units; each level is whole by itself. */
  readonly workloads?: Readonly<Record<CgroupLevel, WorkloadPart>>;
  readonly accounting: AccountingRow;
}

/** Absent, unknown and zero are three values: joules null, watts null beside joules, and 0. */
export interface EnergyRow {
  /**
   * Mean power over the last window. Null: absent, or unknown, because a domain of the kind gave no energy
   * in this window and the row has none from the others. Beside such a domain a number is what
   * the others gave; `domains` says which were silent.
   */
  readonly packageWatts: number | null;
  readonly dramWatts: number | null;
  /** Since the agent started. Null: absent, no domain of the kind is attributed on this machine. */
  readonly packageJoules: number | null;
  readonly dramJoules: number | null;
  /** Memory is predicted while packages are measured: it belongs into no sum with them. */
  readonly isDramPredicted?: true;
  /** CPU time of the last window ÷ its length: 1 = one CPU. */
  readonly cpuRatio: number;
  readonly cpuSeconds: number;
}

export interface DomainRow {
  readonly id: string;
  readonly kind: EnergyDomainKind;
  readonly name: string;
  readonly packageId: number | null;
  readonly parentId: string | null;
  readonly source: EnergySourceKind;
  readonly origin: EnergyOrigin;
  readonly split: SplitMethod | null;
  /** Part of the last window's task time that hardware counters saw, 0..1; the rest went by time. */
  readonly countedShare?: number;
  /** `ok`, `first`, or the reason of a rejected or failed window, e.g. `failed: permission (EACCES)`. */
  readonly state: string;
  readonly watts: number | null;
  readonly idleWatts: number | null;
  readonly irqWatts: number | null;
  /** Integrated graphics, by its own counter. */
  readonly igpuWatts?: number | null;
  readonly unattributedWatts: number | null;
  readonly acceptedMicrojoules: string;
  /** What became of it. Null: the domain is not attributed (`split` is null), so nothing of it is split. */
  readonly entitiesMicrojoules: string | null;
  readonly idleMicrojoules: string | null;
  readonly irqMicrojoules: string | null;
  readonly igpuMicrojoules?: string | null;
  readonly unattributedMicrojoules: string | null;
}

export interface MeterRow {
  readonly id: string;
  readonly name: string;
  readonly watts: number | null;
  /** meter - packages - DRAM; negative = the sources contradict each other. */
  readonly restWatts: number | null;
  readonly joules: number;
}

export interface ProcessRow extends EnergyRow {
  readonly pid: number;
  readonly parentPid: number;
  readonly startUnixMillis: number;
  readonly name: string;
  readonly user: string;
  readonly uid: number;
  readonly cgroup: string;
  readonly threadCount: number;
  readonly isKernelThread: boolean;
  readonly isExited: boolean;
  /** How one of its threads waits awake. */
  readonly spins?: SpinKind;
}

export interface CgroupRow extends EnergyRow {
  readonly id: string;
  readonly path: string;
}

export interface ThreadRow extends EnergyRow {
  readonly tid: number;
  readonly pid: number;
  readonly name: string;
  readonly spins?: SpinKind;
}

export interface NameRow extends EnergyRow {
  readonly name: string;
}

export interface UserRow extends EnergyRow {
  readonly uid: number;
  readonly user: string;
}

/** Living ones, and those that ended in this window. Each is named by what its level knows of it. */
export interface WorkloadRow extends EnergyRow {
  /** As its runtime, Kubernetes, batch system or systemd calls it. */
  readonly id: string;
  /** What people call it (`NAMESPACE/POD`); null where only the id is known. */
  readonly name: string | null;
  /** Container runtime, system of pods or jobs; of a unit its manager, `system` or `user`. */
  readonly system: string | null;
  /** Of a container its pod or the container around it, of a pod its QoS class, of a unit its slice. */
  readonly within: string | null;
  /** Login name; of jobs and of users' units. */
  readonly owner: string | null;
  /** Living ones. */
  readonly processCount: number;
}

/** rows + exited + overflow + none = everything that processes were given. */
export interface WorkloadPart {
  readonly rows: readonly WorkloadRow[];
  readonly exited: EnergyRow;
  readonly overflow: EnergyRow;
  /** What is in no container, pod, job or unit. */
  readonly none: EnergyRow;
}

export interface AccountingRow {
  readonly slotsUsed: number;
  readonly slotsLimit: number;
  readonly slotBytes: number;
  readonly switchesPerSecond: number;
  /** Losses since start, by name; all zero on a healthy agent. */
  readonly losses: Readonly<Record<string, number>>;
}
