// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decide, INITIAL_STATE, type DecideState } from '../../../policy/decide.js';
import type { Observation } from '../../../policy/observation.js';
import type { CgroupPolicy, Policy, PolicySettings } from '../../../policy/policy.js';
import {
  budget,
  cgroup,
  cgroupsArbitrary,
  cpuPackage,
  observation,
  packagesArbitrary,
  SETTINGS,
} from '../../support/policy.js';

const run = (windows: readonly Observation[], settings: PolicySettings): readonly Policy[] => {
  let state: DecideState = INITIAL_STATE;
  return windows.map((window) => {
    const decision = decide(state, window, settings);
    state = decision.state;
    return decision.policy;
  });
};

const at = (policy: Policy | undefined, path: string): CgroupPolicy => {
  const found = policy?.cgroups.find((one) => one.path === path);
  if (found === undefined) throw new Error(`no policy of ${path}`);
  return found;
};

const steady = (watts: number, windows: number): readonly Observation[] =>
  Array.from({ length: windows }, () =>
    observation({ cgroups: [cgroup('/batch', { packageWatts: watts })] }),
  );

describe('decide: power of cgroups', () => {
  it('is the own power and that of everything below, so that the root has all', () => {
    fc.assert(
      fc.property(cgroupsArbitrary, (cgroups) => {
        const [policy] = run([observation({ cgroups })], SETTINGS);
        const total = cgroups.reduce((sum, { packageWatts }) => sum + packageWatts, 0);
        for (const one of policy?.cgroups ?? []) {
          const below = cgroups.filter(
            ({ path }) => one.path === '/' || path === one.path || path.startsWith(`${one.path}/`),
          );
          const expected = below.reduce((sum, { packageWatts }) => sum + packageWatts, 0);
          expect(one.watts).toBeCloseTo(expected, 6);
          expect(one.watts).toBeLessThanOrEqual(total + 1e-6);
        }
      }),
    );
  });

  it('keeps those with a budget, then the heaviest, where not all fit', () => {
    const cgroups = [1, 2, 3, 4].map((watts) =>
      cgroup(`/c${String(watts)}`, { id: BigInt(watts), packageWatts: watts }),
    );
    const [policy] = run([observation({ cgroups })], {
      ...SETTINGS,
      maxCgroups: 2,
      budgets: [budget('/c1', 50)],
    });
    expect(policy?.cgroups.map(({ path }) => path)).toEqual(['/c1', '/c4']);
  });
});

describe('decide: budgets', () => {
  it('bind the nearest cgroup at or above', () => {
    const cgroups = [cgroup('/a'), cgroup('/a/b'), cgroup('/a/b/c'), cgroup('/d')];
    const [policy] = run([observation({ cgroups })], {
      ...SETTINGS,
      budgets: [budget('/a', 10), budget('/a/b', 5)],
    });
    expect(at(policy, '/a').budgetWatts).toBe(10);
    expect(at(policy, '/a/b/c')).toMatchObject({
      budgetWatts: 5,
      budgetOwner: at(policy, '/a/b').id,
    });
    expect(at(policy, '/d').budgetOwner).toBeUndefined();
  });

  it('allow the burst first, then say over, and for a child what holds for its owner', () => {
    const windows = Array.from({ length: 6 }, () =>
      observation({
        cgroups: [cgroup('/batch', { packageWatts: 5 }), cgroup('/batch/x', { packageWatts: 15 })],
      }),
    );
    const policies = run(windows, {
      ...SETTINGS,
      budgets: [budget('/batch', 10, { burstMillis: 3000 })],
    });
    const over = policies.map((policy) => at(policy, '/batch').isOverBudget);
    // 10 W above the budget fill 30 J in three seconds; full is not yet over
    expect(over).toEqual([false, false, false, true, true, true]);
    expect(at(policies[0], '/batch').isBursting).toBe(true);
    expect(policies.map((policy) => at(policy, '/batch/x').isOverBudget)).toEqual(over);
  });

  it('are never over while power stays at or below them', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0.5, max: 100, noNaN: true }),
        fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 30 }),
        fc.integer({ min: 0, max: 10_000 }),
        (watts, ratios, burstMillis) => {
          const windows = ratios.map((ratio) =>
            observation({ cgroups: [cgroup('/batch', { packageWatts: watts * ratio })] }),
          );
          const policies = run(windows, {
            ...SETTINGS,
            budgets: [budget('/batch', watts, { burstMillis })],
          });
          return policies.every((policy) => !at(policy, '/batch').isOverBudget);
        },
      ),
    );
  });

  it('are over for good within a bounded time under power that stays above', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 1, max: 100, noNaN: true }),
        fc.double({ min: 1.2, max: 5, noNaN: true }),
        fc.integer({ min: 0, max: 5_000 }),
        (watts, factor, burstMillis) => {
          const limit = Math.ceil(burstMillis / 1000 / (factor - 1)) + 2;
          const policies = run(steady(watts * factor, limit + 5), {
            ...SETTINGS,
            budgets: [budget('/batch', watts, { burstMillis })],
          });
          return policies.slice(limit).every((policy) => at(policy, '/batch').isOverBudget);
        },
      ),
    );
  });

  it('do not flap under noise around the budget', () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 0.9, max: 1.1, noNaN: true }), { minLength: 60, maxLength: 60 }),
        (ratios) => {
          const windows = ratios.map((ratio) =>
            observation({ cgroups: [cgroup('/batch', { packageWatts: 10 * ratio })] }),
          );
          const over = run(windows, {
            ...SETTINGS,
            budgets: [budget('/batch', 10, { burstMillis: 1000 })],
          }).map((policy) => at(policy, '/batch').isOverBudget);
          const changes = over.filter((is, index) => index > 0 && is !== over[index - 1]).length;
          // one way takes ten windows of the full noise, the other five
          return changes <= 8;
        },
      ),
    );
  });

  it('say a lower ratio for a higher budget', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 1, max: 100, noNaN: true }),
        fc.double({ min: 1.1, max: 4, noNaN: true }),
        (watts, factor) => {
          const ratioUnder = (budgetWatts: number): number =>
            at(
              run(steady(20, 3), { ...SETTINGS, budgets: [budget('/batch', budgetWatts)] })[2],
              '/batch',
            ).overRatio ?? 0;
          return ratioUnder(watts * factor) < ratioUnder(watts);
        },
      ),
    );
  });
});

