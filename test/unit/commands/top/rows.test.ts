// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { filterOf, rowsOf, type RowsRequest } from '../../../../receiver/commands/top/rows.js';
import { GROUPINGS, SORT_KEYS, type ViewRow } from '../../../../receiver/commands/top/row.js';
import type { AgentReport } from '../../../../receiver/model/agent-report.js';
import {
  agentReport,
  cgroupRow,
  energyRow,
  NO_DRAM,
  processRow,
} from '../../../support/agent-report.js';

const rows = (request: Partial<RowsRequest> = {}, report: AgentReport = agentReport()) =>
  rowsOf(report, {
    grouping: 'process',
    threadsOf: undefined,
    isTree: false,
    sort: 'watts',
    isReversed: false,
    filter: '',
    ...request,
  });

const names = (list: readonly ViewRow[]): readonly string[] => list.map(({ name }) => name);
const watts = (list: readonly ViewRow[]): number =>
  list.reduce((sum, { packageWatts }) => sum + (packageWatts ?? NaN), 0);

describe('rowsOf', () => {
  it('puts the largest consumer first, remainders among the others', () => {
    expect(names(rows())).toEqual([
      'stress-ng-cpu',
      'stress-ng-cpu',
      'postgres',
      '(exited)',
      'stress-ng',
      'kworker/0:1',
      'systemd',
    ]);
  });

  it('sums by name and by user without losing a watt', () => {
    const whole = watts(rows());
    const byName = rows({ grouping: 'name' });
    expect(byName[0]).toMatchObject({ name: 'stress-ng-cpu', count: 2, packageWatts: 24 });
    const byUser = rows({ grouping: 'user' });
    expect(byUser[0]).toMatchObject({ name: 'alice', count: 3 });
    expect(watts(byName)).toBeCloseTo(whole, 9);
    expect(watts(byUser)).toBeCloseTo(whole, 9);
  });

  it('counts the processes of a cgroup', () => {
    expect(rows({ grouping: 'cgroup' })[0]).toMatchObject({
      name: '/user.slice/user-1000.slice',
      count: 3,
    });
  });

  it('filters by pid, by name, by cgroup and by user', () => {
    expect(names(rows({ filter: '812' }))).toEqual(['postgres']);
    expect(names(rows({ filter: '^STRESS' }))).toHaveLength(3);
    expect(names(rows({ filter: 'postgresql\\.service' }))).toEqual(['postgres']);
    expect(names(rows({ filter: 'alice' }))).toHaveLength(3);
    expect(rows({ filter: '(' })).toEqual([]);
    expect(filterOf('(')).toBeUndefined();
  });

  it('sorts pid and name upwards, and reverses', () => {
    const pids = rows({ sort: 'pid' }).map(({ pid }) => pid);
    expect(pids).toEqual([1, 17, 812, 900, 901, 902, undefined]);
    expect(rows({ sort: 'pid', isReversed: true }).map(({ pid }) => pid)).toEqual(
      pids.toReversed(),
    );
    expect(names(rows({ sort: 'name' })).at(-1)).toBe('systemd');
  });

  it('shows the threads of one process', () => {
    const { name: _name, ...energy } = { ...energyRow(1), name: '' };
    const threads = [
      { ...energy, tid: 812, pid: 812, name: 'postgres' },
      { ...energy, packageWatts: 2, tid: 813, pid: 812, name: 'wal' },
      { ...energy, tid: 1, pid: 1, name: 'other' },
    ];
    const list = rows({ threadsOf: 812 }, agentReport({ threads }));
    expect(list).toMatchObject([
      { pid: 813, name: 'wal', user: 'postgres' },
      { pid: 812, name: 'postgres' },
    ]);
  });
});

