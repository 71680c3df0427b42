// SPDX-License-Identifier: Apache-2.0
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { makeCgroup, type TestCgroup } from '../support/kernel/cgroup.js';
import { buildLoads, startLoad, type Load } from '../support/kernel/load.js';
import {
  closeWindowAsleep,
  runtimeNanosOf,
  startRecording,
  tasksOf,
  totals,
  type Recording,
} from '../support/kernel/recording.js';

const BURNT_MILLIS = 50;

let recording: Recording | undefined;
let load: Load | undefined;
let cgroups: readonly TestCgroup[] = [];

describe('cgroup of a task', () => {
  beforeAll(buildLoads);

  afterEach(async () => {
    await load?.stop();
    await recording?.close();
    for (const cgroup of cgroups) await cgroup.remove();
    cgroups = [];
  });

  it('follows a move, so that each cgroup gets what was burnt in it', async () => {
    const first = makeCgroup('first');
    const second = makeCgroup('second');
    cgroups = [first, second];
    const current = await startRecording();
    recording = current;
    const program = await startLoad('burn', [BURNT_MILLIS], { cgroupProcs: [first.procsPath] });
    load = program;
    const { pid } = program;
    const chargedMillis = (id: bigint): number =>
      runtimeNanosOf(tasksOf(current, ({ tid, cgroupId }) => tid === pid && cgroupId === id)) / 1e6;

    await program.act();
    await closeWindowAsleep(current, pid);
    const beforeMove = [chargedMillis(first.id), chargedMillis(second.id)];
    second.add(pid);
    await program.act();
    await closeWindowAsleep(current, pid);
    const afterMove = [chargedMillis(first.id), chargedMillis(second.id)];

    expect(beforeMove[0]).toBeGreaterThan(BURNT_MILLIS);
    expect(beforeMove[1]).toBe(0);
    expect(afterMove[0]).toBe(beforeMove[0]);
    expect(afterMove[1]).toBeGreaterThan(BURNT_MILLIS);
    expect(afterMove[1]).toBeLessThan(BURNT_MILLIS + 10);
    expect(totals(current).stats.cgroupMoves).toBeGreaterThan(0);
  });
});
