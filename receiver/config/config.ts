// SPDX-License-Identifier: Apache-2.0
/** The decoded configuration: built once by `decode.ts`, passed down in slices. */
import type { HostRoots } from '../host/roots.js';
import type { CounterSelection } from '../model/counter-selection.js';
import type { SelectionRules } from '../model/selection-rule.js';
import type { Budget, BudgetMatch } from '../../policy/policy.js';
import type { EnergySourceKind } from '../model/energy-domain.js';

/** P = idle + (max - idle) · utilisation^gamma, for the whole host. */
export interface PowerModel {
  readonly idleWatts: number;
  readonly maxWatts: number;
  readonly gamma: number;
}

export interface AccountingConfig {
  readonly maxTasks: number;
  /** `auto`, `unified`, or a cgroup v1 controller. */
  readonly cgroupHierarchy: string;
  readonly bpfStats: boolean;
  readonly counters: CounterSelection;
}

export interface EnergyConfig {
  /** `auto`: the best that answers; a list: only these, in this order. */
  readonly sources: 'auto' | readonly EnergySourceKind[];
  /** Excludes `tdpWatts`. */
  readonly model: PowerModel | undefined;
  readonly tdpWatts: number | undefined;
  /** One counter per core, where there are any. */
  readonly coreCounters: boolean;
  /** Idle floor of one package; undefined: learnt. */
  readonly idleWatts: number | undefined;
  /** Undefined: twice the largest constraint that the zone declares, else 2 kW. */
  readonly maxPlausibleWatts: number | undefined;
}

export interface AttributionConfig {
  readonly model: 'counters' | 'time' | 'seed';
  readonly idlePolicy: 'none' | 'equal' | 'active' | 'request';
  readonly requestSource: 'weight' | 'max';
  readonly calibrate: boolean;
  readonly seed: { readonly alpha: number; readonly baseInstructionsPerCycle: number };
}

export interface DramConfig {
  readonly split: 'misses' | 'rss' | 'time';
  /** Predict where nothing measures. */
  readonly isModelled: boolean;
  /** Of the memory of one package. */
  readonly backgroundWatts: number;
  readonly lineNanojoules: number;
}

export interface LedgerConfig {
  readonly maxProcesses: number;
  readonly maxCgroups: number;
  readonly maxThreads: number;
  readonly maxExited: number;
}

export interface CsvConfig {
  readonly path: string;
  readonly intervalMillis: number;
  readonly maxBytes: number;
  readonly keptFiles: number;
}

export interface ExportConfig {
  readonly enabled: boolean;
  readonly levels: {
    readonly process: boolean;
    readonly cgroup: boolean;
    readonly thread: boolean;
    readonly container: boolean;
    readonly pod: boolean;
    readonly job: boolean;
    readonly unit: boolean;
    readonly user: boolean;
    readonly name: boolean;
  };
  readonly cpuTime: {
    readonly process: boolean;
    readonly cgroup: boolean;
    readonly thread: boolean;
    /** All of the levels above processes and cgroups. */
    readonly workload: boolean;
  };
  readonly maxProcessSeries: number;
  readonly maxThreadSeries: number;
  readonly maxWorkloadSeries: number;
  readonly minMicrojoules: bigint;
  readonly rules: SelectionRules;
  /** `PORT` or `HOST:PORT`; undefined: none. */
  readonly prometheusAddress: string | undefined;
  readonly csv: CsvConfig | undefined;
}

export interface PolicyConfig {
  /** Publish the power feed. */
  readonly isPublished: boolean;
  readonly validityWindows: number;
  readonly budgets: readonly Budget[];
  readonly batch: readonly BudgetMatch[];
  /** 0..1 of a package's limit. */
  readonly headroomReserve: number;
  /** Undefined: no hints are written. */
  readonly layeredHints: string | undefined;
}

export interface AgentConfig {
  readonly socketPath: string;
  readonly pinDirectory: string;
  readonly stateDirectory: string;
}

export interface SpinConfig {
  readonly isEnabled: boolean;
  /** See spin/pollers.ts. */
  readonly pollers: readonly string[];
  readonly maxExamined: number;
  /** Of one CPU, for deciding. */
  readonly cpuRatio: number;
}

export type LogLevel = 'error' | 'warn' | 'info' | 'debug';

export interface Config {
  readonly windowMillis: number;
  readonly roots: HostRoots;
  readonly accounting: AccountingConfig;
  readonly energy: EnergyConfig;
  readonly attribution: AttributionConfig;
  readonly dram: DramConfig;
  readonly ledger: LedgerConfig;
  readonly identity: {
    readonly criSocket: string | undefined;
    readonly commandLine: 'off' | 'redacted' | 'full';
  };
  readonly export: ExportConfig;
  readonly policy: PolicyConfig;
  readonly spin: SpinConfig;
  readonly agent: AgentConfig;
  readonly log: { readonly level: LogLevel };
}