describe('rowsOf as a tree', () => {
  it('puts children under their parents and sums upwards', () => {
    const tree = rows({ isTree: true, filter: 'stress' });
    expect(tree.map(({ name, depth }) => `${'.'.repeat(depth)}${name}`)).toEqual([
      'systemd',
      '.stress-ng',
      '..stress-ng-cpu',
      '..stress-ng-cpu',
    ]);
    expect(tree[1]).toMatchObject({ packageWatts: 24.2, count: 3 });
  });

  it('hangs a cgroup under its nearest ancestor that has a row', () => {
    const report = agentReport({
      cgroups: [cgroupRow('/', 1), cgroupRow('/a/b/c', 2), cgroupRow('/a/b/c/d', 3)],
    });
    expect(
      rows({ isTree: true, grouping: 'cgroup' }, report).map(({ name, depth, packageWatts }) => [
        name,
        depth,
        packageWatts,
      ]),
    ).toEqual([
      ['/', 0, 6],
      ['/a/b/c', 1, 5],
      ['/a/b/c/d', 2, 3],
    ]);
  });

  it('shows processes whose parents form a ring', () => {
    const processes = [
      processRow(5, 'a', 1, { parentPid: 6 }),
      processRow(6, 'b', 1, { parentPid: 5 }),
      processRow(7, 'self', 1, { parentPid: 7 }),
    ];
    expect(names(rows({ isTree: true }, agentReport({ processes })))).toHaveLength(4);
  });

  it('stands a chain of forks as deep as there are pids', () => {
    const processes = Array.from({ length: 30_000 }, (_, at) =>
      processRow(at + 1, 'fork', 0.001, { parentPid: at }),
    );
    const tree = rows({ isTree: true }, agentReport({ processes }));
    expect(tree).toHaveLength(30_001);
    expect(tree[0]?.packageWatts).toBeCloseTo(30, 6);
  });

  it('shows each row once and keeps the sum, whatever the parents are', () => {
    const anyProcesses = fc
      .uniqueArray(fc.tuple(fc.integer({ min: 1, max: 30 }), fc.integer({ min: 0, max: 30 })), {
        selector: ([pid]) => pid,
      })
      .map((pairs) =>
        pairs.map(([pid, parentPid]) => processRow(pid, `p${pid}`, pid, { parentPid })),
      );
    fc.assert(
      fc.property(anyProcesses, fc.constantFrom(...SORT_KEYS), (processes, sort) => {
        const report = agentReport({ processes, exitedProcesses: energyRow(0) });
        const tree = rows({ isTree: true, sort }, report);
        expect(tree.map(({ pid }) => pid).sort()).toEqual(processes.map(({ pid }) => pid).sort());
        const hasRing = tree.length > 0 && tree.every(({ depth }) => depth > 0);
        expect(hasRing).toBe(false);
      }),
    );
  });
});

describe('rowsOf with values that are not known', () => {
  const unknown = { dramWatts: null };
  const report = agentReport({
    processes: [
      processRow(1, 'unknown', 9, { user: 'a', ...unknown }),
      processRow(2, 'small', 1, { user: 'a' }),
      processRow(3, 'large', 5, { user: 'b' }),
      processRow(4, 'unknown', 2, { user: 'c', ...unknown }),
    ],
    exitedProcesses: energyRow(0, unknown),
  });

  it('puts them last in either direction, ordered by joules', () => {
    const pids = (isReversed: boolean) =>
      rows({ sort: 'dram', isReversed }, report).map(({ pid }) => pid);
    expect(pids(false)).toEqual([3, 2, 1, 4]);
    expect(pids(true)).toEqual([2, 3, 1, 4]);
  });

  it('sums what is known, and knows no sum of nothing but unknown', () => {
    const byUser = new Map(
      rows({ grouping: 'user' }, report).map(({ name, dramWatts }) => [name, dramWatts]),
    );
    expect(byUser.get('a')).toBe(0.1);
    expect(byUser.get('c')).toBeNull();
    expect(rows({ grouping: 'name' }, report)[0]).toMatchObject({
      name: 'unknown',
      packageWatts: 11,
      dramWatts: null,
      dramJoules: 110,
    });
    const tree = rows(
      { isTree: true },
      agentReport({
        processes: [processRow(1, 'a', 1, NO_DRAM), processRow(2, 'b', 2, NO_DRAM)],
      }),
    );
    expect(tree[0]).toMatchObject({ name: 'a', packageWatts: 3, ...NO_DRAM });
  });

  it('has no row for a remainder that is empty', () => {
    const exitedProcesses = energyRow(0, NO_DRAM);
    expect(rows({}, agentReport({ processes: [], exitedProcesses }))).toEqual([]);
  });
});

describe('comparatorOf', () => {
  it('orders every view the same way twice', () => {
    for (const grouping of GROUPINGS) {
      for (const sort of SORT_KEYS) {
        const shuffled = agentReport({ processes: agentReport().processes.toReversed() });
        expect(rows({ grouping, sort }, shuffled).map(({ key }) => key)).toEqual(
          rows({ grouping, sort }).map(({ key }) => key),
        );
      }
    }
  });
});
