// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { DEFAULT_SEED } from '../../../receiver/attribution/seed-model.js';
import { weigh, type WeighOptions } from '../../../receiver/attribution/weigh.js';
import { DEFAULT_COEFFICIENTS } from '../../../receiver/model/coefficients.js';
import type { ActivityWindow } from '../../../receiver/model/activity.js';
import { activityWindow, cpuSample, overflowSample, taskSample } from '../../support/windows.js';

const OPTIONS: WeighOptions = {
  model: 'counters',
  coefficients: [DEFAULT_COEFFICIENTS],
  seed: DEFAULT_SEED,
  dramSplit: 'misses',
  memory: undefined,
  hasCoreScales: false,
};

const weights = (window: ActivityWindow, options: Partial<WeighOptions> = {}) =>
  weigh(window, { ...OPTIONS, ...options });

/** One millisecond at 3 GHz, all of it counted. */
const counted = (fields: Parameters<typeof taskSample>[0] = {}) =>
  taskSample({
    runtimeNanos: 1_000_000,
    uncountedNanos: 0,
    cycles: 3_000_000,
    phiCycles: 3_000_000,
    instructions: 6_000_000,
    phiInstructions: 6_000_000,
    packageOnNanos: 250_000,
    ...fields,
  });

describe('weigh', () => {
  it('adds up the terms of the counter model in nanojoules', () => {
    const { core, uncore, split, countedShare } = weights(
      activityWindow({ tasks: [counted({ phiVector: 1_000_000, llcMisses: 10_000 })] }),
    );
    expect(core.tasks[0]).toBeCloseTo(0.6 * 3e6 + 0.35 * 6e6 + 0.6 * 1e6 + 0.5 * 1e6, 3);
    expect(uncore.tasks[0]).toBeCloseTo(4 * 10_000 + 6 * 250_000, 3);
    expect([split, countedShare]).toEqual(['counters', 1]);
  });

  it('takes half of the core time while the other thread is busy', () => {
    const alone = weights(activityWindow({ tasks: [counted()] })).core.tasks[0] ?? NaN;
    const shared = weights(activityWindow({ tasks: [counted({ overlapNanos: 1_000_000 })] }));
    expect(alone - (shared.core.tasks[0] ?? NaN)).toBeCloseTo(0.5 * 0.5e6, 3);
  });

  it('is the time model where nothing was counted, and says so', () => {
    const task = taskSample({
      runtimeNanos: 1_000_000,
      uncountedPhiCycles: 2_000_000,
      packageOnNanos: 500_000,
    });
    const cpus = [cpuSample({ frequencyKhz: 2_000_000 })];
    for (const model of ['counters', 'time'] as const) {
      const { core, uncore, split } = weights(activityWindow({ tasks: [task], cpus }), { model });
      expect(core.tasks[0]).toBeCloseTo((0.6 + 1.2 * 0.35) * 2e6 + 0.5 * 1e6, 3);
      expect(uncore.tasks[0]).toBeCloseTo(6 * 500_000, 3);
      expect(split).toBe('time');
    }
  });

  it('makes up a nominal frequency where none is known', () => {
    const task = taskSample({ runtimeNanos: 1_000_000, packageOnNanos: 0 });
    const { core } = weights(activityWindow({ tasks: [task] }));
    expect(core.tasks[0]).toBeCloseTo((0.6 + 1.2 * 0.35) * 2.5e6 + 0.5 * 1e6, 3);
  });

  it('takes an uncounted slice for what the same task does when it is counted', () => {
    const whole = counted({ llcMisses: 60_000, runtimeNanos: 100_000_000, packageOnNanos: 0 });
    const half = counted({
      tgid: 2,
      runtimeNanos: 100_000_000,
      uncountedNanos: 50_000_000,
      phiCycles: 150_000_000,
      phiInstructions: 30_000_000,
      uncountedPhiCycles: 150_000_000,
      packageOnNanos: 0,
    });
    const all = counted({
      tgid: 3,
      runtimeNanos: 100_000_000,
      phiCycles: 300_000_000,
      phiInstructions: 60_000_000,
      packageOnNanos: 0,
    });
    const window = activityWindow({
      tasks: [whole, half, all],
      cpus: [cpuSample({ frequencyKhz: 3_000_000 })],
    });
    const { core, countedShare } = weights(window);
    // Within the weight of the domain's mean, 3 million cycles.
    expect((core.tasks[1] ?? NaN) / (core.tasks[2] ?? NaN)).toBeCloseTo(1, 1);
    expect(countedShare).toBeCloseTo(5 / 6, 9);
  });

  it('takes interrupts out of what the counters saw of a slice', () => {
    const cpus = [cpuSample({ irqNanos: 1_000_000 })];
    const task = counted({ sliceNanos: 2_000_000 });
    const { core } = weights(activityWindow({ tasks: [task], cpus }));
    // Half of the cycles were interrupts', which run 0.8 instructions in each.
    const irqCycles = 1.5e6;
    expect(core.tasks[0]).toBeCloseTo(0.6 * 1.5e6 + 0.35 * (6e6 - 0.8 * irqCycles) + 0.5e6, 3);
    expect(core.cpuDomains.get(0)?.irq).toBeCloseTo((0.6 + 0.35 * 0.8) * irqCycles + 0.5e6, 3);
  });

  it('weighs time without a row at its CPU domain’s mean, overflow only once', () => {
    const window = (known: number) =>
      activityWindow({
        tasks: [counted({ runtimeNanos: 1_000_000 })],
        cpus: [cpuSample({ unslottedNanos: 500_000, overflowNanos: 100 })],
        overflow: [overflowSample({ runtimeNanos: known })],
      });
    const { core } = weights(window(30));
    const perNano = (core.tasks[0] ?? NaN) / 1_000_000;
    expect(core.cpuDomains.get(0)?.unslotted).toBeCloseTo(500_000 * perNano, 3);
    expect(core.cpuDomains.get(0)?.overflow).toBeCloseTo(70 * perNano, 9);
    expect(core.overflow[0]).toBeCloseTo(30 * perNano, 9);
    expect(weights(window(130)).core.cpuDomains.get(0)?.overflow).toBe(0);
  });

  it('takes the cores’ prediction from the kernel where it is scaled by their own counters', () => {
    const window = activityWindow({ tasks: [counted({ predictedCoreNanojoules: 42 })] });
    expect(weights(window, { hasCoreScales: true }).core.tasks[0]).toBe(42);
  });

  it('splits memory by misses, else by time, or by resident memory if that is asked for', () => {
    const window = activityWindow({
      tasks: [counted({ llcMisses: 9 }), counted({ tgid: 200, llcMisses: 1 })],
    });
    const memory = {
      nodeSharesOfCgroup: new Map(),
      residentBytesOfProcess: new Map([
        [100, 1],
        [200, 3],
      ]),
    };
    const ratio = (options: Partial<WeighOptions>): readonly [number, string] => {
      const { memory: pool, memorySplit } = weights(window, { memory, ...options });
      return [(pool.tasks[0] ?? NaN) / (pool.tasks[1] ?? NaN), memorySplit];
    };
    expect(ratio({})).toEqual([9, 'counters']);
    expect(ratio({ dramSplit: 'time' })).toEqual([1, 'time']);
    expect(ratio({ dramSplit: 'rss' })).toEqual([1 / 3, 'rss']);
    expect(ratio({ dramSplit: 'rss', memory: undefined })).toEqual([1, 'time']);
    const none = activityWindow({ tasks: [counted()] });
    expect(weights(none).memorySplit).toBe('time');
  });
});

