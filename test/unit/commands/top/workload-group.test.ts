// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { rowsOf, type RowsRequest } from '../../../../receiver/commands/top/rows.js';
import type { Grouping, ViewRow } from '../../../../receiver/commands/top/row.js';
import type { AgentReport } from '../../../../receiver/model/agent-report.js';
import {
  agentReport,
  energyRow,
  workloadPart,
  workloadRow,
} from '../../../support/agent-report.js';

const ID = 'ab12'.repeat(16);
const POD = '5f32d849-6210-4886-a48d-e0d90e1d0206';

const WORKLOADS: NonNullable<AgentReport['workloads']> = {
  container: workloadPart(
    [
      workloadRow(ID, 3, { system: 'containerd', within: POD }),
      workloadRow('c'.repeat(64), 7, { name: 'web', system: 'docker' }),
    ],
    { exited: energyRow(2), overflow: energyRow(0.5) },
  ),
  pod: workloadPart([workloadRow(POD, 3, { name: 'shop/web-0', within: 'burstable' })]),
  job: workloadPart([workloadRow('4711', 9, { system: 'slurm', owner: 'alice' })]),
  unit: workloadPart([workloadRow('nginx.service', 4, { within: 'system.slice' })]),
};

const report = agentReport({ workloads: WORKLOADS });

const rows = (grouping: Grouping, more: Partial<RowsRequest> = {}, of = report) =>
  rowsOf(of, {
    grouping,
    threadsOf: undefined,
    isTree: false,
    sort: 'watts',
    isReversed: false,
    filter: '',
    ...more,
  });

const shown = ({ name, user, cgroup, packageWatts }: ViewRow) => [name, user, cgroup, packageWatts];

describe('rowsOf by workload', () => {
  it('names a container by its name, else by the digits that runtimes print', () => {
    expect(rows('container').map(shown)).toEqual([
      ['web', '', 'docker', 7],
      ['ab12ab12ab12', '', `containerd ${POD}`, 3],
      ['(exited)', '', '', 2],
      ['(in no container)', '', '', 1],
      ['(over the cap)', '', '', 0.5],
    ]);
  });

  it('names pods, jobs and units as their own systems do', () => {
    expect(rows('pod').map(shown)[0]).toEqual(['shop/web-0', '', 'burstable', 3]);
    expect(rows('job').map(shown)[0]).toEqual(['slurm 4711', 'alice', '', 9]);
    expect(rows('unit').map(shown)[0]).toEqual(['nginx.service', '', 'system.slice', 4]);
  });

  it('finds a row by its whole id', () => {
    expect(rows('container', { filter: ID }).map(({ id }) => id)).toEqual([ID]);
  });

  it('has no rows where the agent is an older one that does not send any', () => {
    expect(rows('pod', {}, agentReport())).toEqual([]);
  });
});

describe('rowsOf by name and user', () => {
  const names = [
    { ...energyRow(30), name: 'stress-ng-cpu' },
    { ...energyRow(5), name: 'cc1' },
  ];
  const of = agentReport({ names, overflowNames: energyRow(0.25) });

  it('takes the accounts of their own, which hold what ended processes burned', () => {
    expect(rows('name', {}, of)).toMatchObject([
      { name: 'stress-ng-cpu', packageWatts: 30, count: 2, user: 'alice' },
      { name: 'cc1', packageWatts: 5, count: 0, kind: 'exited' },
      { name: '(over the cap)', packageWatts: 0.25 },
    ]);
  });
});
