// SPDX-License-Identifier: Apache-2.0
/** The records behind a window's header, one function per struct of records.h. */
import type {
  AccountingStats,
  CpuSample,
  OverflowSample,
  RawReading,
  TaskSample,
} from '../model/activity.js';
import type { CommCache } from './comm-cache.js';
import type { RecordsLayout } from './layout.js';
import type { Words } from './words.js';

const WORD_BYTES = 8;

export const rows = <T>(
  from: number,
  to: number,
  sizeBytes: number,
  decode: (at: number) => T,
): T[] => {
  const decoded: T[] = [];
  for (let at = from; at < to; at += sizeBytes) decoded.push(decode(at));
  return decoded;
};

const decodeStats = (words: Words, layout: RecordsLayout, at: number): AccountingStats => {
  const { acctStat } = layout;
  const stat = (index: number): number => words.count(at + index * WORD_BYTES);
  return {
    switches: stat(acctStat.switches),
    storageMisses: stat(acctStat.storageMiss),
    slotsExhausted: stat(acctStat.slotsExhausted),
    discontinuities: stat(acctStat.discontinuity),
    storageFailed: stat(acctStat.storageFailed),
    forks: stat(acctStat.forks),
    exits: stat(acctStat.exits),
    flushes: stat(acctStat.flushes),
    cgroupMoves: stat(acctStat.cgroupMoves),
    overflowCgroupFull: stat(acctStat.overflowCgroupFull),
  };
};

export const decodeCpu = (words: Words, layout: RecordsLayout, at: number): CpuSample => {
  const { offset } = layout.windowCpu;
  return {
    cpu: words.u32(at + offset.cpu),
    cpuDomain: words.u32(at + offset.cpuDomain),
    isOnline: words.u32(at + offset.online) !== 0,
    taskNanos: words.duration(at + offset.taskNs),
    busyNanos: words.duration(at + offset.busyNs),
    unslottedNanos: words.duration(at + offset.unslottedNs),
    overflowNanos: words.duration(at + offset.overflowNs),
    irqNanos: words.durationIfKnown(at + offset.irqNs),
    stealNanos: words.durationIfKnown(at + offset.stealNs),
    countedNanos: words.duration(at + offset.countedNs),
    cycles: words.count(at + offset.cycles),
    instructions: words.count(at + offset.instructions),
    predictedCoreNanojoules: words.count(at + offset.predictedCoreNj),
    counterFailures: words.count(at + offset.counterFailures),
    multiplexedNanos: words.duration(at + offset.multiplexedNs),
    frequencyKhz: words.u32(at + offset.frequencyKhz) || undefined,
    isCounting: words.u32(at + offset.counterKinds) !== 0,
    stats: decodeStats(words, layout, at + offset.stat),
  };
};

/** Text of an energy file byte by byte: whoever parses it decides what is a number. */
const rawText = (bytes: Uint8Array, at: number, lengthBytes: number): string =>
  String.fromCharCode(...bytes.subarray(at, at + lengthBytes));

export const decodeReading = (
  words: Words,
  layout: RecordsLayout,
  at: number,
): RawReading | { readonly _tag: 'UnknownKind'; readonly kind: number } => {
  const { windowSource, windowSourceKind } = layout;
  const { offset } = windowSource;
  const kind = words.u32(at + offset.kind);
  const errno = words.u32(at + offset.error);
  const beforeNanos = words.clock(at + offset.beforeNs);
  const afterNanos = words.clock(at + offset.afterNs);
  if (kind === windowSourceKind.file) {
    const textLength = words.u32(at + offset.textLen);
    const kept = Math.min(textLength, windowSource.length.text);
    const text = rawText(words.bytes, at + offset.text, kept);
    return { _tag: 'FileReading', text, textLength, errno, beforeNanos, afterNanos };
  }
  if (kind !== windowSourceKind.perf) return { _tag: 'UnknownKind', kind };
  return {
    _tag: 'PerfReading',
    value: words.u64(at + offset.value),
    enabledNanos: words.u64(at + offset.enabledNs),
    runningNanos: words.u64(at + offset.runningNs),
    errno,
    beforeNanos,
    afterNanos,
  };
};

export const decodeOverflow = (words: Words, layout: RecordsLayout, at: number): OverflowSample => {
  const { offset } = layout.windowOverflow;
  return {
    cgroupId: words.u64(at + offset.cgroupId),
    cpuDomain: words.u32(at + offset.cpuDomain),
    runtimeNanos: words.duration(at + offset.runtimeNs),
  };
};

export const taskDecoder = (layout: RecordsLayout, comms: CommCache) => {
  const { windowTask, slotFlag, counterKind } = layout;
  const { offset } = windowTask;
  const counterAt = (kind: number): number => offset.counter + kind * WORD_BYTES;
  const cyclesAt = counterAt(counterKind.cycles);
  const instructionsAt = counterAt(counterKind.instructions);
  const llcMissesAt = counterAt(counterKind.llcMisses);
  const vectorOpsAt = counterAt(counterKind.vectorOps);
  const commBytes = windowTask.length.comm;
  return (words: Words, at: number): TaskSample => {
    const flags = words.u32(at + offset.flags);
    return {
      slot: words.u32(at + offset.slot),
      sequence: words.u32(at + offset.sequence),
      tid: words.u32(at + offset.tid),
      tgid: words.u32(at + offset.tgid),
      parentTgid: words.u32(at + offset.parentTgid),
      uid: words.u32(at + offset.uid),
      tag: words.u32(at + offset.tag),
      cpuDomain: words.u32(at + offset.cpuDomain),
      startBoottimeNanos: words.clock(at + offset.startBoottimeNs),
      processStartBoottimeNanos: words.clock(at + offset.leaderStartBoottimeNs),
      cgroupId: words.u64(at + offset.cgroupId),
      comm: comms.nameAt(words, at + offset.comm, commBytes),
      processComm: comms.nameAt(words, at + offset.leaderComm, commBytes),
      runtimeNanos: words.duration(at + offset.runtimeNs),
      sliceNanos: words.duration(at + offset.sliceNs),
      overlapNanos: words.duration(at + offset.overlapNs),
      uncountedNanos: words.duration(at + offset.uncountedNs),
      uncountedOverlapNanos: words.duration(at + offset.uncountedOverlapNs),
      cycles: words.count(at + cyclesAt),
      instructions: words.count(at + instructionsAt),
      llcMisses: words.count(at + llcMissesAt),
      vectorOps: words.count(at + vectorOpsAt),
      phiCycles: words.count(at + offset.phiCycles),
      phiInstructions: words.count(at + offset.phiInstructions),
      phiVector: words.count(at + offset.phiVector),
      uncountedPhiCycles: words.count(at + offset.uncountedPhiCycles),
      packageOnNanos: words.duration(at + offset.packageOnNs),
      queueWaitNanos: words.duration(at + offset.queueWaitNs),
      predictedCoreNanojoules: words.count(at + offset.predictedCoreNj),
      predictedNanojoules: words.count(at + offset.predictedNj),
      voluntarySwitches: words.count(at + offset.voluntarySwitches),
      involuntarySwitches: words.count(at + offset.involuntarySwitches),
      migrations: words.count(at + offset.migrations),
      isKernelThread: (flags & slotFlag.kthread) !== 0,
      isPreexisting: (flags & slotFlag.preexisting) !== 0,
      isFirst: (flags & slotFlag.first) !== 0,
      isDead: (flags & slotFlag.dead) !== 0,
      isGroupDead: (flags & slotFlag.groupDead) !== 0,
    };
  };
};