describe('the seed’s formula', () => {
  it('weighs CPU time by 1 + α·(IPC − base), never below zero', () => {
    const slow = counted({ tgid: 2, instructions: 300_000 });
    const window = activityWindow({ tasks: [counted(), slow] });
    const { core, split } = weights(window, {
      model: 'seed',
      seed: { alpha: 0.5, baseInstructionsPerCycle: 1 },
    });
    expect(split).toBe('seed');
    expect(core.tasks[0]).toBeCloseTo(1e6 * (1 + 0.5 * (2 - 1)), 3);
    expect(core.tasks[1]).toBeCloseTo(1e6 * (1 + 0.5 * (0.1 - 1)), 3);
    const steep = { alpha: 1, baseInstructionsPerCycle: 3 };
    expect(weights(window, { model: 'seed', seed: steep }).core.tasks[1]).toBe(0);
  });

  it('gives 80 % of shared time to a thread with more than three times the IPC, and no factor on top', () => {
    const shared = { overlapNanos: 1_000_000 };
    const window = activityWindow({
      tasks: [counted(shared), counted({ tgid: 2, ...shared, instructions: 300_000 })],
    });
    const { core } = weights(window, { model: 'seed' });
    const [fast = NaN, slow = NaN] = core.tasks;
    expect(fast / (fast + slow)).toBeCloseTo(0.8, 9);
  });
});
