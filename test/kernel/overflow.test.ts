// SPDX-License-Identifier: Apache-2.0
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { makeCgroup, type TestCgroup } from '../support/kernel/cgroup.js';
import { buildLoads, startLoad } from '../support/kernel/load.js';
import {
  closeWindowAsleep,
  runtimeNanosOf,
  startRecording,
  sum,
  tasksOf,
  totals,
  type Recording,
} from '../support/kernel/recording.js';

const MAX_TASKS = 256;
const CROWD = 700;
const CPU_MICROS = 4_000;
const TOLERANCE_RATIO = 0.002;

let recording: Recording | undefined;
let cgroup: TestCgroup | undefined;

describe('slot table overflow', () => {
  beforeAll(buildLoads);

  afterEach(async () => {
    await recording?.close();
    await cgroup?.remove();
  });

  it('keeps totals whole, by cgroup too, when more tasks live than there are slots', async () => {
    const box = makeCgroup('overflow');
    cgroup = box;
    const current = await startRecording({ maxTasks: MAX_TASKS });
    recording = current;
    const load = await startLoad('crowd', [CROWD, CPU_MICROS], { cgroupProcs: [box.procsPath] });
    await closeWindowAsleep(current, load.pid);
    const firstWindow = current.windows.length;
    const usageBefore = box.usageNanos();
    await load.act();
    await load.act(); // all children have gone
    await closeWindowAsleep(current, load.pid);
    const usageNanos = box.usageNanos() - usageBefore;
    const during = { windows: current.windows.slice(firstWindow) };
    const overflowRows = during.windows.flatMap(({ overflow }) => overflow);
    const inCgroup = overflowRows.filter(({ cgroupId }) => cgroupId === box.id);
    const charged =
      runtimeNanosOf(tasksOf(during, ({ cgroupId }) => cgroupId === box.id)) +
      sum(inCgroup, ({ runtimeNanos }) => runtimeNanos);
    await load.stop();
    await current.close();
    const all = totals(current);
    const byCgroup = current.windows.flatMap(({ overflow }) => overflow);

    expect(all.stats.slotsExhausted).toBeGreaterThan(CROWD - MAX_TASKS);
    expect(all.overflowNanos).toBeGreaterThan((CROWD - MAX_TASKS) * CPU_MICROS * 500);
    expect(all.slotNanos + all.unslottedNanos + all.overflowNanos).toBe(all.taskNanos);
    expect(all.stats.overflowCgroupFull).toBe(0);
    expect(sum(byCgroup, ({ runtimeNanos }) => runtimeNanos)).toBe(all.overflowNanos);
    expect(Math.abs(charged - usageNanos) / usageNanos).toBeLessThan(TOLERANCE_RATIO);
  });
});
