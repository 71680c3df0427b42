// SPDX-License-Identifier: Apache-2.0
/** A report's entities as rows: one per process, name, cgroup or user. Pure. */
import type {
  AgentReport,
  CgroupRow,
  EnergyRow,
  ProcessRow,
  ThreadRow,
} from '../../model/agent-report.js';
import { energyOnly, withEnergyOf, type Grouping, type ViewRow } from './row.js';

const processKind = (row: ProcessRow): ViewRow['kind'] =>
  row.isExited ? 'exited' : row.isKernelThread ? 'kernel-thread' : 'entity';

export const ofProcess = (row: ProcessRow): ViewRow => ({
  ...energyOnly(row),
  key: `process ${row.pid} ${row.startUnixMillis}`,
  pid: row.pid,
  user: row.user,
  count: 1,
  name: row.name,
  cgroup: row.cgroup,
  depth: 0,
  kind: processKind(row),
});

export const ofThread = (row: ThreadRow, owner: ProcessRow | undefined): ViewRow => ({
  ...energyOnly(row),
  key: `thread ${row.tid}`,
  pid: row.tid,
  user: owner?.user ?? '',
  count: 1,
  name: row.name,
  cgroup: owner?.cgroup ?? '',
  depth: 0,
  kind: 'entity',
});

const ofCgroup = (row: CgroupRow, count: number): ViewRow => ({
  ...energyOnly(row),
  key: `cgroup ${row.id} ${row.path}`,
  pid: undefined,
  user: '',
  count,
  name: row.path,
  cgroup: row.path,
  depth: 0,
  kind: 'entity',
});

const remainder = (name: string, energy: EnergyRow): readonly ViewRow[] => {
  const row = energyOnly(energy);
  const isEmpty = Object.values(row).every((value) => value === 0 || value === null);
  if (isEmpty) return [];
  const place = { key: name, pid: undefined, user: '', count: 0, name, cgroup: '', depth: 0 };
  return [{ ...row, ...place, kind: 'remainder' }];
};

/** What has no row of its own any more, so that the rows' sum is the whole. */
export const remaindersOf = (report: AgentReport, grouping: Grouping): readonly ViewRow[] =>
  grouping === 'cgroup'
    ? remainder('(over the cap)', report.overflowCgroups)
    : [
        ...remainder('(exited)', report.exitedProcesses),
        ...remainder('(over the cap)', report.overflowProcesses),
      ];

/** One row per value of `keyOf`; a field that differs among the processes is left empty. */
const summed = (
  report: AgentReport,
  grouping: Grouping,
  nameOf: (row: ProcessRow) => string,
): readonly ViewRow[] => {
  const groups = new Map<string, ViewRow>();
  for (const row of report.processes) {
    const name = nameOf(row);
    const known = groups.get(name);
    const next = { ...ofProcess(row), key: `${grouping} ${name}`, pid: undefined, name };
    groups.set(
      name,
      known === undefined
        ? next
        : {
            ...withEnergyOf(known, next),
            count: known.count + 1,
            user: known.user === next.user ? known.user : '',
            cgroup: known.cgroup === next.cgroup ? known.cgroup : '',
            kind: known.kind === next.kind ? known.kind : 'entity',
          },
    );
  }
  return [...groups.values()];
};

const countByCgroup = (report: AgentReport): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>();
  for (const { cgroup, isExited } of report.processes) {
    if (!isExited) counts.set(cgroup, (counts.get(cgroup) ?? 0) + 1);
  }
  return counts;
};

export const entitiesOf = (report: AgentReport, grouping: Grouping): readonly ViewRow[] => {
  switch (grouping) {
    case 'process':
      return report.processes.map(ofProcess);
    case 'name':
      return summed(report, grouping, ({ name }) => name);
    case 'user':
      return summed(report, grouping, ({ user }) => user);
    case 'cgroup': {
      const counts = countByCgroup(report);
      return report.cgroups.map((row) => ofCgroup(row, counts.get(row.path) ?? 0));
    }
  }
};
