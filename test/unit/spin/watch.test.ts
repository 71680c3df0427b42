// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import type { SpinVerdict } from '../../../receiver/model/spin.js';
import type { WindowShares } from '../../../receiver/model/window.js';
import {
  SpinWatch,
  type PricedExamination,
  type SpinChange,
} from '../../../receiver/spin/watch.js';
import { activityWindow, taskSample } from '../../support/windows.js';

const SURE: SpinVerdict = { _tag: 'Spinning', kind: 'flag', confidence: 1, evidence: 'e' };
const WORKING: SpinVerdict = { _tag: 'Working', evidence: 'w' };

const busyWindow = (...tids: readonly number[]) =>
  activityWindow({ tasks: tids.map((tid) => taskSample({ tid, tgid: tid, runtimeNanos: 1e9 })) });

const sharesOf = (count: number, microjoulesEach = 0): WindowShares => {
  const column = (value: number) => Float64Array.from({ length: count }, () => value);
  return {
    tasks: { package: column(microjoulesEach), dram: column(0) },
    overflow: { package: column(0), dram: column(0) },
  };
};

class Rig {
  now = 0;
  readonly changes: SpinChange[] = [];
  readonly examined: number[] = [];
  verdict: SpinVerdict = SURE;
  costMillis = 0;
  readonly #pending: (() => void)[] = [];
  readonly watch: SpinWatch;

  constructor(maxExamined = 4) {
    this.watch = new SpinWatch(
      {
        nowMillis: () => this.now,
        onChange: (change) => this.changes.push(change),
        examine: async ({ tid }) => {
          this.examined.push(tid);
          await new Promise<void>((resolve) => {
            this.#pending.push(resolve);
          });
          const rest = {
            sampleCount: 400,
            kernelShare: 0,
            hottestPlace: '',
            hottestAddress: undefined,
            listing: [],
            costMillis: this.costMillis,
          };
          return { tid, verdict: this.verdict, ...rest } satisfies PricedExamination;
        },
      },
      { maxExamined, cpuRatio: 0.005 },
    );
  }

  /** Windows of a second; examinations end between two. */
  async windows(count: number, tids: readonly number[], microjoulesEach = 0): Promise<void> {
    for (let at = 0; at < count; at += 1) {
      this.now += 1_000;
      this.watch.observe(busyWindow(...tids), sharesOf(tids.length, microjoulesEach));
      for (const end of this.#pending.splice(0)) end();
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
}

describe('SpinWatch', () => {
  it('examines nobody while nobody is awake all the time', async () => {
    const rig = new Rig();
    await rig.windows(10, []);
    expect(rig.examined).toEqual([]);
    expect(rig.watch.spinning()).toEqual([]);
  });

  it('tells of a spinner within 10 s, and of its end', async () => {
    const rig = new Rig();
    await rig.windows(9, [7]);
    expect(rig.changes).toMatchObject([{ isActive: true, kind: 'flag', candidate: { tid: 7 } }]);
    expect(rig.watch.spinning()).toMatchObject([{ tid: 7, kind: 'flag', isActive: true }]);
    await rig.windows(12, []);
    expect(rig.changes).toMatchObject([{ isActive: true }, { isActive: false, kind: 'flag' }]);
    expect(rig.watch.spinning()).toMatchObject([{ tid: 7, isActive: false }]);
    await rig.windows(60, []);
    expect(rig.watch.spinning()).toEqual([]);
  });

  it('looks three times in a row before it says so', async () => {
    const rig = new Rig();
    await rig.windows(4, [7]);
    expect([rig.examined, rig.changes]).toEqual([[7, 7, 7], []]);
    await rig.windows(1, [7]);
    expect([rig.examined.length, rig.changes.length]).toEqual([3, 1]);
  });

  it('says of pollers that they spin, but to no scheduler', async () => {
    const rig = new Rig();
    rig.verdict = { ...SURE, kind: 'polling' };
    await rig.windows(9, [7]);
    expect(rig.watch.spinning()).toMatchObject([{ tid: 7, kind: 'polling', isActive: true }]);
    expect(rig.watch.isSpinning(taskSample({ tid: 7, tgid: 7 }))).toBe(false);
    rig.verdict = SURE;
    const other = new Rig();
    await other.windows(9, [7]);
    expect(other.watch.isSpinning(taskSample({ tid: 7, tgid: 7 }))).toBe(true);
  });

  it('charges what it burns from then on, exactly', async () => {
    const rig = new Rig();
    await rig.windows(9, [7], 5);
    const [before] = rig.watch.spinning();
    await rig.windows(4, [7], 1_000_000);
    const [after] = rig.watch.spinning();
    expect((after?.energy ?? 0n) - (before?.energy ?? 0n)).toBe(4_000_000n);
    expect((after?.time ?? 0n) - (before?.time ?? 0n)).toBe(4_000_000_000n);
  });

  it('looks at honest work ever more rarely', async () => {
    const rig = new Rig();
    rig.verdict = WORKING;
    await rig.windows(200, [7]);
    expect(rig.changes).toEqual([]);
    expect(rig.examined.length).toBeLessThan(12);
  });

  it('keeps within half a percent of a CPU, new candidates first', async () => {
    const rig = new Rig(4);
    rig.verdict = WORKING;
    rig.costMillis = 50;
    const tids = Array.from({ length: 50 }, (_, index) => index + 1);
    await rig.windows(600, tids);
    // 500 ms at once, and 5 ms a second; one round may begin with the last of it.
    expect(rig.examined.length * rig.costMillis).toBeLessThan(500 + 600 * 5 + 4 * 50);
    const before = rig.examined.length;
    // As soon as it is a candidate, however much there is to look at again.
    await rig.windows(4, [...tids, 500]);
    expect(rig.examined.slice(before)).toContain(500);
  });

  it('examines no more at a time than it may, and gets round to all', async () => {
    const rig = new Rig(2);
    const tids = [1, 2, 3, 4, 5];
    await rig.windows(4, tids);
    expect(new Set(rig.examined).size).toBeLessThanOrEqual(4);
    await rig.windows(10, tids);
    expect(new Set(rig.examined)).toEqual(new Set(tids));
  });
});
