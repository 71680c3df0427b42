// SPDX-License-Identifier: Apache-2.0
/**
 * One slice of one task on one CPU, closed at a switch or at the window's edge, and booked as the
 * accounting program books it: with slice means, not with what happened inside.
 */
import type { Thread } from './load.js';
import type { TaskRow } from './task-row.js';

/** SMT-shared part of a cycle that stays with each thread; models.md 2.3 and the kernel's parameter. */
const SHARED_CYCLE_RATIO = 0.52;
const SHARED_TIME_DISCOUNT = 0.45;
/** A slice of which less was counted is uncounted; as in the kernel program. */
const LEAST_COUNTED_RATIO = 1 / 64;

export class Slice {
  public nanos = 0;
  public runtimeNanos = 0;
  public overlapNanos = 0;
  public packageOnNanos = 0;
  public cycles = 0;
  public accesses = 0;
  /** Part of `nanos` in which the events had the counters; the next are of that time. */
  public countedNanos = 0;
  public rawCycles = 0;
  public rawOverlapCycles = 0;
  public rawInstructions = 0;
  public rawMisses = 0;
  public rawVectorOps = 0;
  public rawVector512Ops = 0;

  public constructor(public readonly thread: Thread) {}

  /** 0..1: what of it the kernel program takes as counted. */
  public get countedRatio(): number {
    const ratio = this.nanos > 0 ? this.countedNanos / this.nanos : 0;
    return ratio < LEAST_COUNTED_RATIO ? 0 : ratio;
  }

  /** `phi`: energy of a cycle at this clock beside one at the reference clock; `baseGigahertz`: of the reference cycles. */
  public close(
    cpuDomain: number,
    phi: (gigahertz: number) => number,
    baseGigahertz: number,
    endedBy: 'switch' | 'sleep' | 'flush',
  ): void {
    const row = this.thread.rowOn(cpuDomain);
    if (this.nanos > 0) {
      row.runtimeNanos += this.runtimeNanos;
      row.sliceNanos += this.nanos;
      row.overlapNanos += this.overlapNanos;
      row.packageOnNanos += this.packageOnNanos;
      row.accesses += this.accesses;
      row.referenceCycles += baseGigahertz * this.nanos;
      row.rawCycles += this.rawCycles;
      row.rawOverlapCycles += this.rawOverlapCycles;
      row.rawInstructions += this.rawInstructions;
      row.rawMisses += this.rawMisses;
      this.weigh(row, phi);
    }
    if (endedBy === 'sleep') row.voluntarySwitches += 1;
    if (endedBy === 'switch') row.involuntarySwitches += 1;
  }

  private weigh(row: TaskRow, phi: (gigahertz: number) => number): void {
    const gigahertz = this.cycles / this.nanos;
    // cpufreq says the clock even where the counters do not.
    const byClock =
      phi(gigahertz) * gigahertz * (this.nanos - SHARED_TIME_DISCOUNT * this.overlapNanos);
    row.clockPhiCycles += byClock;
    const ratio = this.countedRatio;
    row.uncountedNanos += this.runtimeNanos * (1 - ratio);
    row.uncountedOverlapNanos += this.overlapNanos * (1 - ratio);
    if (ratio === 0) {
      row.uncountedPhiCycles += byClock;
      return;
    }
    const factor = phi(this.rawCycles / this.countedNanos);
    const coRatio = this.overlapNanos / this.nanos;
    const phiCycles = factor * this.rawCycles * (1 - (1 - SHARED_CYCLE_RATIO) * coRatio);
    row.cycles += this.rawCycles;
    row.instructions += this.rawInstructions;
    row.llcMisses += this.rawMisses;
    row.vectorOps += this.rawVectorOps;
    row.phiCycles += phiCycles;
    row.phiInstructions += factor * this.rawInstructions;
    row.phiVector += factor * (this.rawVectorOps + this.rawVector512Ops);
    row.uncountedPhiCycles += phiCycles / ratio - phiCycles;
  }
}
