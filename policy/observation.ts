// SPDX-License-Identifier: Apache-2.0
/** What one window says about power: the input of `decide`. Built by observe.ts from the agent's window. */
import type { EnergyOrigin, SplitMethod } from '../receiver/model/energy-domain.js';

export interface CgroupObservation {
  /** Inode of the v2 directory. */
  readonly id: bigint;
  /** Below the hierarchy's root; `/` for the root. */
  readonly path: string;
  /** Own tasks only. */
  readonly packageWatts: number;
  readonly dramWatts: number;
  /** CPU time ÷ window; 1 = one CPU. */
  readonly cpuRatio: number;
  /** Of counted slices; 0 where nothing was counted. */
  readonly instructions: number;
  readonly llcMisses: number;
  /** Task time of those slices, seconds. */
  readonly countedSeconds: number;
  /** Run-queue wait of all tasks, seconds. */
  readonly queueWaitSeconds: number;
  readonly voluntarySwitches: number;
  readonly involuntarySwitches: number;
  /** Part of the power that spins, 0..1; undefined: nobody has judged it. */
  readonly spinRatio: number | undefined;
}

export interface PackageObservation {
  readonly packageId: number;
  /** Undefined: the window gave no reading of this package. */
  readonly watts: number | undefined;
  /** Long-term constraint of powercap; undefined: none known. */
  readonly limitWatts: number | undefined;
  /** Undefined: not known yet. */
  readonly idleFloorWatts: number | undefined;
  readonly coreWatts: number | undefined;
  readonly dramWatts: number | undefined;
  readonly origin: EnergyOrigin;
  /** Busy time of its CPUs ÷ (CPUs x window). */
  readonly busyRatio: number;
  readonly cpuCount: number;
  /** What the kernel predicted for its tasks; 0 = nothing. */
  readonly predictedWatts: number;
}

export interface CpuObservation {
  readonly cpu: number;
  readonly packageId: number;
  readonly busyRatio: number;
  readonly frequencyKhz: number | undefined;
  /** Predicted power of what ran on it, core part; undefined: not known. */
  readonly coreWatts: number | undefined;
  readonly placement: PlacementCost;
}

/** Marginal power of one more busy thread of average demand. */
export interface PlacementCost {
  readonly siblingWatts: number;
  readonly coreWatts: number;
  readonly packageWatts: number;
}

export interface Observation {
  readonly windowSeconds: number;
  readonly origin: EnergyOrigin;
  readonly split: SplitMethod;
  readonly cgroups: readonly CgroupObservation[];
  readonly packages: readonly PackageObservation[];
  readonly cpus: readonly CpuObservation[];
}
