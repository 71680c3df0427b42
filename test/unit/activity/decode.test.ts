// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import * as E from 'fp-ts/lib/Either.js';
import { describe, expect, it } from 'vitest';
import * as layout from '../../../native/layout.generated.js';
import { batchDecoder, windowReader } from '../../../receiver/activity/decode.js';
import { NO_STATS } from '../../../receiver/attribution/window-report.js';
import type { ActivityWindow, RawReading, TaskSample } from '../../../receiver/model/activity.js';
import { nanos } from '../../../receiver/model/units.js';
import { encodeBatch } from '../../support/encode-window.js';
import { history } from '../../support/random-window.js';
import { activityWindow, cpuSample, overflowSample, taskSample } from '../../support/windows.js';

const decode = batchDecoder(layout);

const decoded = (batch: Uint8Array): readonly ActivityWindow[] => {
  const windows = decode(batch);
  if (E.isLeft(windows))
    throw new Error(JSON.stringify(windows.left, (_, v: unknown) => String(v)));
  return windows.right;
};

const failure = (batch: Uint8Array) => {
  const windows = decode(batch);
  return E.isLeft(windows) ? windows.left._tag : 'no failure';
};

/** Every field differs from its neighbours and from zero; clocks and ids are beyond 2^53. */
const everything: ActivityWindow = activityWindow({
  index: 2n ** 54n + 1n,
  startNanos: 2n ** 60n,
  endNanos: 2n ** 60n + 1_000_000_007n,
  dueNanos: 2n ** 60n + 1_000_000_000n,
  flushNanos: 31,
  energyReadNanos: 37,
  scanNanos: 41,
  threadCpuNanos: 2 ** 40 + 43,
  boottimeOffsetNanos: 2n ** 55n + 47n,
  realtimeNanos: 1_767_225_600_123_456_789n,
  slotsUsed: 53,
  slotsLimit: 65_536,
  flushedCpus: 2,
  isFinal: true,
  isForced: true,
  isReseeded: true,
  cpus: [
    cpuSample({
      cpu: 1,
      cpuDomain: 3,
      isOnline: false,
      taskNanos: 2 ** 33 + 1,
      busyNanos: 2 ** 34 + 2,
      unslottedNanos: 3,
      overflowNanos: 4,
      irqNanos: 0,
      stealNanos: 2 ** 52,
      countedNanos: 5,
      cycles: 2 ** 50 + 6,
      instructions: 2 ** 49 + 7,
      predictedCoreNanojoules: 2 ** 41 + 8,
      counterFailures: 9,
      multiplexedNanos: 10,
      frequencyKhz: 3_500_001,
      isCounting: true,
      stats: {
        switches: 1,
        storageMisses: 2,
        slotsExhausted: 3,
        discontinuities: 4,
        storageFailed: 5,
        forks: 6,
        exits: 7,
        flushes: 8,
        cgroupMoves: 9,
        overflowCgroupFull: 10,
      },
    }),
    cpuSample({ cpu: 2 }),
  ],
  readings: [
    {
      _tag: 'FileReading',
      text: '262143328850\n',
      textLength: 13,
      errno: 0,
      beforeNanos: nanos(2n ** 60n + 5n),
      afterNanos: nanos(2n ** 60n + 6n),
    },
    {
      _tag: 'PerfReading',
      value: 2n ** 63n + 11n,
      enabledNanos: 2n ** 62n,
      runningNanos: 2n ** 61n,
      errno: 5,
      beforeNanos: nanos(7n),
      afterNanos: nanos(8n),
    },
  ],
  overflow: [overflowSample({ cgroupId: 2n ** 63n, cpuDomain: 2, runtimeNanos: 2 ** 35 })],
  tasks: [
    taskSample({
      slot: 1,
      sequence: 4_000_000_000,
      tid: 3,
      tgid: 4,
      parentTgid: 5,
      uid: 4_294_967_295,
      tag: 7,
      cpuDomain: 8,
      startBoottimeNanos: 2n ** 57n,
      processStartBoottimeNanos: 2n ** 56n,
      cgroupId: 2n ** 64n - 2n,
      comm: 'worker/0',
      processComm: 'sixteen-bytes-xx',
      runtimeNanos: 2 ** 53 - 1,
      sliceNanos: 2 ** 41,
      overlapNanos: 2 ** 40,
      uncountedNanos: 9,
      uncountedOverlapNanos: 13,
      cycles: 2 ** 51 + 14,
      instructions: 2 ** 51 + 15,
      llcMisses: 16,
      vectorOps: 17,
      phiCycles: 2 ** 50 + 18,
      phiInstructions: 19,
      phiVector: 20,
      uncountedPhiCycles: 2 ** 35 + 21,
      packageOnNanos: 22,
      queueWaitNanos: 23,
      predictedCoreNanojoules: 2 ** 42 + 24,
      predictedNanojoules: 2 ** 43 + 25,
      voluntarySwitches: 10,
      involuntarySwitches: 11,
      migrations: 12,
      isKernelThread: true,
      isPreexisting: true,
      isFirst: true,
      isDead: true,
      isGroupDead: true,
    }),
  ],
});

