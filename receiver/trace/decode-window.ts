// SPDX-License-Identifier: Apache-2.0
/** Records back to windows. One decoder per trace: it remembers who the slots are. Pure. */
import * as E from 'fp-ts/lib/Either.js';
import type { Surroundings } from '../agent/pipeline.js';
import { NO_STATS } from '../attribution/window-report.js';
import type {
  ActivityWindow,
  AccountingStats,
  CpuSample,
  RawReading,
  TaskSample,
} from '../model/activity.js';
import { nanos, windowNanos, type WindowNanos } from '../model/units.js';
import type { LineDefect } from './parse-line.js';
import type { WindowRecord, WireCpu, WireIdentity, WireReading, WireTask } from './wire.js';

const time = (text: string) => nanos(BigInt(text));
const duration = (value: number | undefined): WindowNanos => windowNanos(value ?? 0);
const durationIfKnown = (value: number | null | undefined): WindowNanos | undefined =>
  value === null || value === undefined ? undefined : windowNanos(value);

const taskOf = (who: WireIdentity, row: WireTask): TaskSample => ({
  slot: who.slot,
  sequence: who.sequence,
  tid: who.tid,
  tgid: who.tgid,
  parentTgid: who.parentTgid,
  uid: who.uid,
  tag: who.tag,
  cpuDomain: row.cpuDomain,
  startBoottimeNanos: time(who.startBoottimeNanos),
  processStartBoottimeNanos: time(who.processStartBoottimeNanos ?? who.startBoottimeNanos),
  cgroupId: BigInt(who.cgroupId),
  comm: who.comm,
  processComm: who.processComm ?? who.comm,
  isKernelThread: who.kernelThread === true,
  isPreexisting: who.preexisting === true,
  runtimeNanos: duration(row.runtimeNanos),
  // A writer that knows no steal and no interrupts: a slice is as long as its task time.
  sliceNanos: duration(row.sliceNanos ?? row.runtimeNanos),
  overlapNanos: duration(row.overlapNanos),
  uncountedNanos: duration(row.uncountedNanos),
  uncountedOverlapNanos: duration(row.uncountedOverlapNanos),
  cycles: row.cycles ?? 0,
  instructions: row.instructions ?? 0,
  llcMisses: row.llcMisses ?? 0,
  vectorOps: row.vectorOps ?? 0,
  phiCycles: row.phiCycles ?? 0,
  phiInstructions: row.phiInstructions ?? 0,
  phiVector: row.phiVector ?? 0,
  uncountedPhiCycles: row.uncountedPhiCycles ?? 0,
  packageOnNanos: duration(row.packageOnNanos),
  queueWaitNanos: duration(row.queueWaitNanos),
  predictedCoreNanojoules: row.predictedCoreNanojoules ?? 0,
  predictedNanojoules: row.predictedNanojoules ?? 0,
  voluntarySwitches: row.voluntarySwitches ?? 0,
  involuntarySwitches: row.involuntarySwitches ?? 0,
  migrations: row.migrations ?? 0,
  isFirst: row.first === true,
  isDead: row.dead === true,
  isGroupDead: row.groupDead === true,
});

const statsOf = (stats: Readonly<Record<string, number>>): AccountingStats => {
  const count = (name: keyof AccountingStats): number => stats[name] ?? 0;
  return {
    ...NO_STATS,
    switches: count('switches'),
    storageMisses: count('storageMisses'),
    slotsExhausted: count('slotsExhausted'),
    discontinuities: count('discontinuities'),
    storageFailed: count('storageFailed'),
    forks: count('forks'),
    exits: count('exits'),
    flushes: count('flushes'),
    cgroupMoves: count('cgroupMoves'),
    overflowCgroupFull: count('overflowCgroupFull'),
  };
};

const cpuOf = (row: WireCpu): CpuSample => ({
  cpu: row.cpu,
  cpuDomain: row.cpuDomain,
  isOnline: row.online,
  taskNanos: duration(row.taskNanos),
  busyNanos: duration(row.busyNanos ?? row.taskNanos),
  unslottedNanos: duration(row.unslottedNanos),
  overflowNanos: duration(row.overflowNanos),
  irqNanos: durationIfKnown(row.irqNanos),
  stealNanos: durationIfKnown(row.stealNanos),
  countedNanos: duration(row.countedNanos),
  cycles: row.cycles ?? 0,
  instructions: row.instructions ?? 0,
  predictedCoreNanojoules: row.predictedCoreNanojoules ?? 0,
  counterFailures: row.counterFailures ?? 0,
  multiplexedNanos: duration(row.multiplexedNanos),
  frequencyKhz: row.frequencyKhz ?? undefined,
  isCounting: row.counting === true,
  stats: statsOf(row.stats),
});

