// SPDX-License-Identifier: Apache-2.0
/** Sums up windows into what the exporter says about the agent. */
import type { ProgramStats } from '../activity/port.js';
import type { PackageCalibration } from '../attribution/calibration/calibration.js';
import type { AccountingStats } from '../model/activity.js';
import type { SpinningThread } from '../model/spin.js';
import type { WindowReport } from '../model/window.js';
import type { SelfView, WindowStage } from './self-view.js';

const NANOS_PER_MICROSECOND = 1_000n;

const ACCOUNTING_KEYS = [
  'switches',
  'storageMisses',
  'slotsExhausted',
  'discontinuities',
  'storageFailed',
  'forks',
  'exits',
  'flushes',
  'cgroupMoves',
  'overflowCgroupFull',
] as const satisfies readonly (keyof AccountingStats)[];

export class SelfTotals implements SelfView {
  #last: WindowReport | undefined;
  #windows = 0;
  #maxLatenessNanos = 0;
  #spin: () => readonly SpinningThread[] = () => [];
  readonly #stages = { flush: 0n, energy: 0n, scan: 0n, attribution: 0n };
  readonly #accounting = {
    switches: 0n,
    storageMisses: 0n,
    slotsExhausted: 0n,
    discontinuities: 0n,
    storageFailed: 0n,
    forks: 0n,
    exits: 0n,
    flushes: 0n,
    cgroupMoves: 0n,
    overflowCgroupFull: 0n,
  };

  constructor(
    private readonly programStats: () => readonly ProgramStats[],
    /** The ledger's losses, since start. */
    readonly losses: () => Readonly<Record<string, number>>,
    readonly calibration: () => readonly PackageCalibration[] = () => [],
  ) {}

  /** From here on `spin` says what the watch says. */
  watchSpin(totals: () => readonly SpinningThread[]): void {
    this.#spin = totals;
  }

  /** One window and the nanoseconds its stages took. */
  book(report: WindowReport, stageNanos: Readonly<Record<WindowStage, number>>): void {
    this.#last = report;
    this.#windows += 1;
    this.#maxLatenessNanos = Math.max(this.#maxLatenessNanos, report.lateNanos);
    for (const key of ACCOUNTING_KEYS) this.#accounting[key] += BigInt(report.stats[key]);
    this.#stages.flush += BigInt(Math.round(stageNanos.flush));
    this.#stages.energy += BigInt(Math.round(stageNanos.energy));
    this.#stages.scan += BigInt(Math.round(stageNanos.scan));
    this.#stages.attribution += BigInt(Math.round(stageNanos.attribution));
  }

  readonly spin = (): readonly SpinningThread[] => this.#spin();
  readonly lastWindow = (): WindowReport | undefined => this.#last;
  readonly windowCount = (): number => this.#windows;
  readonly stageNanos = () => this.#stages;
  readonly accounting = () => this.#accounting;
  readonly programs = (): readonly ProgramStats[] => this.programStats();

  readonly takeMaxLatenessNanos = (): number => {
    const most = this.#maxLatenessNanos;
    this.#maxLatenessNanos = 0;
    return most;
  };

  readonly agentProcess = () => {
    const { user, system } = process.cpuUsage();
    return {
      userNanos: BigInt(user) * NANOS_PER_MICROSECOND,
      systemNanos: BigInt(system) * NANOS_PER_MICROSECOND,
      residentBytes: process.memoryUsage.rss(),
    };
  };
}
