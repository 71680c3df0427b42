// SPDX-License-Identifier: Apache-2.0
/** A report's containers, pods, jobs and units as rows, with what is in none of them. Pure. */
import type { AgentReport, WorkloadRow } from '../../model/agent-report.js';
import type { CgroupLevel } from '../../model/ledger-view.js';
import { remainder } from './remainder.js';
import { energyOnly, type ViewRow } from './row.js';

/** What runtimes themselves print of an id. */
const ID_DIGITS = 12;

const shortId = (id: string): string => (/^[0-9a-f]{64}$/.test(id) ? id.slice(0, ID_DIGITS) : id);

const nameOf = (level: CgroupLevel, { id, name, system }: WorkloadRow): string => {
  if (level === 'job') return `${system ?? 'job'} ${id}`;
  return name ?? shortId(id);
};

const withinOf = (level: CgroupLevel, { within, system }: WorkloadRow): string => {
  const place = shortId(within ?? '');
  return level === 'container' ? [system, place].filter(Boolean).join(' ') : place;
};

const viewRow = (level: CgroupLevel, row: WorkloadRow): ViewRow => ({
  ...energyOnly(row),
  key: [level, row.system, row.id, row.within, row.owner].join(' '),
  pid: undefined,
  user: row.owner ?? '',
  count: row.processCount,
  name: nameOf(level, row),
  id: row.id,
  cgroup: withinOf(level, row),
  depth: 0,
  kind: 'entity',
});

export const workloadRows = ({ workloads }: AgentReport, level: CgroupLevel): readonly ViewRow[] =>
  workloads?.[level].rows.map((row) => viewRow(level, row)) ?? [];

export const workloadRemainders = (
  { workloads }: AgentReport,
  level: CgroupLevel,
): readonly ViewRow[] => {
  if (workloads === undefined) return [];
  const { exited, overflow, none } = workloads[level];
  return [
    ...remainder('(exited)', exited),
    ...remainder('(over the cap)', overflow),
    ...remainder(`(in no ${level})`, none),
  ];
};
