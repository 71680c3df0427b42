// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { workloadAttributes } from '../../../receiver/export/workload-entities.js';
import type { Remainder, WorkloadTotals } from '../../../receiver/model/ledger-view.js';
import {
  activityWindow,
  advancedReading,
  packageDomain,
  taskSample,
} from '../../support/windows.js';
import { identityNamed, newLedger, plainIdentities, play } from '../../support/ledger.js';

const id = (index: number): string => index.toString(16).padStart(64, 'a');

/** A container in a container in a container. */
const pathOf = (chain: readonly number[]): string =>
  chain.map((index) => `/docker/${id(index)}`).join('');

const ledgerOf = (paths: readonly string[]) => {
  const ledger = newLedger(
    {},
    {
      ...plainIdentities,
      cgroupPath: (cgroup) => paths[Number(cgroup)] ?? '/',
      cgroupIdentity: (cgroup) => identityNamed(paths[Number(cgroup)] ?? '/'),
    },
  );
  const tasks = paths.map((_, at) =>
    taskSample({ tgid: at + 10, cgroupId: BigInt(at), runtimeNanos: 1_000 * (at + 1) }),
  );
  play(ledger, activityWindow({ tasks }), [advancedReading(packageDomain(), 1_000_000)]);
  return ledger;
};

const containersOf = (paths: readonly string[]): readonly WorkloadTotals[] => [
  ...ledgerOf(paths).workloads('container'),
];

const packageSum = (totals: Iterable<Remainder>): bigint =>
  [...totals].reduce((sum, { energy }) => sum + energy.package, 0n);

describe('workloadAttributes of nested containers', () => {
  it('names the one around, and the outermost', () => {
    const [, , deepest] = containersOf([pathOf([1]), pathOf([1, 2]), pathOf([1, 2, 3])]);
    expect(deepest && workloadAttributes(deepest)).toMatchObject({
      'container.id': id(3),
      'wattfeed.container.outer.id': id(2),
      'wattfeed.container.root.id': id(1),
    });
  });

  it('says neither of a container that is in none', () => {
    const [only] = containersOf([pathOf([1])]);
    expect(Object.keys((only && workloadAttributes(only)) ?? {})).toEqual([
      'container.id',
      'container.runtime.name',
    ]);
  });

  it('lets all joules be found by the outermost containers, however deep they were spent', () => {
    const chain = fc.uniqueArray(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(fc.uniqueArray(chain.map(pathOf), { minLength: 1, maxLength: 8 }), (paths) => {
        const ledger = ledgerOf(paths);
        const containers = [...ledger.workloads('container')];
        for (const root of [1, 2, 3, 4]) {
          const found = containers.filter((container) => {
            const attributes = workloadAttributes(container);
            const outermost = attributes['wattfeed.container.root.id'];
            return (outermost ?? attributes['container.id']) === id(root);
          });
          const below = [...ledger.cgroups()].filter(({ path }) => path.startsWith(pathOf([root])));
          expect(packageSum(found)).toBe(packageSum(below));
        }
      }),
    );
  });
});
