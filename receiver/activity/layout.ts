// SPDX-License-Identifier: Apache-2.0
/**
 * What the decoder needs to know of records.h: the shape of the generated native/layout.generated.ts
 * without importing it, so that decoding stays free of native code. Offsets and sizes in bytes.
 */
export interface StructLayout<Member extends string> {
  readonly sizeBytes: number;
  readonly offset: Readonly<Record<Member, number>>;
}

export type HeaderMember =
  | 'index'
  | 'sizeBytes'
  | 'startNs'
  | 'flushStartNs'
  | 'flushEndNs'
  | 'energyEndNs'
  | 'scanEndNs'
  | 'boottimeOffsetNs'
  | 'realtimeNs'
  | 'dueNs'
  | 'threadCpuNs'
  | 'cpuCount'
  | 'sourceCount'
  | 'overflowCount'
  | 'taskCount'
  | 'slotsUsed'
  | 'slotsLimit'
  | 'flushedCpus'
  | 'flags';

export type CpuMember =
  | 'cpu'
  | 'cpuDomain'
  | 'taskNs'
  | 'busyNs'
  | 'unslottedNs'
  | 'overflowNs'
  | 'irqNs'
  | 'stealNs'
  | 'countedNs'
  | 'cycles'
  | 'instructions'
  | 'predictedCoreNj'
  | 'counterFailures'
  | 'multiplexedNs'
  | 'frequencyKhz'
  | 'counterKinds'
  | 'online'
  | 'stat';

export type SourceMember =
  | 'kind'
  | 'error'
  | 'beforeNs'
  | 'afterNs'
  | 'value'
  | 'enabledNs'
  | 'runningNs'
  | 'textLen'
  | 'text';

export type OverflowMember = 'cgroupId' | 'runtimeNs' | 'cpuDomain';

export type TaskMember =
  | 'runtimeNs'
  | 'sliceNs'
  | 'overlapNs'
  | 'voluntarySwitches'
  | 'involuntarySwitches'
  | 'migrations'
  | 'uncountedNs'
  | 'counter'
  | 'phiCycles'
  | 'phiInstructions'
  | 'phiVector'
  | 'uncountedPhiCycles'
  | 'uncountedOverlapNs'
  | 'packageOnNs'
  | 'predictedCoreNj'
  | 'predictedNj'
  | 'queueWaitNs'
  | 'startBoottimeNs'
  | 'leaderStartBoottimeNs'
  | 'cgroupId'
  | 'slot'
  | 'sequence'
  | 'tid'
  | 'tgid'
  | 'cpuDomain'
  | 'tag'
  | 'uid'
  | 'flags'
  | 'parentTgid'
  | 'comm'
  | 'leaderComm';

export type StatName =
  | 'switches'
  | 'storageMiss'
  | 'slotsExhausted'
  | 'discontinuity'
  | 'storageFailed'
  | 'forks'
  | 'exits'
  | 'flushes'
  | 'cgroupMoves'
  | 'overflowCgroupFull';

/** The module native/layout.generated.ts as a whole satisfies this. */
export interface RecordsLayout {
  readonly windowHeader: StructLayout<HeaderMember>;
  readonly windowCpu: StructLayout<CpuMember>;
  readonly windowSource: StructLayout<SourceMember> & {
    readonly length: { readonly text: number };
  };
  readonly windowOverflow: StructLayout<OverflowMember>;
  readonly windowTask: StructLayout<TaskMember> & { readonly length: { readonly comm: number } };
  readonly slotFlag: Readonly<
    Record<'kthread' | 'groupDead' | 'preexisting' | 'first' | 'dead', number>
  >;
  /** Index of each counter in window_task.counter; its bit in window_cpu.counter_kinds. */
  readonly counterKind: Readonly<
    Record<'cycles' | 'instructions' | 'llcMisses' | 'vectorOps', number>
  >;
  readonly windowFlag: Readonly<Record<'final' | 'reseeded' | 'forced', number>>;
  readonly windowSourceKind: Readonly<Record<'file' | 'perf', number>>;
  /** Index of each event count in window_cpu.stat. */
  readonly acctStat: Readonly<Record<StatName, number>>;
}
