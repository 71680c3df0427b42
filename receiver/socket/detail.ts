// SPDX-License-Identifier: Apache-2.0
/** One process or cgroup out of a report. Pure: the agent keeps nothing for it. */
import type { AgentReport } from '../model/agent-report.js';
import type { EntityDetail } from './protocol.js';

const isAtOrBelow = (path: string, parent: string): boolean =>
  path === parent || path.startsWith(parent === '/' ? '/' : `${parent}/`);

/** Undefined where the last window knows no such process. */
export const processDetail = (report: AgentReport, pid: number): EntityDetail | undefined => {
  const processes = report.processes.filter((row) => row.pid === pid);
  if (processes.length === 0) return undefined;
  const paths = new Set(processes.map(({ cgroup }) => cgroup));
  return {
    window: report.window,
    source: report.source,
    processes,
    cgroups: report.cgroups.filter(({ path }) => paths.has(path)),
    threads: report.threads.filter((row) => row.pid === pid),
  };
};

/** The cgroup and all below it. Undefined where the last window knows none of them. */
export const cgroupDetail = (report: AgentReport, path: string): EntityDetail | undefined => {
  const wanted = path.length > 1 ? path.replace(/\/+$/, '') : path;
  const cgroups = report.cgroups.filter((row) => isAtOrBelow(row.path, wanted));
  if (cgroups.length === 0) return undefined;
  const processes = report.processes.filter(({ cgroup }) => isAtOrBelow(cgroup, wanted));
  const pids = new Set(processes.map(({ pid }) => pid));
  return {
    window: report.window,
    source: report.source,
    processes,
    cgroups,
    threads: report.threads.filter(({ pid }) => pids.has(pid)),
  };
};
