// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import * as E from 'fp-ts/lib/Either.js';
import { describe, expect, it } from 'vitest';
import type { ActivityWindow } from '../../../receiver/model/activity.js';
import { WindowDecoder, surroundingsOf } from '../../../receiver/trace/decode-window.js';
import { WindowEncoder } from '../../../receiver/trace/encode-window.js';
import { formatRecord, parseLine } from '../../../receiver/trace/parse-line.js';
import type { WindowRecord } from '../../../receiver/trace/wire.js';
import { nanos, windowNanos } from '../../../receiver/model/units.js';
import { rightOf } from '../../support/either.js';
import { history } from '../../support/random-window.js';
import { activityWindow, cpuSample, taskSample } from '../../support/windows.js';

const NAMES = {
  userName: (uid: number) => `u${String(uid)}`,
  cgroupPath: (id: bigint) => `/${id}`,
};

const windowRecord = (line: string): WindowRecord => {
  const record = rightOf(parseLine(line));
  if (record.type !== 'window') throw new Error(`a record of type ${record.type}`);
  return record;
};

/** Through the text, as a file does it. */
const passed = (windows: readonly ActivityWindow[]): readonly ActivityWindow[] => {
  const [encoder, decoder] = [new WindowEncoder(NAMES), new WindowDecoder()];
  return windows.map((window) =>
    rightOf(decoder.decode(windowRecord(formatRecord(encoder.encode(window))))),
  );
};

const amount = fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 2 ** 40 }));
const big = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
const readings = fc.array(
  fc.oneof(
    fc.record({
      _tag: fc.constant('FileReading' as const),
      text: fc.string({ maxLength: 24 }),
      textLength: fc.nat(64),
      errno: fc.nat(133),
      beforeNanos: big.map(nanos),
      afterNanos: big.map(nanos),
    }),
    fc.record({
      _tag: fc.constant('PerfReading' as const),
      value: big,
      enabledNanos: big,
      runningNanos: big,
      errno: fc.nat(133),
      beforeNanos: big.map(nanos),
      afterNanos: big.map(nanos),
    }),
  ),
  { maxLength: 4 },
);

/** What the histories of the ledger's laws leave at nothing. */
const counted = fc
  .record({ a: amount, b: amount, c: amount, d: amount, big, isKnown: fc.boolean() })
  .map(({ a, b, c, d, big: cgroupId, isKnown }) => ({
    task: taskSample({
      tgid: 7,
      cgroupId,
      comm: `n\u00e4me "${String(a % 7)}"`,
      runtimeNanos: a,
      sliceNanos: b,
      uncountedNanos: c,
      cycles: a,
      instructions: b,
      llcMisses: c,
      vectorOps: d,
      phiCycles: b,
      phiInstructions: c,
      phiVector: d,
      uncountedPhiCycles: a,
      uncountedOverlapNanos: d,
      packageOnNanos: c,
      queueWaitNanos: d,
      predictedCoreNanojoules: a,
      predictedNanojoules: b,
      voluntarySwitches: a % 10,
      isKernelThread: isKnown,
      isFirst: !isKnown,
    }),
    cpu: {
      ...cpuSample({ taskNanos: a, busyNanos: b, irqNanos: isKnown ? c : undefined }),
      countedNanos: windowNanos(d),
      cycles: c,
      instructions: a,
      frequencyKhz: isKnown ? b : undefined,
      isCounting: isKnown,
    },
  }));