/** Bytes of a window with one task whose comm is `bytes`. */
const withComm = (bytes: readonly number[]): Uint8Array => {
  const batch = encodeBatch([
    activityWindow({ tasks: [taskSample({ comm: '', processComm: '' })] }),
  ]);
  const at = batch.length - layout.windowTask.sizeBytes + layout.windowTask.offset.comm;
  batch.set(bytes, at);
  return batch;
};

describe('batchDecoder', () => {
  it('gives back every field that was encoded, clocks and ids in full', () => {
    expect(decoded(encodeBatch([everything]))).toEqual([everything]);
  });

  it('gives back any history, several windows to a batch', () => {
    fc.assert(
      fc.property(history(4), ({ steps }) => {
        const windows = steps.map(({ window }) => window);
        expect(decoded(encodeBatch(windows))).toEqual(windows);
      }),
      { numRuns: 50 },
    );
  });

  it('reads a batch at any alignment', () => {
    const batch = encodeBatch([everything]);
    for (const shift of [1, 4, 7]) {
      const moved = new Uint8Array(batch.length + shift);
      moved.set(batch, shift);
      expect(decoded(moved.subarray(shift))).toEqual([everything]);
    }
  });

  it('yields no window for an empty batch', () => {
    expect(decoded(new Uint8Array(0))).toEqual([]);
  });

  it('refuses every batch that is cut short or longer than it says', () => {
    const batch = encodeBatch([everything, everything]);
    const whole = batch.length / 2;
    for (let length = 1; length < batch.length; length += 1) {
      if (length !== whole) expect(failure(batch.subarray(0, length))).toBe('WrongLength');
    }
    expect(failure(Buffer.concat([batch, new Uint8Array(8)]))).toBe('WrongLength');
  });

  it('refuses a header whose counts do not make up its size', () => {
    for (const member of ['cpuCount', 'sourceCount', 'overflowCount', 'taskCount'] as const) {
      const batch = encodeBatch([everything]);
      new DataView(batch.buffer, batch.byteOffset).setUint32(
        layout.windowHeader.offset[member],
        0xffff_ffff,
        true,
      );
      expect(failure(batch)).toBe('WrongLength');
    }
  });

  it('never throws on garbage', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 600 }), (bytes) => {
        expect(['Left', 'Right']).toContain(decode(bytes)._tag);
      }),
    );
  });

  it('refuses a difference beyond 2^53 and then reads the next batch', () => {
    const batch = encodeBatch([everything]);
    const at = batch.length - layout.windowTask.sizeBytes;
    new DataView(batch.buffer, batch.byteOffset).setBigUint64(at, 2n ** 53n, true);
    expect(failure(batch)).toBe('Oversized');
    expect(decoded(encodeBatch([everything]))).toEqual([everything]);
  });

  it('refuses a source of an unknown kind', () => {
    const batch = encodeBatch([activityWindow({ cpus: [], readings: everything.readings })]);
    new DataView(batch.buffer, batch.byteOffset).setUint32(layout.windowHeader.sizeBytes, 9, true);
    expect(failure(batch)).toBe('UnknownSourceKind');
  });

  it('tells unavailable interrupt and steal time from zero', () => {
    const cpus = [cpuSample({ irqNanos: 0, stats: NO_STATS }), cpuSample({ stealNanos: 0 })];
    const [window] = decoded(encodeBatch([activityWindow({ cpus })]));
    expect(window?.cpus.map(({ irqNanos }) => irqNanos)).toEqual([0, undefined]);
    expect(window?.cpus.map(({ stealNanos }) => stealNanos)).toEqual([undefined, 0]);
  });

  it('keeps the first 40 bytes of an overlong reading and its true length', () => {
    const text = '9'.repeat(layout.windowSource.length.text);
    const reading: RawReading = {
      _tag: 'FileReading',
      text,
      textLength: 4_096,
      errno: 0,
      beforeNanos: nanos(0n),
      afterNanos: nanos(0n),
    };
    const batch = encodeBatch([activityWindow({ readings: [reading] })]);
    expect(decoded(batch)[0]?.readings).toEqual([reading]);
  });

  it('escapes names and ends them at the first NUL or after 16 bytes', () => {
    const commOf = (bytes: readonly number[]) => decoded(withComm(bytes))[0]?.tasks[0]?.comm;
    expect(commOf([0x1b, 0x5b, 0x32, 0x4a])).toBe('\\x1B[2J');
    expect(commOf([0x61, 0x0a, 0x62, 0, 0x63])).toBe('a\\x0Ab');
    expect(commOf([0xc3, 0xa9, 0xe2, 0x82])).toBe('é\\xE2\\x82');
    expect(commOf(Array.from({ length: 16 }, () => 0x78))).toBe('x'.repeat(16));
    expect(commOf([])).toBe('');
  });

  it('keeps names apart however many there are', () => {
    const tasks = Array.from({ length: 9_000 }, (_, i) =>
      taskSample({
        slot: i + 1,
        tgid: i + 1,
        comm: `t${String(i)}`,
        processComm: `p${String(i % 7)}`,
      }),
    );
    const [window] = decoded(encodeBatch([activityWindow({ tasks })]));
    expect(window?.tasks.map(({ comm }) => comm)).toEqual(tasks.map(({ comm }) => comm));
    expect(window?.tasks.map(({ processComm }) => processComm)).toEqual(
      tasks.map(({ processComm }) => processComm),
    );
  });
});

