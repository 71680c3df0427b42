// SPDX-License-Identifier: Apache-2.0
/**
 * One slice of one task on one CPU, closed at a switch or at the window's edge, and booked as the
 * accounting program books it: with slice means, not with what happened inside.
 */
import type { Thread } from './load.js';

/** SMT-shared part of a cycle that stays with each thread; models.md 2.3 and the kernel's parameter. */
const SHARED_CYCLE_RATIO = 0.52;
const SHARED_TIME_DISCOUNT = 0.45;

export class Slice {
  public nanos = 0;
  public runtimeNanos = 0;
  public overlapNanos = 0;
  public packageOnNanos = 0;
  public cycles = 0;
  public instructions = 0;
  public llcMisses = 0;
  public vectorOps = 0;
  public accesses = 0;
  public rawCycles = 0;
  public rawOverlapCycles = 0;
  public rawInstructions = 0;
  public rawMisses = 0;
  /** The events were running all the time. */
  public isCounted = true;

  public constructor(public readonly thread: Thread) {}

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
      const gigahertz = this.cycles / this.nanos;
      const factor = phi(gigahertz);
      // cpufreq says the clock even where the counters do not.
      const byClock = factor * gigahertz * (this.nanos - SHARED_TIME_DISCOUNT * this.overlapNanos);
      row.clockPhiCycles += byClock;
      if (this.isCounted) {
        const coRatio = this.overlapNanos / this.nanos;
        row.cycles += this.cycles;
        row.instructions += this.instructions;
        row.llcMisses += this.llcMisses;
        row.vectorOps += this.vectorOps;
        row.phiCycles += factor * this.cycles * (1 - (1 - SHARED_CYCLE_RATIO) * coRatio);
        row.phiInstructions += factor * this.instructions;
        row.phiVector += factor * this.vectorOps;
      } else {
        row.uncountedNanos += this.runtimeNanos;
        row.uncountedOverlapNanos += this.overlapNanos;
        row.uncountedPhiCycles += byClock;
      }
    }
    if (endedBy === 'sleep') row.voluntarySwitches += 1;
    if (endedBy === 'switch') row.involuntarySwitches += 1;
  }
}
