// SPDX-License-Identifier: Apache-2.0
/** The records behind a window's header, one function per struct of records.h. */
import type { AccountingStats, CpuSample, OverflowSample, RawReading } from '../model/activity.js';
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
