// SPDX-License-Identifier: Apache-2.0
/** The addon's side of the boundary for tests: an ActivityWindow as the bytes of records.h. */
import * as layout from '../../native/layout.generated.js';
import type {
  AccountingStats,
  ActivityWindow,
  CpuSample,
  OverflowSample,
  RawReading,
  TaskSample,
} from '../../receiver/model/activity.js';

const UNAVAILABLE = 2n ** 64n - 1n;

type Fields = Readonly<Record<string, number | bigint | Uint8Array | undefined>>;

interface Struct {
  readonly sizeBytes: number;
  readonly offset: Readonly<Record<string, number>>;
  readonly widthBytes: Readonly<Record<string, number>>;
}

/** Writes the named members of a struct; all others stay zero. */
const writeStruct = (view: DataView, at: number, struct: Struct, fields: Fields): void => {
  for (const [member, value] of Object.entries(fields)) {
    const offset = struct.offset[member];
    if (offset === undefined) throw new Error(`no member ${member}`);
    if (value === undefined) continue;
    if (value instanceof Uint8Array) {
      new Uint8Array(view.buffer).set(value, at + offset);
    } else if (struct.widthBytes[member] === 8) {
      view.setBigUint64(at + offset, BigInt(value), true);
    } else {
      view.setUint32(at + offset, Number(value), true);
    }
  }
};

const nameBytes = (name: string): Uint8Array =>
  new TextEncoder().encode(name).subarray(0, layout.windowTask.length.comm);

const flag = (isSet: boolean, bit: number): number => (isSet ? bit : 0);

const statBytes = (stats: AccountingStats): Uint8Array => {
  const { acctStat } = layout;
  const words = new BigUint64Array(layout.windowCpu.length.stat);
  words[acctStat.switches] = BigInt(stats.switches);
  words[acctStat.storageMiss] = BigInt(stats.storageMisses);
  words[acctStat.slotsExhausted] = BigInt(stats.slotsExhausted);
  words[acctStat.discontinuity] = BigInt(stats.discontinuities);
  words[acctStat.storageFailed] = BigInt(stats.storageFailed);
  words[acctStat.forks] = BigInt(stats.forks);
  words[acctStat.exits] = BigInt(stats.exits);
  words[acctStat.flushes] = BigInt(stats.flushes);
  words[acctStat.cgroupMoves] = BigInt(stats.cgroupMoves);
  words[acctStat.overflowCgroupFull] = BigInt(stats.overflowCgroupFull);
  return new Uint8Array(words.buffer);
};

const cpuFields = (cpu: CpuSample): Fields => ({
  cpu: cpu.cpu,
  cpuDomain: cpu.cpuDomain,
  taskNs: cpu.taskNanos,
  busyNs: cpu.busyNanos,
  unslottedNs: cpu.unslottedNanos,
  overflowNs: cpu.overflowNanos,
  irqNs: cpu.irqNanos ?? UNAVAILABLE,
  stealNs: cpu.stealNanos ?? UNAVAILABLE,
  countedNs: cpu.countedNanos,
  cycles: cpu.cycles,
  instructions: cpu.instructions,
  predictedCoreNj: cpu.predictedCoreNanojoules,
  counterFailures: cpu.counterFailures,
  multiplexedNs: cpu.multiplexedNanos,
  frequencyKhz: cpu.frequencyKhz ?? 0,
  counterKinds: cpu.isCounting ? 3 : 0,
  online: cpu.isOnline ? 1 : 0,
  stat: statBytes(cpu.stats),
});

const sourceFields = (reading: RawReading): Fields => {
  const common = {
    error: reading.errno,
    beforeNs: reading.beforeNanos,
    afterNs: reading.afterNanos,
  };
  return reading._tag === 'FileReading'
    ? {
        ...common,
        kind: layout.windowSourceKind.file,
        textLen: reading.textLength,
        text: Uint8Array.from(reading.text, (char) => char.charCodeAt(0)),
      }
    : {
        ...common,
        kind: layout.windowSourceKind.perf,
        value: reading.value,
        enabledNs: reading.enabledNanos,
        runningNs: reading.runningNanos,
      };
};

const overflowFields = (sample: OverflowSample): Fields => ({
  cgroupId: sample.cgroupId,
  runtimeNs: sample.runtimeNanos,
  cpuDomain: sample.cpuDomain,
});

