// SPDX-License-Identifier: Apache-2.0
/** What the accounting program would have added to one slot in one window. Numbers in ns, events and their products. */
export class TaskRow {
  public runtimeNanos = 0;
  public sliceNanos = 0;
  public overlapNanos = 0;
  public uncountedNanos = 0;
  public uncountedOverlapNanos = 0;
  public cycles = 0;
  public instructions = 0;
  public llcMisses = 0;
  public vectorOps = 0;
  public phiCycles = 0;
  public phiInstructions = 0;
  public phiVector = 0;
  public uncountedPhiCycles = 0;
  public packageOnNanos = 0;
  public voluntarySwitches = 0;
  public involuntarySwitches = 0;
  /** No agent sees this one: for the seed's split of DRAM by load and store events. */
  public accesses = 0;
  /** What the events counted while they were running, whole slice or not: what other tools use. */
  public rawCycles = 0;
  public rawOverlapCycles = 0;
  public rawInstructions = 0;
  public rawMisses = 0;
  /** What `uncountedPhiCycles` were if nothing were counted: of a machine without hardware counters. */
  public clockPhiCycles = 0;
  /** Reference cycles: of a clock that knows no frequency. */
  public referenceCycles = 0;

  public get hasRun(): boolean {
    return this.sliceNanos > 0;
  }
}
