// SPDX-License-Identifier: Apache-2.0
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { buildLoads, startLoad, type Load } from '../support/kernel/load.js';
import { possibleCpus } from '../support/kernel/proc.js';
import {
  closeWindowAsleep,
  startRecording,
  sum,
  tasksOf,
  type Recording,
} from '../support/kernel/recording.js';

let recording: Recording | undefined;
let loads: readonly Load[] = [];

/** CPUs 0 and 1 are told to be siblings, and each is a domain: what overlaps on one does on the other. */
const asSiblings = () => {
  const count = possibleCpus();
  return {
    cpuDomains: Array.from({ length: count }, (_, cpu) => Math.min(cpu, 2)),
    smtSiblings: Array.from({ length: count }, (_, cpu) => (cpu < 2 ? 1 - cpu : -1)),
  };
};

describe('SMT overlap', () => {
  beforeAll(buildLoads);

  afterEach(async () => {
    await Promise.all(loads.map((load) => load.stop()));
    await recording?.close();
  });

  it('is the same seen from either sibling, and never more than the slice', async () => {
    const current = await startRecording(asSiblings());
    recording = current;
    // of unlike rhythm, so that each side begins and ends many slices inside the other's
    const on = [
      await startLoad('pulse', [300, 2_000, 1_500, 0]),
      await startLoad('pulse', [300, 900, 2_700, 1]),
    ];
    loads = on;
    await Promise.all(on.map((load) => load.act()));
    for (const { pid } of on) await closeWindowAsleep(current, pid);
    await current.close();
    const rows = tasksOf(current, () => true);
    const on0 = rows.filter(({ cpuDomain }) => cpuDomain === 0);
    const on1 = rows.filter(({ cpuDomain }) => cpuDomain === 1);
    const overlapOf = (some: typeof rows): number => sum(some, ({ overlapNanos }) => overlapNanos);
    const [left, right] = [overlapOf(on0), overlapOf(on1)];

    expect(rows.filter((row) => row.overlapNanos > row.sliceNanos)).toStrictEqual([]);
    expect(left).toBeGreaterThan(50e6);
    // unslotted tasks (hidden from BPF on some hosts) have an overlap that no slot shows
    expect(Math.abs(left - right) / left).toBeLessThan(0.03);
  });
});