const counterBytes = (task: TaskSample): Uint8Array => {
  const { counterKind } = layout;
  const words = new BigUint64Array(layout.windowTask.length.counter);
  words[counterKind.cycles] = BigInt(task.cycles);
  words[counterKind.instructions] = BigInt(task.instructions);
  words[counterKind.llcMisses] = BigInt(task.llcMisses);
  words[counterKind.vectorOps] = BigInt(task.vectorOps);
  return new Uint8Array(words.buffer);
};

const taskFields = (task: TaskSample): Fields => {
  const { slotFlag } = layout;
  return {
    runtimeNs: task.runtimeNanos,
    sliceNs: task.sliceNanos,
    overlapNs: task.overlapNanos,
    voluntarySwitches: task.voluntarySwitches,
    involuntarySwitches: task.involuntarySwitches,
    migrations: task.migrations,
    uncountedNs: task.uncountedNanos,
    counter: counterBytes(task),
    phiCycles: task.phiCycles,
    phiInstructions: task.phiInstructions,
    phiVector: task.phiVector,
    uncountedPhiCycles: task.uncountedPhiCycles,
    uncountedOverlapNs: task.uncountedOverlapNanos,
    packageOnNs: task.packageOnNanos,
    predictedCoreNj: task.predictedCoreNanojoules,
    predictedNj: task.predictedNanojoules,
    queueWaitNs: task.queueWaitNanos,
    startBoottimeNs: task.startBoottimeNanos,
    leaderStartBoottimeNs: task.processStartBoottimeNanos,
    cgroupId: task.cgroupId,
    slot: task.slot,
    sequence: task.sequence,
    tid: task.tid,
    tgid: task.tgid,
    cpuDomain: task.cpuDomain,
    tag: task.tag,
    uid: task.uid,
    flags:
      flag(task.isKernelThread, slotFlag.kthread) |
      flag(task.isGroupDead, slotFlag.groupDead) |
      flag(task.isPreexisting, slotFlag.preexisting) |
      flag(task.isFirst, slotFlag.first) |
      flag(task.isDead, slotFlag.dead),
    parentTgid: task.parentTgid,
    comm: nameBytes(task.comm),
    leaderComm: nameBytes(task.processComm),
  };
};

const headerFields = (window: ActivityWindow, sizeBytes: number): Fields => {
  const end = window.endNanos;
  const energyEnd = end + BigInt(window.energyReadNanos);
  return {
    index: window.index,
    sizeBytes,
    startNs: window.startNanos,
    flushStartNs: end - BigInt(window.flushNanos),
    flushEndNs: end,
    energyEndNs: energyEnd,
    scanEndNs: energyEnd + BigInt(window.scanNanos),
    boottimeOffsetNs: window.boottimeOffsetNanos,
    realtimeNs: window.realtimeNanos,
    dueNs: window.dueNanos,
    threadCpuNs: window.threadCpuNanos,
    cpuCount: window.cpus.length,
    sourceCount: window.readings.length,
    overflowCount: window.overflow.length,
    taskCount: window.tasks.length,
    slotsUsed: window.slotsUsed,
    slotsLimit: window.slotsLimit,
    flushedCpus: window.flushedCpus,
    flags:
      flag(window.isFinal, layout.windowFlag.final) |
      flag(window.isReseeded, layout.windowFlag.reseeded) |
      flag(window.isForced, layout.windowFlag.forced),
  };
};

const encodeWindow = (window: ActivityWindow): Uint8Array => {
  const { windowHeader, windowCpu, windowSource, windowOverflow, windowTask } = layout;
  const parts: readonly (readonly [Struct, readonly Fields[]])[] = [
    [windowCpu, window.cpus.map(cpuFields)],
    [windowSource, window.readings.map(sourceFields)],
    [windowOverflow, window.overflow.map(overflowFields)],
    [windowTask, window.tasks.map(taskFields)],
  ];
  const sizeBytes = parts.reduce<number>(
    (sum, [struct, rows]) => sum + struct.sizeBytes * rows.length,
    windowHeader.sizeBytes,
  );
  const view = new DataView(new ArrayBuffer(sizeBytes));
  writeStruct(view, 0, windowHeader, headerFields(window, sizeBytes));
  let at: number = windowHeader.sizeBytes;
  for (const [struct, rows] of parts) {
    for (const fields of rows) {
      writeStruct(view, at, struct, fields);
      at += struct.sizeBytes;
    }
  }
  return new Uint8Array(view.buffer);
};

/** Windows one behind the other, as `onBatch` gets them. */
export const encodeBatch = (windows: readonly ActivityWindow[]): Uint8Array =>
  Buffer.concat(windows.map(encodeWindow));
