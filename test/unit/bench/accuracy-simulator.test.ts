// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { peers } from '../../../bench/accuracy/estimate/peers.js';
import { Bench } from '../../../bench/accuracy/experiment.js';
import { Score } from '../../../bench/accuracy/score.js';
import { MIXES, type Mix } from '../../../bench/accuracy/sim/mixes.js';
import type { SimulatedWindow } from '../../../bench/accuracy/sim/simulator.js';

const SEED = { seed: 3, spread: 0.25 };
const NANOJOULES_PER_MICROJOULE = 1000;

const windowsOf = (bench: Bench, mix: Mix, seconds = 1): readonly SimulatedWindow[] =>
  [...bench.run(mix, seconds, 250)].map(({ simulated }) => simulated);

const sum = (values: Iterable<number>): number => [...values].reduce((a, b) => a + b, 0);

const mixOf = (id: string): Mix => {
  const mix = MIXES.find((one) => one.id === id);
  if (mix === undefined) throw new Error(`no mix ${id}`);
  return mix;
};

describe('Simulator', () => {
  it.each(MIXES)(
    'gives all package energy of mix $id to owners and idle, by both truths',
    (mix) => {
      const bench = new Bench(SEED, mix.shape);
      const windows = windowsOf(bench, mix);
      const spent = sum(bench.simulator.physics.packageNanojoules);
      const idle = sum(windows.map(({ truth }) => truth.idleNanojoules));
      for (const book of ['shapley', 'marginal'] as const) {
        const owned = sum(windows.flatMap(({ truth }) => [...truth[book]]));
        expect((owned + idle) / spent).toBeCloseTo(1, 9);
        expect(owned).toBeGreaterThan(0);
      }
    },
  );

  it('gives all memory energy above background to owners', () => {
    const bench = new Bench(SEED, mixOf('05').shape);
    const windows = windowsOf(bench, mixOf('05'));
    const { memory, topology } = bench.simulator.machine;
    const background = memory.backgroundWatts * 1e9 * topology.packageIds.length;
    const owned = sum(windows.flatMap(({ truth }) => [...truth.memory]));
    expect((owned + background) / sum(bench.simulator.physics.memoryNanojoules)).toBeCloseTo(1, 9);
  });

  it('reads counters that rise with the true energy, over their wrap', () => {
    const bench = new Bench(SEED, mixOf('02').shape);
    const [meter] = bench.simulator.packageMeters;
    const range = meter?.rangeMicrojoules ?? 0n;
    const windows = windowsOf(bench, mixOf('02'), 4);
    const raw = windows.map(({ packageMicrojoules }) => packageMicrojoules[0] ?? 0n);
    const [first = 0n, last = 0n] = [raw.at(0), raw.at(-1)];
    const risen = Number(last >= first ? last - first : last - first + range + 1n);
    const spent = (bench.simulator.physics.packageNanojoules[0] ?? 0) * (15 / 16);
    expect((risen * NANOJOULES_PER_MICROJOULE) / spent).toBeCloseTo(1, 1);
  });

  it('yields the same windows from the same seed and others from another', () => {
    const energyOf = (seed: number): readonly bigint[] =>
      windowsOf(new Bench({ seed, spread: 0.25 }, mixOf('20').shape), mixOf('20')).flatMap(
        ({ packageMicrojoules }) => packageMicrojoules,
      );
    expect(energyOf(7)).toEqual(energyOf(7));
    expect(energyOf(8)).not.toEqual(energyOf(7));
  });

  it('reports as task time what the CPUs were busy with', () => {
    const windows = windowsOf(new Bench(SEED, mixOf('21').shape), mixOf('21'));
    for (const { rows, cpus } of windows) {
      const byTask = sum(rows.map(({ row }) => row.runtimeNanos));
      expect(byTask / sum(cpus.map(({ taskNanos }) => taskNanos))).toBeCloseTo(1, 12);
      expect(sum(cpus.map(({ interruptNanos }) => interruptNanos))).toBeGreaterThan(0);
    }
  });

  it('counts only a part of the slices where events are multiplexed', () => {
    const windows = windowsOf(new Bench(SEED, mixOf('23').shape), mixOf('23'));
    const rows = windows.flatMap((window) => window.rows.map(({ row }) => row));
    const ratio = sum(rows.map((r) => r.uncountedNanos)) / sum(rows.map((r) => r.runtimeNanos));
    expect(ratio).toBeGreaterThan(0.5);
    expect(ratio).toBeLessThan(1);
    // what was counted belongs to the time that was counted
    for (const row of rows.filter(({ cycles }) => cycles > 1e6)) {
      const gigahertz = row.cycles / (row.runtimeNanos - row.uncountedNanos);
      expect(gigahertz / (row.referenceCycles / row.sliceNanos)).toBeGreaterThan(1);
      expect(row.instructions / row.cycles).toBeGreaterThan(0.2);
    }
  });

  it('counts 512-bit operations twice in what the model weighs', () => {
    const [window] = windowsOf(new Bench(SEED, mixOf('02').shape), mixOf('02'));
    const rowsOf = (name: string) =>
      (window?.rows ?? []).filter(({ thread }) => thread.job.name === name);
    for (const { row } of rowsOf('avx512')) {
      const factor = row.phiInstructions / row.instructions;
      expect(row.phiVector / (row.vectorOps * factor)).toBeCloseTo(2, 9);
    }
    expect(rowsOf('avx512').length).toBeGreaterThan(0);
  });
});

describe('peers', () => {
  it('split what ran and nothing else, each in its own way', () => {
    const mix = mixOf('08');
    const bench = new Bench(SEED, mix.shape);
    const packageOfDomain = bench.simulator.machine.topology.cpuDomains.map((d) => d.packageId);
    const splits = windowsOf(bench, mix).flatMap((window) =>
      peers().map((peer) => peer.split({ window, packageJoules: [10, 2], packageOfDomain })),
    );
    for (const split of splits) {
      expect(sum(split)).toBeGreaterThan(0);
      expect(split.every((joules) => joules >= 0)).toBe(true);
    }
    expect(new Set(splits.map((split) => [...split].join())).size).toBeGreaterThan(4);
  });
});

describe('Score', () => {
  it('is zero for the truth at any scale and one for all to the wrong owner', () => {
    const right = new Score();
    right.add([2, 4, 6], [1, 2, 3]);
    expect(right.misattributed).toBeCloseTo(0, 12);
    const wrong = new Score();
    wrong.add([1, 0], [0, 5]);
    expect(wrong.misattributed).toBe(1);
    expect(wrong.misbilled).toBe(1);
  });

  it('does not let opposite errors of two windows cancel, except on the bill', () => {
    const score = new Score();
    score.add([1, 0], [0.5, 0.5]);
    score.add([0, 1], [0.5, 0.5]);
    expect(score.misattributed).toBe(0.5);
    expect(score.misbilled).toBe(0);
  });

  it('names the largest error of an owner that matters', () => {
    const score = new Score();
    score.add([60, 39, 1], [50, 49.5, 0.5]);
    expect(score.worst()).toBeCloseTo(0.212, 3);
  });
});
