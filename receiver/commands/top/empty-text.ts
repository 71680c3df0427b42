// SPDX-License-Identifier: Apache-2.0
/** Why a table has no rows; pure. */
import type { AgentReport } from '../../model/agent-report.js';

/** A window knows every process that lives. */
export const isAlive = ({ processes }: AgentReport, pid: number): boolean =>
  processes.some((row) => row.pid === pid && !row.isExited);

/** Threads are known only since somebody asked for them. */
const noThreadsText = (report: AgentReport, pid: number): string =>
  isAlive(report, pid)
    ? `no thread of process ${pid} has run since this viewer asked for them`
    : `there is no process ${pid}: it has ended, or never was`;

export const emptyTableText = (
  report: AgentReport,
  { threadsOf, filter }: { readonly threadsOf: number | undefined; readonly filter: string },
): string => {
  if (threadsOf !== undefined && !report.threads.some(({ pid }) => pid === threadsOf))
    return noThreadsText(report, threadsOf);
  return filter === '' ? 'nothing ran in this window' : `no row matches /${filter}/ in this window`;
};
