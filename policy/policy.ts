// SPDX-License-Identifier: Apache-2.0
/** What is decided for one window, in watts and ratios: `encode.ts` makes the feed's records of it. */

export type WorkloadClass = 'unknown' | 'compute' | 'memory-bound' | 'spinning' | 'latency';

export interface CgroupPolicy {
  readonly id: bigint;
  readonly path: string;
  /** Own tasks and those of all cgroups below. */
  readonly watts: number;
  readonly dramWatts: number;
  /** The cgroup at or above this one whose budget binds; undefined: none. */
  readonly budgetOwner: bigint | undefined;
  readonly budgetWatts: number | undefined;
  /** Power ÷ budget over the burst window; undefined without a budget. */
  readonly overRatio: number | undefined;
  readonly burstMillis: number;
  readonly isOverBudget: boolean;
  readonly isBursting: boolean;
  readonly isBatch: boolean;
  readonly isWorkConserving: boolean;
  readonly workload: WorkloadClass;
  /** 1 = as fast as the clock, 0 = waits for memory only; undefined: not known. */
  readonly frequencySensitivity: number | undefined;
  readonly energyPerInstructionNanojoules: number | undefined;
  /** Seconds of run-queue wait per second. */
  readonly queueWaitRatio: number;
  readonly spinRatio: number | undefined;
  /** For a batch cgroup below a limited package. */
  readonly headroomBudgetWatts: number | undefined;
}

export interface PackagePolicy {
  readonly packageId: number;
  readonly watts: number;
  readonly limitWatts: number | undefined;
  readonly headroomWatts: number;
  readonly overWatts: number;
  readonly idleFloorWatts: number | undefined;
  readonly coreWatts: number | undefined;
  readonly dramWatts: number | undefined;
  readonly batchBudgetWatts: number | undefined;
  /** Measured active energy ÷ predicted; undefined: not known. */
  readonly predictionScale: number | undefined;
  readonly busyRatio: number;
  readonly isMeasured: boolean;
}

export interface CpuPolicy {
  readonly cpu: number;
  readonly packageId: number;
  readonly coreWatts: number | undefined;
  readonly frequencyKhz: number | undefined;
  readonly busyRatio: number;
  readonly siblingWatts: number;
  readonly idleCoreWatts: number;
  readonly idlePackageWatts: number;
}

export type FeedSource = 'measured' | 'modelled' | 'simulated';

export interface Policy {
  readonly source: FeedSource;
  readonly split: 'counters' | 'time' | 'nothing';
  readonly windowSeconds: number;
  /** Mean power of a busy CPU, for turning energy into time. Above 0. */
  readonly referenceWatts: number;
  readonly cgroups: readonly CgroupPolicy[];
  readonly packages: readonly PackagePolicy[];
  readonly cpus: readonly CpuPolicy[];
}

/** One line of `policy.budgets`. */
export interface Budget {
  readonly match: BudgetMatch;
  readonly watts: number;
  /** Energy of this long at the budget may be used ahead. */
  readonly burstMillis: number;
  readonly isWorkConserving: boolean;
}

/** Whom a line of the configuration means. */
export type BudgetMatch =
  | { readonly _tag: 'Path'; readonly path: string }
  | { readonly _tag: 'Container'; readonly id: string }
  | { readonly _tag: 'Unit'; readonly unit: string }
  | { readonly _tag: 'Name'; readonly name: string };

export interface PolicySettings {
  readonly budgets: readonly Budget[];
  /** Cgroups that may be held back for the package's headroom. */
  readonly batch: readonly BudgetMatch[];
  /** Part of a package's limit that batch work leaves free, 0..1. */
  readonly headroomReserve: number;
  readonly maxCgroups: number;
}