describe('windowReader', () => {
  const read = windowReader(layout);

  it('decodes a window only when it is asked for', () => {
    const batch = encodeBatch([everything, everything]);
    const windows = read(batch)[Symbol.iterator]();
    expect(windows.next().value).toEqual(E.right(everything));
    // Not yet read, so still to be seen as broken.
    new DataView(batch.buffer, batch.byteOffset).setUint32(
      batch.length / 2 + layout.windowHeader.offset.taskCount,
      0xffff_ffff,
      true,
    );
    expect(windows.next().value).toMatchObject({ left: { _tag: 'WrongLength' } });
    expect(windows.next().done).toBe(true);
  });

  it('gives each window rows of its own, or writes the same ones over where it was told to', () => {
    const later = {
      ...everything,
      tasks: everything.tasks.map((task) => ({ ...task, tid: task.tid + 1, isDead: true })),
    };
    const batch = encodeBatch([everything, later]);
    expect(decoded(batch)).toEqual([everything, later]);

    const seen: (readonly TaskSample[])[] = [];
    for (const window of windowReader(layout, { reusesRows: true })(batch)) {
      if (E.isLeft(window)) throw new Error(window.left._tag);
      expect(window.right).toEqual(seen.length === 0 ? everything : later);
      seen.push(window.right.tasks);
    }
    expect(seen[1]?.[0]).toBe(seen[0]?.[0]);
  });

  it('ends with what is broken, after the windows before it', () => {
    const batch = encodeBatch([everything, everything]);
    const at = batch.length / 2 - layout.windowTask.sizeBytes;
    new DataView(batch.buffer, batch.byteOffset).setBigUint64(at, 2n ** 53n, true);
    expect([...read(batch)].map(({ _tag }) => _tag)).toEqual(['Left']);
    expect([...read(batch.subarray(0, -8))].map(({ _tag }) => _tag)).toEqual(['Left']);
    const late = encodeBatch([everything, everything]).subarray(0, -8);
    expect([...read(late)].map(({ _tag }) => _tag)).toEqual(['Right', 'Left']);
  });
});