export const readingOf = (row: WireReading): RawReading => {
  const times = {
    errno: row.errno ?? 0,
    beforeNanos: time(row.beforeNanos),
    afterNanos: time(row.afterNanos),
  };
  if (row.value === undefined) {
    const text = row.text ?? '';
    return { _tag: 'FileReading', text, textLength: row.textLength ?? text.length, ...times };
  }
  return {
    _tag: 'PerfReading',
    value: BigInt(row.value),
    // Not told: it counted all the time.
    enabledNanos: BigInt(row.enabledNanos ?? row.afterNanos),
    runningNanos: BigInt(row.runningNanos ?? row.enabledNanos ?? row.afterNanos),
    ...times,
  };
};

/** Stands for a task whose identity was in a line that is lost. */
const unknownIdentity = (slot: number): WireIdentity => ({
  slot,
  sequence: 0,
  tid: 0,
  tgid: 0,
  parentTgid: 0,
  uid: 0,
  tag: 0,
  startBoottimeNanos: '0',
  cgroupId: '0',
  comm: '(unknown)',
});

export class WindowDecoder {
  private readonly known = new Map<number, WireIdentity>();

  /** `isLenient`: a line before may be lost, and with it who a slot is. */
  public constructor(private readonly isLenient = false) {}

  /** Left: a row names a slot of which the trace has not said who it is. */
  public decode(record: WindowRecord): E.Either<LineDefect, ActivityWindow> {
    for (const identity of record.identities) this.known.set(identity.slot, identity);
    const tasks: TaskSample[] = [];
    for (const [at, row] of record.tasks.entries()) {
      const who =
        this.known.get(row.slot) ?? (this.isLenient ? unknownIdentity(row.slot) : undefined);
      if (who === undefined)
        return E.left({
          cause: `tasks[${at.toString()}].slot: ${row.slot.toString()} has no identity`,
        });
      tasks.push(taskOf(who, row));
      if (row.dead === true) this.known.delete(row.slot);
    }
    return E.right({
      index: BigInt(record.index),
      startNanos: time(record.startNanos),
      endNanos: time(record.endNanos),
      dueNanos: time(record.dueNanos ?? record.endNanos),
      flushNanos: duration(record.flushNanos),
      energyReadNanos: duration(record.energyReadNanos),
      scanNanos: duration(record.scanNanos),
      threadCpuNanos: duration(record.threadCpuNanos),
      boottimeOffsetNanos: time(record.boottimeOffsetNanos),
      realtimeNanos: time(record.realtimeNanos),
      slotsUsed: record.slotsUsed,
      slotsLimit: record.slotsLimit,
      flushedCpus: record.flushedCpus,
      isFinal: record.final === true,
      isReseeded: record.reseeded === true,
      isForced: record.forced === true,
      cpus: record.cpus.map(cpuOf),
      readings: record.readings.map(readingOf),
      overflow: record.overflow.map(({ cgroupId, cpuDomain, runtimeNanos }) => ({
        cgroupId: BigInt(cgroupId),
        cpuDomain,
        runtimeNanos: windowNanos(runtimeNanos),
      })),
      tasks,
    });
  }
}

/** What was read beside the window. */
export const surroundingsOf = ({
  memory,
  reservations,
  hasCoreScales,
}: WindowRecord): Surroundings => ({
  memory: memory && {
    nodeSharesOfCgroup: new Map(
      memory.nodeShares.map(({ cgroupId, shares }) => [BigInt(cgroupId), shares]),
    ),
    residentBytesOfProcess: new Map(memory.residentBytes.map(({ pid, bytes }) => [pid, bytes])),
  },
  reservations:
    reservations && new Map(reservations.map(({ cgroupId, cpus }) => [BigInt(cgroupId), cpus])),
  hasCoreScales,
});
