// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  attribute,
  DEFAULT_SETTINGS,
  taskShareAt,
} from '../../../receiver/attribution/attribute.js';
import type { ActivityWindow } from '../../../receiver/model/activity.js';
import { watts, type Watts } from '../../../receiver/model/units.js';
import type { DomainBalance, DomainReading } from '../../../receiver/model/window.js';
import { history } from '../../support/random-window.js';
import {
  activityWindow,
  advancedReading,
  cpuSample,
  dramDomain,
  overflowSample,
  packageDomain,
  platformDomain,
  taskSample,
  topologyOf,
} from '../../support/windows.js';

const NO_FLOORS: ReadonlyMap<string, Watts | undefined> = new Map();

const run = (
  window: ActivityWindow,
  readings: readonly DomainReading[],
  { packages = 1, floors = NO_FLOORS } = {},
) => attribute({ window, readings, topology: topologyOf(packages), idleFloors: floors });

const partsOf = (balance: DomainBalance): bigint =>
  balance.entitiesMicrojoules +
  balance.idleMicrojoules +
  balance.irqMicrojoules +
  balance.igpuMicrojoules +
  [...balance.unattributed.values()].reduce<bigint>((sum, part) => sum + part, 0n);

const sum = (values: Float64Array): bigint =>
  values.reduce((all, value) => all + BigInt(value), 0n);

const packageShares = (window: ActivityWindow, readings: readonly DomainReading[], packages = 1) =>
  Array.from(run(window, readings, { packages }).shares.tasks.package);

