// SPDX-License-Identifier: Apache-2.0
/** How much the ledger holds. Beyond it the remainders take over: totals stay whole, detail is lost. */
export interface LedgerLimits {
  readonly maxProcesses: number;
  readonly maxExited: number;
  readonly maxCgroups: number;
  /** On each of the levels above: containers, pods, jobs, units. */
  readonly maxWorkloads: number;
  readonly maxThreads: number;
  /** Ended threads kept until they are exported; 0: nobody exports them. */
  readonly maxExitedThreads: number;
  readonly maxNames: number;
  readonly maxUsers: number;
}

export const DEFAULT_LEDGER_LIMITS: LedgerLimits = {
  /** Twice the 10,000 tasks that the budget speaks of; about 0.7 KiB each. */
  maxProcesses: 20_000,
  /** A minute between exports at 80 exits a second. */
  maxExited: 5_000,
  /** Kubernetes allows 110 pods a node by default, a handful of cgroups each. */
  maxCgroups: 10_000,
  maxWorkloads: 10_000,
  maxThreads: 50_000,
  maxExitedThreads: 0,
  maxNames: 4_096,
  maxUsers: 1_024,
};
