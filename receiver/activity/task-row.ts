// SPDX-License-Identifier: Apache-2.0
/**
 * One task of a window. A row can be filled again: 1,000 fresh objects a second, of 900 bytes each, outlive the
 * young generation while their window is split, and V8 then has to sweep all of them out of the old one.
 */
import type { TaskSample } from '../model/activity.js';
import { nanos, windowNanos } from '../model/units.js';
import type { CommCache } from './comm-cache.js';
import type { RecordsLayout } from './layout.js';
import type { Words } from './words.js';

const WORD_BYTES = 8;
/** Rows, 0.6 MiB of them, that are never given back. */
const LEAST_KEPT = 1000;

export class TaskRow implements TaskSample {
  public slot = 0;
  public sequence = 0;
  public tid = 0;
  public tgid = 0;
  public parentTgid = 0;
  public uid = 0;
  public tag = 0;
  public cpuDomain = 0;
  public startBoottimeNanos = nanos(0n);
  public processStartBoottimeNanos = nanos(0n);
  public cgroupId = 0n;
  public comm = '';
  public processComm = '';
  public runtimeNanos = windowNanos(0);
  public sliceNanos = windowNanos(0);
  public overlapNanos = windowNanos(0);
  public uncountedNanos = windowNanos(0);
  public uncountedOverlapNanos = windowNanos(0);
  public cycles = 0;
  public instructions = 0;
  public llcMisses = 0;
  public vectorOps = 0;
  public phiCycles = 0;
  public phiInstructions = 0;
  public phiVector = 0;
  public uncountedPhiCycles = 0;
  public packageOnNanos = windowNanos(0);
  public queueWaitNanos = windowNanos(0);
  public predictedCoreNanojoules = 0;
  public predictedNanojoules = 0;
  public voluntarySwitches = 0;
  public involuntarySwitches = 0;
  public migrations = 0;
  public isKernelThread = false;
  public isPreexisting = false;
  public isFirst = false;
  public isDead = false;
  public isGroupDead = false;
}

/** Fills a row from the bytes at `at`. */
export const taskFiller = (layout: RecordsLayout, comms: CommCache) => {
  const { windowTask, slotFlag, counterKind } = layout;
  const { offset } = windowTask;
  const counterAt = (kind: number): number => offset.counter + kind * WORD_BYTES;
  const cyclesAt = counterAt(counterKind.cycles);
  const instructionsAt = counterAt(counterKind.instructions);
  const llcMissesAt = counterAt(counterKind.llcMisses);
  const vectorOpsAt = counterAt(counterKind.vectorOps);
  const commBytes = windowTask.length.comm;
  return (row: TaskRow, words: Words, at: number): void => {
    const flags = words.u32(at + offset.flags);
    row.slot = words.u32(at + offset.slot);
    row.sequence = words.u32(at + offset.sequence);
    row.tid = words.u32(at + offset.tid);
    row.tgid = words.u32(at + offset.tgid);
    row.parentTgid = words.u32(at + offset.parentTgid);
    row.uid = words.u32(at + offset.uid);
    row.tag = words.u32(at + offset.tag);
    row.cpuDomain = words.u32(at + offset.cpuDomain);
    row.startBoottimeNanos = words.clock(at + offset.startBoottimeNs);
    row.processStartBoottimeNanos = words.clock(at + offset.leaderStartBoottimeNs);
    row.cgroupId = words.u64(at + offset.cgroupId);
    row.comm = comms.nameAt(words, at + offset.comm, commBytes);
    row.processComm = comms.nameAt(words, at + offset.leaderComm, commBytes);
    row.runtimeNanos = words.duration(at + offset.runtimeNs);
    row.sliceNanos = words.duration(at + offset.sliceNs);
    row.overlapNanos = words.duration(at + offset.overlapNs);
    row.uncountedNanos = words.duration(at + offset.uncountedNs);
    row.uncountedOverlapNanos = words.duration(at + offset.uncountedOverlapNs);
    row.cycles = words.count(at + cyclesAt);
    row.instructions = words.count(at + instructionsAt);
    row.llcMisses = words.count(at + llcMissesAt);
    row.vectorOps = words.count(at + vectorOpsAt);
    row.phiCycles = words.count(at + offset.phiCycles);
    row.phiInstructions = words.count(at + offset.phiInstructions);
    row.phiVector = words.count(at + offset.phiVector);
    row.uncountedPhiCycles = words.count(at + offset.uncountedPhiCycles);
    row.packageOnNanos = words.duration(at + offset.packageOnNs);
    row.queueWaitNanos = words.duration(at + offset.queueWaitNs);
    row.predictedCoreNanojoules = words.count(at + offset.predictedCoreNj);
    row.predictedNanojoules = words.count(at + offset.predictedNj);
    row.voluntarySwitches = words.count(at + offset.voluntarySwitches);
    row.involuntarySwitches = words.count(at + offset.involuntarySwitches);
    row.migrations = words.count(at + offset.migrations);
    row.isKernelThread = (flags & slotFlag.kthread) !== 0;
    row.isPreexisting = (flags & slotFlag.preexisting) !== 0;
    row.isFirst = (flags & slotFlag.first) !== 0;
    row.isDead = (flags & slotFlag.dead) !== 0;
    row.isGroupDead = (flags & slotFlag.groupDead) !== 0;
  };
};

/** Rows that are kept from window to window; `isReusing` false: fresh ones each time. */
export class RowPool {
  private readonly kept: TaskRow[] = [];

  public constructor(private readonly isReusing: boolean) {}

  public take(count: number): readonly TaskRow[] {
    if (!this.isReusing) return Array.from({ length: count }, () => new TaskRow());
    while (this.kept.length < count) this.kept.push(new TaskRow());
    // A storm's rows are not kept for ever.
    if (this.kept.length > 2 * count + LEAST_KEPT) this.kept.length = count + LEAST_KEPT;
    return this.kept.slice(0, count);
  }
}