describe('attribute', () => {
  it('conserves every accepted delta to the microjoule, per domain and window', () => {
    fc.assert(
      fc.property(history(6), ({ topology, idleFloors, steps }) => {
        for (const { window, readings } of steps) {
          const result = attribute({ window, readings, topology, idleFloors });
          expect(result.inconsistencies).toEqual([]);
          const accepted = readings.filter(
            ({ domain, step }) => domain.isAttributed && step._tag === 'Advanced',
          );
          expect(result.balances.map(({ domain }) => domain.id)).toEqual(
            accepted.map(({ domain }) => domain.id),
          );
          accepted.forEach(({ step }, i) => {
            const balance = result.balances[i];
            if (balance === undefined || step._tag !== 'Advanced') throw new Error('no balance');
            expect(balance.deltaMicrojoules).toBe(step.deltaMicrojoules);
            expect(partsOf(balance)).toBe(step.deltaMicrojoules);
          });
        }
      }),
      { numRuns: 300 },
    );
  });

  it('gives the rows exactly what the balances call the entities’', () => {
    fc.assert(
      fc.property(history(4), ({ topology, idleFloors, steps }) => {
        for (const { window, readings } of steps) {
          const { balances, shares } = attribute({ window, readings, topology, idleFloors });
          for (const kind of ['package', 'dram'] as const) {
            const entities = balances
              .filter(({ domain }) => domain.kind === kind)
              .reduce((all, balance) => all + balance.entitiesMicrojoules, 0n);
            expect(sum(shares.tasks[kind]) + sum(shares.overflow[kind])).toBe(entities);
          }
        }
      }),
      { numRuns: 300 },
    );
  });

  it('gives a single task everything above the floor', () => {
    const window = activityWindow({ tasks: [taskSample({ runtimeNanos: 1_000 })] });
    const floors = new Map([['intel-rapl:0', watts(10)]]);
    const result = run(window, [advancedReading(packageDomain(), 25_000_000)], { floors });
    expect(taskShareAt(result.shares, 0).energy).toEqual({ package: 15_000_000n, dram: 0n });
    expect(result.balances[0]?.idleMicrojoules).toBe(10_000_000n);
    expect(result.balances[0]?.idleFloorWatts).toBe(10);
  });

  it('scales the floor with the span of the energy reading, not with the window', () => {
    const window = activityWindow({ tasks: [taskSample({ runtimeNanos: 1_000 })] });
    const floors = new Map([['intel-rapl:0', watts(10)]]);
    const reading = advancedReading(packageDomain(), 25_000_000, 2_000_000_000);
    expect(run(window, [reading], { floors }).balances[0]?.idleMicrojoules).toBe(20_000_000n);
  });

  it('splits only this window’s part of energy that came late', () => {
    // 30 J over 3 s, of which 2 s could not be read; 4 W of it are idle.
    const late = advancedReading(packageDomain(), 30_000_000, 3e9, 2e9);
    const floors = new Map([[packageDomain().id, watts(4)]]);
    const [balance] = run(activityWindow({ tasks: [taskSample({ runtimeNanos: 1e9 })] }), [late], {
      floors,
    }).balances;
    expect(balance).toMatchObject({
      deltaMicrojoules: 30_000_000n,
      spanNanos: 3_000_000_000n,
      entitiesMicrojoules: 6_000_000n,
      idleMicrojoules: 12_000_000n,
      unattributed: new Map([['missed-reading', 12_000_000n]]),
    });
  });

  it('conserves energy that came late, whatever its size and its parts', () => {
    const amount = fc.integer({ min: 0, max: 10_000_000 });
    const span = fc.integer({ min: 1, max: 4_000_000_000 });
    fc.assert(
      fc.property(amount, span, fc.double({ min: 0, max: 1, noNaN: true }), amount, (...drawn) => {
        const [energy, spanNanos, missedRatio, floorMilliwatts] = drawn;
        const missed = Math.round(spanNanos * missedRatio);
        const late = advancedReading(packageDomain(), energy, spanNanos, missed);
        const floors = new Map([[packageDomain().id, watts(floorMilliwatts / 1000)]]);
        const window = activityWindow({ tasks: [taskSample({ runtimeNanos: 1e9 })] });
        const { balances, inconsistencies } = run(window, [late], { floors });
        expect(inconsistencies).toEqual([]);
        expect(balances.map(partsOf)).toEqual([BigInt(energy)]);
      }),
    );
  });

  it('calls everything active while no floor is known and something ran', () => {
    const window = activityWindow({ tasks: [taskSample({ runtimeNanos: 1 })] });
    const [balance] = run(window, [advancedReading(packageDomain(), 777)]).balances;
    expect(balance?.entitiesMicrojoules).toBe(777n);
    expect(balance?.idleMicrojoules).toBe(0n);
    expect(balance?.idleFloorWatts).toBeUndefined();
  });

  it('calls everything idle when nothing ran', () => {
    const window = activityWindow({ tasks: [taskSample({ runtimeNanos: 0 })] });
    for (const floors of [NO_FLOORS, new Map([['intel-rapl:0', watts(1)]])]) {
      const reading = advancedReading(packageDomain(), 5_000_000);
      const result = run(window, [reading], { floors });
      expect(result.balances[0]?.idleMicrojoules).toBe(5_000_000n);
      expect(Array.from(result.shares.tasks.package)).toEqual([0]);
    }
  });

  it('leaves nothing to entities in a window below the floor', () => {
    const window = activityWindow({ tasks: [taskSample({ runtimeNanos: 500 })] });
    const floors = new Map([['intel-rapl:0', watts(10)]]);
    const [balance] = run(window, [advancedReading(packageDomain(), 3_000_000)], {
      floors,
    }).balances;
    expect(balance?.idleMicrojoules).toBe(3_000_000n);
    expect(balance?.entitiesMicrojoules).toBe(0n);
  });

  it('splits by CPU time, memory by the same weights', () => {
    const window = activityWindow({
      tasks: [
        taskSample({ tgid: 1, runtimeNanos: 300_000_000 }),
        taskSample({ tgid: 2, runtimeNanos: 100_000_000 }),
      ],
    });
    const readings = [advancedReading(packageDomain(), 40), advancedReading(dramDomain(), 8)];
    const { shares, balances } = run(window, readings);
    expect(Array.from(shares.tasks.package)).toEqual([30, 10]);
    expect(Array.from(shares.tasks.dram)).toEqual([6, 2]);
    expect(balances.map(({ split }) => split)).toEqual(['time', 'time']);
  });

  it('charges cycles beside a busy sibling 0.55 of those alone, and half the core', () => {
    const shared = { runtimeNanos: 1_000, overlapNanos: 1_000, uncountedPhiCycles: 550 };
    const window = activityWindow({
      tasks: [
        taskSample({ tgid: 1, ...shared, packageOnNanos: 0 }),
        taskSample({ tgid: 2, ...shared, packageOnNanos: 0 }),
        taskSample({ tgid: 3, runtimeNanos: 1_000, packageOnNanos: 0 }),
      ],
    });
    // (0.6 + 1.2 * 0.35) nJ a cycle of 2.5 GHz and 0.5 W of core: 1.6525 and 3.05 nJ a nanosecond.
    expect(packageShares(window, [advancedReading(packageDomain(), 12_710)])).toEqual([
      3_305, 3_305, 6_100,
    ]);
  });

  it('charges each package to what ran on it', () => {
    const window = activityWindow({
      tasks: [
        taskSample({ tgid: 1, runtimeNanos: 500, cpuDomain: 0 }),
        taskSample({ tgid: 2, runtimeNanos: 500, cpuDomain: 1 }),
        taskSample({ tgid: 2, slot: 9, runtimeNanos: 500, cpuDomain: 0 }),
      ],
    });
    const readings = [
      advancedReading(packageDomain(0), 100),
      advancedReading(packageDomain(1), 7_000),
    ];
    expect(packageShares(window, readings, 2)).toEqual([50, 7_000, 50]);
  });

  it('charges a domain without a package to everything', () => {
    const window = activityWindow({
      tasks: [
        taskSample({ tgid: 1, runtimeNanos: 500, cpuDomain: 0 }),
        taskSample({ tgid: 2, runtimeNanos: 500, cpuDomain: 1 }),
      ],
    });
    const host = packageDomain(0, { id: 'model', packageId: undefined, origin: 'modelled' });
    expect(packageShares(window, [advancedReading(host, 100)], 2)).toEqual([50, 50]);
  });

  it('keeps interrupts, unslotted and unknown overflow out of the entities', () => {
    const window = activityWindow({
      tasks: [taskSample({ runtimeNanos: 400 })],
      overflow: [overflowSample({ cgroupId: 7n, runtimeNanos: 200 })],
      cpus: [cpuSample({ irqNanos: 100, unslottedNanos: 200, overflowNanos: 300 })],
    });
    const { balances, shares } = run(window, [advancedReading(packageDomain(), 1_000)]);
    const [balance] = balances;
    expect(balance?.irqMicrojoules).toBe(100n);
    expect(balance?.unattributed).toEqual(
      new Map([
        ['unslotted', 200n],
        ['overflow', 100n],
      ]),
    );
    expect(balance?.entitiesMicrojoules).toBe(600n);
    expect(Array.from(shares.overflow.package)).toEqual([200]);
  });

  it('does not guess where the topology lacks the package, or the window its CPUs', () => {
    const window = activityWindow({ tasks: [taskSample({ runtimeNanos: 400 })] });
    const unknown = run(window, [advancedReading(packageDomain(5), 900)]).balances[0];
    expect(unknown?.unattributed).toEqual(new Map([['unknown-package', 900n]]));
    const silent = run(window, [advancedReading(packageDomain(1), 900)], { packages: 2 });
    expect(silent.balances[0]?.unattributed).toEqual(new Map([['no-activity', 900n]]));
  });

  it('moves nothing for first, rejected and failed readings, nor for meters', () => {
    const window = activityWindow({ tasks: [taskSample({ runtimeNanos: 400 })] });
    const readings: DomainReading[] = [
      { domain: packageDomain(), step: { _tag: 'First' } },
      { domain: dramDomain(), step: { _tag: 'Rejected', reason: 'reset', detail: '' } },
      { domain: packageDomain(1), step: { _tag: 'Failed', reason: 'gone', detail: 'ENOENT' } },
      advancedReading(platformDomain(), 1_000_000),
    ];
    const { balances, shares } = run(window, readings, { packages: 2 });
    expect(balances).toEqual([]);
    expect(Array.from(shares.tasks.package)).toEqual([0]);
  });

  it('gives a delta it cannot split to nobody, says so, and books no negative one', () => {
    const window = activityWindow({ tasks: [taskSample({ runtimeNanos: 400 })] });
    const absurd = 2n ** 60n;
    const tooLarge = run(window, [advancedReading(packageDomain(), absurd)]);
    expect(tooLarge.inconsistencies[0]?.detail).toContain('beyond 2^52');
    expect(tooLarge.balances[0]?.unattributed).toEqual(new Map([['inconsistent', absurd]]));
    const negative = run(window, [advancedReading(packageDomain(), -1n)]);
    expect(negative.inconsistencies).toHaveLength(1);
    expect(negative.balances).toEqual([]);
  });

  it('survives features of nonsense, and still conserves', () => {
    const nonsense = [NaN, -5, Infinity, 1e308];
    const tasks = nonsense.map((phiCycles, at) =>
      taskSample({
        tgid: at + 1,
        runtimeNanos: 10,
        uncountedNanos: 0,
        phiCycles,
        phiInstructions: phiCycles,
        llcMisses: phiCycles,
      }),
    );
    const window = activityWindow({ tasks, cpus: [cpuSample({ unslottedNanos: 5 })] });
    const readings = [advancedReading(packageDomain(), 1_000), advancedReading(dramDomain(), 7)];
    for (const model of ['counters', 'time', 'seed'] as const) {
      const { balances, inconsistencies } = attribute({
        window,
        readings,
        topology: topologyOf(),
        idleFloors: NO_FLOORS,
        settings: { ...DEFAULT_SETTINGS, model },
      });
      expect(inconsistencies).toEqual([]);
      expect(balances.map(partsOf)).toEqual([1_000n, 7n]);
    }
  });
});
