// SPDX-License-Identifier: Apache-2.0
/** A report's entities as rows: one per process, cgroup, workload, name or user. Pure. */
import type {
  AgentReport,
  CgroupRow,
  EnergyRow,
  ProcessRow,
  ThreadRow,
} from '../../model/agent-report.js';
import { remainder } from './remainder.js';
import { energyOnly, withEnergyOf, type Grouping, type ViewRow } from './row.js';
import { workloadRemainders, workloadRows } from './workload-group.js';

const processKind = (row: ProcessRow): ViewRow['kind'] =>
  row.isExited ? 'exited' : row.isKernelThread ? 'kernel-thread' : 'entity';

/** `worker [spins: flag]`: of a process, one of its threads does. */
const markedName = ({ name, spins }: ProcessRow | ThreadRow): string => {
  if (spins === undefined) return name;
  return spins === 'polling' ? `${name} [polls]` : `${name} [spins: ${spins}]`;
};

export const ofProcess = (row: ProcessRow): ViewRow => ({
  ...energyOnly(row),
  key: `process ${row.pid} ${row.startUnixMillis}`,
  pid: row.pid,
  user: row.user,
  count: 1,
  name: markedName(row),
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
  name: markedName(row),
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

/** What has no row of its own any more, so that the rows' sum is the whole. */
export const remaindersOf = (report: AgentReport, grouping: Grouping): readonly ViewRow[] => {
  switch (grouping) {
    case 'cgroup':
      return [
        ...(report.exitedCgroups ? remainder('(removed)', report.exitedCgroups) : []),
        ...remainder('(over the cap)', report.overflowCgroups),
      ];
    case 'container':
    case 'pod':
    case 'job':
    case 'unit':
      return workloadRemainders(report, grouping);
    case 'name':
      if (report.names === undefined || report.overflowNames === undefined) break;
      return remainder('(over the cap)', report.overflowNames);
    case 'user':
      if (report.users === undefined || report.overflowUsers === undefined) break;
      return remainder('(over the cap)', report.overflowUsers);
    case 'process':
      break;
  }
  return [
    ...remainder('(exited)', report.exitedProcesses),
    ...remainder('(over the cap)', report.overflowProcesses),
  ];
};

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

/** Accounts of their own hold what ended processes burned, too; what lives says the rest of the row. */
const withOwnTotals = (
  living: readonly ViewRow[],
  grouping: Grouping,
  totals: readonly (EnergyRow & { readonly name: string })[],
): readonly ViewRow[] => {
  const known = new Map(living.map((row) => [row.name, row]));
  return totals.map((row) => ({
    key: `${grouping} ${row.name}`,
    pid: undefined,
    user: '',
    count: 0,
    name: row.name,
    cgroup: '',
    depth: 0,
    kind: 'exited',
    ...known.get(row.name),
    ...energyOnly(row),
  }));
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
    case 'name': {
      const living = summed(report, grouping, ({ name }) => name);
      return report.names === undefined ? living : withOwnTotals(living, grouping, report.names);
    }
    case 'user': {
      const living = summed(report, grouping, ({ user }) => user);
      if (report.users === undefined) return living;
      const users = report.users.map(({ user: name, ...row }) => ({ ...row, name }));
      return withOwnTotals(living, grouping, users);
    }
    case 'container':
    case 'pod':
    case 'job':
    case 'unit':
      return workloadRows(report, grouping);
    case 'cgroup': {
      const counts = countByCgroup(report);
      return report.cgroups.map((row) => ofCgroup(row, counts.get(row.path) ?? 0));
    }
  }
};
