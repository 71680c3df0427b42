// SPDX-License-Identifier: Apache-2.0
/**
 * What the exporter must be told about the agent itself. The agent (or SelfTotals, which keeps the sums) is
 * the real instance. Every sum counts from the agent's start and only rises.
 */
import type { ProgramStats } from '../activity/port.js';
import type { PackageCalibration } from '../attribution/calibration/calibration.js';
import type { AccountingStats } from '../model/activity.js';
import type { SpinningThread } from '../model/spin.js';
import type { WindowReport } from '../model/window.js';

export type WindowStage = 'flush' | 'energy' | 'scan' | 'attribution';

export interface SelfView {
  /** The last window booked; undefined until there is one. */
  readonly lastWindow: () => WindowReport | undefined;
  readonly windowCount: () => number;
  /** Most nanoseconds that a window was late since the previous call; each call begins anew. */
  readonly takeMaxLatenessNanos: () => number;
  readonly stageNanos: () => Readonly<Record<WindowStage, bigint>>;
  readonly accounting: () => Readonly<Record<keyof AccountingStats, bigint>>;
  /** Losses by name, as the ledger says them; those of `accounting` may be among them. */
  readonly losses: () => Readonly<Record<string, number>>;
  /** One per package; empty where nothing is calibrated. */
  readonly calibration: () => readonly PackageCalibration[];
  /** Empty while kernel.bpf_stats is off. */
  readonly programs: () => readonly ProgramStats[];
  /** Empty while nobody looks for threads that spin. */
  readonly spin: () => readonly SpinningThread[];
  readonly agentProcess: () => {
    readonly userNanos: bigint;
    readonly systemNanos: bigint;
    readonly residentBytes: number;
  };
}