describe('decide: packages', () => {
  it('have headroom or an excess, never both, and together they are limit and power', () => {
    fc.assert(
      fc.property(packagesArbitrary, (packages) => {
        const [policy] = run([observation({ packages })], SETTINGS);
        for (const one of policy?.packages ?? []) {
          expect(one.headroomWatts * one.overWatts).toBe(0);
          if (one.limitWatts === undefined) expect(one.headroomWatts).toBe(0);
          else expect(one.watts + one.headroomWatts - one.overWatts).toBeCloseTo(one.limitWatts, 6);
        }
      }),
    );
  });

  it('without a reading are left out: a power of zero would promise headroom', () => {
    const [policy] = run([observation({ packages: [cpuPackage({ watts: undefined })] })], SETTINGS);
    expect(policy?.packages).toEqual([]);
  });

  it('give batch work what the limit, its reserve and all others leave', () => {
    const [policy] = run(
      [
        observation({
          cgroups: [cgroup('/batch', { packageWatts: 12 }), cgroup('/web', { packageWatts: 8 })],
          packages: [cpuPackage({ watts: 40, limitWatts: 50 })],
        }),
      ],
      { ...SETTINGS, batch: [{ _tag: 'Path', path: '/batch' }], headroomReserve: 0.1 },
    );
    // 50 - 10 % - (40 - 12)
    expect(at(policy, '/batch').headroomBudgetWatts).toBeCloseTo(17, 6);
    expect(at(policy, '/web').headroomBudgetWatts).toBeUndefined();
  });

  it('bring predictions near the measured active power', () => {
    const windows = Array.from({ length: 20 }, () =>
      observation({
        packages: [cpuPackage({ watts: 34, idleFloorWatts: 10, predictedWatts: 20 })],
      }),
    );
    expect(run(windows, SETTINGS).at(-1)?.packages[0]?.predictionScale).toBeCloseTo(1.2, 6);
  });
});

describe('decide: classes', () => {
  it('change only after three windows of the same', () => {
    const memory = cgroup('/w', { instructions: 1e9, llcMisses: 2e7, countedSeconds: 1 });
    const compute = cgroup('/w', { instructions: 3e9, llcMisses: 1e4, countedSeconds: 1 });
    const seen = run(
      [compute, memory, memory, compute, memory, memory, memory].map((one) =>
        observation({ cgroups: [one] }),
      ),
      SETTINGS,
    ).map((policy) => at(policy, '/w').workload);
    expect(seen).toEqual([
      'compute',
      'compute',
      'compute',
      'compute',
      'compute',
      'compute',
      'memory-bound',
    ]);
  });

  it('tell short voluntary runs and judged spinning', () => {
    const [policy] = run(
      [
        observation({
          cgroups: [
            cgroup('/db', { cpuRatio: 0.1, voluntarySwitches: 900, involuntarySwitches: 10 }),
            cgroup('/spin', { spinRatio: 0.9 }),
            cgroup('/rest', { cpuRatio: 0 }),
          ],
        }),
      ],
      SETTINGS,
    );
    expect(at(policy, '/db').workload).toBe('latency');
    expect(at(policy, '/spin').workload).toBe('spinning');
    expect(at(policy, '/rest').workload).toBe('unknown');
  });
});

describe('decide: reference power', () => {
  it('is a busy CPU’s active power, and never 0', () => {
    const [first] = run([observation({ packages: [cpuPackage()] })], SETTINGS);
    // (30 - 10) W by half of four CPUs
    expect(first?.referenceWatts).toBeCloseTo(10, 6);
    const [idle] = run([observation({ packages: [cpuPackage({ busyRatio: 0 })] })], SETTINGS);
    expect(idle?.referenceWatts).toBeGreaterThan(0);
  });
});
