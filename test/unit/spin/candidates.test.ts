// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { SpinCandidates } from '../../../receiver/spin/candidates.js';
import type { TaskSample } from '../../../receiver/model/activity.js';
import { activityWindow, taskSample } from '../../support/windows.js';

const BUSY = { tid: 7, tgid: 7, runtimeNanos: 1e9 };
const windowOf = (...tasks: readonly Parameters<typeof taskSample>[0][]) =>
  activityWindow({ tasks: tasks.map((task): TaskSample => taskSample(task)) });

const tidsAfter = (...windows: readonly ReturnType<typeof windowOf>[]): readonly number[] => {
  const candidates = new SpinCandidates();
  return (
    windows
      .map((window) => candidates.observe(window))
      .at(-1)
      ?.map(({ tid }) => tid) ?? []
  );
};

describe('SpinCandidates', () => {
  it('takes a thread that did not sleep in three of five windows', () => {
    const busy = windowOf(BUSY);
    const rest = windowOf({ ...BUSY, runtimeNanos: 1e6, voluntarySwitches: 1 });
    expect(tidsAfter(busy, busy)).toEqual([]);
    expect(tidsAfter(busy, rest, busy, rest, busy)).toEqual([7]);
    expect(tidsAfter(busy, rest, rest, busy, rest, busy)).toEqual([]);
  });

  it('counts waiting for a CPU as being awake', () => {
    const half = windowOf({ ...BUSY, runtimeNanos: 5e8, queueWaitNanos: 4.8e8 });
    expect(tidsAfter(half, half, half)).toEqual([7]);
    const asleep = windowOf({
      ...BUSY,
      runtimeNanos: 5e8,
      queueWaitNanos: 3e8,
      voluntarySwitches: 1,
    });
    expect(tidsAfter(asleep, asleep, asleep)).toEqual([]);
  });

  it('takes a thread that waits so long for a CPU that a window does not show it', () => {
    const waited = (queueWaitNanos: number) =>
      windowOf({ ...BUSY, runtimeNanos: 2.5e7, queueWaitNanos, involuntarySwitches: 8 });
    const [early, late] = [waited(0), waited(1.9e9)] as const;
    expect(tidsAfter(early, early, late, early)).toEqual([7]);
    const [never, now] = [waited(0), { ...BUSY, runtimeNanos: 2.5e7 }] as const;
    const seldom = windowOf({ ...now, runtimeNanos: 1e6 });
    expect(tidsAfter(seldom, never, seldom, seldom, never)).toEqual([]);
    const rare = windowOf({ ...BUSY, runtimeNanos: 1e7, queueWaitNanos: 2e9 });
    expect(tidsAfter(rare, rare, rare)).toEqual([]);
  });

  it('sums the rows of a thread in several CPU domains', () => {
    const split = windowOf(
      { ...BUSY, runtimeNanos: 5e8, cpuDomain: 0 },
      { ...BUSY, runtimeNanos: 4.9e8, cpuDomain: 1 },
    );
    expect(tidsAfter(split, split, split)).toEqual([7]);
  });

  it('takes a storm of sleeps', () => {
    const storm = windowOf({ ...BUSY, runtimeNanos: 4e8, voluntarySwitches: 9_000 });
    expect(tidsAfter(storm, storm, storm)).toEqual([7]);
    const light = windowOf({ ...BUSY, runtimeNanos: 2e7, voluntarySwitches: 9_000 });
    expect(tidsAfter(light, light, light)).toEqual([]);
  });

  it('leaves out kernel threads and the dead, and puts the costliest first', () => {
    const window = windowOf(
      { ...BUSY, tid: 8, tgid: 8, isKernelThread: true },
      { ...BUSY, tid: 9, tgid: 9, isDead: true },
      { ...BUSY, tid: 10, tgid: 10, runtimeNanos: 6e8, queueWaitNanos: 4e8 },
      BUSY,
    );
    expect(tidsAfter(window, window, window)).toEqual([7, 10]);
  });

  it('puts first what counters take for spinning, and last what waits for memory', () => {
    const counted = { cycles: 1e9, uncountedNanos: 0 };
    const window = windowOf(
      { ...BUSY, tid: 8, tgid: 8, ...counted, instructions: 1e8, llcMisses: 1e7 },
      { ...BUSY, tid: 9, tgid: 9, ...counted, instructions: 1e9, llcMisses: 1e6 },
      { ...BUSY, tid: 10, tgid: 10, ...counted, instructions: 5e7, llcMisses: 10 },
    );
    expect(tidsAfter(window, window, window)).toEqual([10, 9, 8]);
  });
});