describe('WindowDecoder', () => {
  it('gives back every window of a history that WindowEncoder wrote', () => {
    fc.assert(
      fc.property(history(), ({ steps }) => {
        const windows = steps.map(({ window }) => window);
        expect(passed(windows)).toEqual(windows);
      }),
      { numRuns: 60 },
    );
  });

  it('gives back counters, clocks beyond 2^53, names and failed readings', () => {
    fc.assert(
      fc.property(fc.array(counted, { maxLength: 3 }), readings, big, (rows, read, at) => {
        const window = {
          ...activityWindow({
            tasks: rows.map(({ task }, slot) => ({ ...task, slot })),
            cpus: rows.map(({ cpu }, number) => ({ ...cpu, cpu: number })),
            startNanos: at,
            endNanos: at + 1n,
          }),
          readings: read,
          isFinal: rows.length > 1,
        };
        expect(passed([window])).toEqual([window]);
      }),
      { numRuns: 100 },
    );
  });

  it('says which row names a slot that nobody introduced', () => {
    const record = new WindowEncoder(NAMES).encode(activityWindow({ tasks: [taskSample()] }));
    const decoded = new WindowDecoder().decode({ ...record, identities: [] });
    expect(decoded).toEqual(E.left({ cause: 'tasks[0].slot: 100 has no identity' }));
  });

  it('keeps the energy of such a row when lenient', () => {
    const record = new WindowEncoder(NAMES).encode(
      activityWindow({ tasks: [taskSample({ runtimeNanos: 5, cpuDomain: 1 })] }),
    );
    const decoded = rightOf(new WindowDecoder(true).decode({ ...record, identities: [] }));
    expect(decoded.tasks).toMatchObject([{ comm: '(unknown)', runtimeNanos: 5, cpuDomain: 1 }]);
  });
});

describe('WindowEncoder', () => {
  it('introduces a slot once, and again when its task changes', () => {
    const encoder = new WindowEncoder(NAMES);
    const told = [taskSample(), taskSample(), taskSample({ comm: 'renamed' })].map(
      (task) => encoder.encode(activityWindow({ tasks: [task] })).identities.length,
    );
    expect(told).toEqual([1, 0, 1]);
  });

  it('introduces everybody again now and then, for the reader of a damaged file', () => {
    const encoder = new WindowEncoder(NAMES);
    const told = Array.from(
      { length: 121 },
      () => encoder.encode(activityWindow({ tasks: [taskSample()] })).identities.length,
    );
    expect(told.reduce((a, b) => a + b, 0)).toBe(3);
  });

  it('carries what was read beside the window', () => {
    const surroundings = {
      memory: {
        nodeSharesOfCgroup: new Map([[5n, [0.25, 0.75]]]),
        residentBytesOfProcess: new Map([[7, 4096]]),
      },
      reservations: new Map([[5n, 2]]),
      hasCoreScales: true,
    };
    const live = {
      balances: [],
      shares: {
        tasks: { package: new Float64Array(), dram: new Float64Array() },
        overflow: { package: new Float64Array(), dram: new Float64Array() },
      },
      input: surroundings,
    };
    const record = new WindowEncoder(NAMES).encode(activityWindow(), live);
    expect(surroundingsOf(windowRecord(formatRecord(record)))).toEqual(surroundings);
  });
});

describe('parseLine', () => {
  it('keeps fields and records that it does not know', () => {
    const record = new WindowEncoder(NAMES).encode(activityWindow({ tasks: [taskSample()] }));
    const json = {
      ...record,
      gpuMillis: 3,
      tasks: record.tasks.map((task) => ({ ...task, rssBytes: 4096, note: { deep: [1] } })),
    };
    expect(JSON.parse(formatRecord(rightOf(parseLine(JSON.stringify(json)))))).toEqual(json);
    const other = { type: 'truth', jobs: [{ id: 1, joules: 2.5 }] };
    expect(JSON.parse(formatRecord(rightOf(parseLine(JSON.stringify(other)))))).toEqual(other);
  });

  it.each([
    ['{"type":"window","index":"1"', 'the line is cut off'],
    ['not a record}', 'not JSON'],
    ['[1]', 'not a JSON object'],
    ['{"index":1}', 'type: missing'],
    ['{"type":"gap"}', 'windows: Invalid input: expected number, received undefined'],
    ['{"type":"reading","zone":"x","atNanos":"1e9","value":"2"}', 'atNanos: must be digits'],
    [
      '{"type":"header","format":"wattfeed-trace","version":2}',
      'version 2 of the format; this wattfeed reads up to 1',
    ],
  ])('says what is wrong with %s', (line, cause) => {
    expect(parseLine(line)).toEqual(E.left({ cause }));
  });

  it('names the place of a mistake inside a row', () => {
    const record = new WindowEncoder(NAMES).encode(activityWindow({ tasks: [taskSample()] }));
    const wrong = { ...record, tasks: [{ ...record.tasks[0], runtimeNanos: -1 }] };
    expect(parseLine(JSON.stringify(wrong))).toMatchObject({
      left: { cause: expect.stringMatching(/^tasks\[0\]\.runtimeNanos: /) },
    });
  });
});
