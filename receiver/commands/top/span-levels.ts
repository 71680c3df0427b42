// SPDX-License-Identifier: Apache-2.0
/** Names, users and workloads of several windows as those of the time that they span. Pure. */
import type {
  AgentReport,
  EnergyRow,
  WorkloadPart,
  WorkloadRow,
} from '../../model/agent-report.js';
import type { CgroupLevel } from '../../model/ledger-view.js';
import { overSpan, remainderOverSpan, type Weighted } from './span-rows.js';

export const namesOverSpan = (
  base: AgentReport,
  windows: readonly Weighted[],
  last: AgentReport,
  seconds: number,
): Partial<AgentReport> => {
  const { names, users, overflowNames, overflowUsers, exitedCgroups } = last;
  const rest = (over: EnergyRow, pick: (report: AgentReport) => EnergyRow | undefined): EnergyRow =>
    remainderOverSpan(windows, (report) => pick(report) ?? over, last);
  return {
    ...(names && { names: overSpan(base.names ?? [], names, ({ name }) => name, seconds) }),
    ...(users && { users: overSpan(base.users ?? [], users, ({ uid }) => String(uid), seconds) }),
    ...(overflowNames && { overflowNames: rest(overflowNames, (one) => one.overflowNames) }),
    ...(exitedCgroups && { exitedCgroups: rest(exitedCgroups, (one) => one.exitedCgroups) }),
    ...(overflowUsers && { overflowUsers: rest(overflowUsers, (one) => one.overflowUsers) }),
  };
};

const workloadKey = ({ id, system, within, owner }: WorkloadRow): string =>
  JSON.stringify([id, system, within, owner]);

export const workloadsOverSpan = (
  base: AgentReport,
  windows: readonly Weighted[],
  last: AgentReport,
  seconds: number,
): Partial<AgentReport> => {
  const { workloads } = last;
  if (workloads === undefined) return {};
  const part = (level: CgroupLevel): WorkloadPart => {
    const before = base.workloads?.[level].rows ?? [];
    const rest = (key: 'exited' | 'overflow' | 'none'): EnergyRow =>
      remainderOverSpan(windows, (report) => (report.workloads ?? workloads)[level][key], last);
    return {
      rows: overSpan(before, workloads[level].rows, workloadKey, seconds),
      exited: rest('exited'),
      overflow: rest('overflow'),
      none: rest('none'),
    };
  };
  return {
    workloads: {
      container: part('container'),
      pod: part('pod'),
      job: part('job'),
      unit: part('unit'),
    },
  };
};

const withoutPartRows = (part: WorkloadPart): WorkloadPart => ({ ...part, rows: [] });

/** Small parts of windows are kept until the interval ends: not their thousands of rows. */
export const withoutRows = (report: AgentReport): AgentReport => ({
  ...report,
  processes: [],
  cgroups: [],
  threads: [],
  ...(report.names && { names: [] }),
  ...(report.users && { users: [] }),
  ...(report.workloads && {
    workloads: {
      container: withoutPartRows(report.workloads.container),
      pod: withoutPartRows(report.workloads.pod),
      job: withoutPartRows(report.workloads.job),
      unit: withoutPartRows(report.workloads.unit),
    },
  }),
});
