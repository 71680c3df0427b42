// SPDX-License-Identifier: Apache-2.0
/** A storm of short-lived processes in a cgroup of its own, and both sides of what it cost. */
import { expect } from 'vitest';
import { makeCgroup, type TestCgroup } from './cgroup.js';
import { startLoad } from './load.js';
import {
  closeWindowAsleep,
  processesOf,
  runtimeNanosOf,
  startRecording,
  tasksOf,
  totals,
  type Recording,
} from './recording.js';

/**
 * The promise is 0.2 %. The kernel adds the same difference to the task's sum and to the cgroup's, so
 * that where nothing is lost they are equal, but for cpu.stat's microseconds.
 */
const TOLERANCE_RATIO = 0.000_1;

export interface Storm {
  readonly count: number;
  readonly parallel: number;
  readonly minMicros: number;
  readonly maxMicros: number;
}

let recording: Recording | undefined;
let cgroup: TestCgroup | undefined;

export const cleanStorm = async (): Promise<void> => {
  await recording?.close();
  await cgroup?.remove();
};

/** Runs the storm in a cgroup of its own and takes the kernel's account of that cgroup around it. */
export const runStorm = async ({ count, parallel, minMicros, maxMicros }: Storm) => {
  const box = makeCgroup('storm');
  cgroup = box;
  const current = await startRecording({ windowMillis: 1_000 });
  recording = current;
  const load = await startLoad('storm', [count, parallel, minMicros, maxMicros], {
    cgroupProcs: [box.procsPath],
  });
  await closeWindowAsleep(current, load.pid);
  const firstWindow = current.windows.length;
  const usageBefore = box.usageNanos();
  await load.act();
  await closeWindowAsleep(current, load.pid);
  const usageNanos = box.usageNanos() - usageBefore;
  const during = { windows: current.windows.slice(firstWindow) };
  await load.stop();
  await current.close();
  return {
    usageNanos,
    inCgroup: tasksOf(during, ({ cgroupId }) => cgroupId === box.id),
    children: tasksOf(current, ({ parentTgid }) => parentTgid === load.pid),
    all: totals(current),
  };
};

export const expectWhole = ({
  inCgroup,
  usageNanos,
  children,
  all,
}: Awaited<ReturnType<typeof runStorm>>) => {
  expect(all.slotNanos + all.unslottedNanos + all.overflowNanos).toBe(all.taskNanos);
  expect(all.stats.storageFailed).toBe(0);
  const charged = runtimeNanosOf(inCgroup);
  expect(Math.abs(charged - usageNanos) / usageNanos).toBeLessThan(TOLERANCE_RATIO);
  return {
    dead: children.filter(({ isDead }) => isDead).length,
    groupDead: children.filter(({ isDead, isGroupDead }) => isDead && isGroupDead).length,
    processes: processesOf(children).size,
  };
};
