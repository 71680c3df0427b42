// SPDX-License-Identifier: Apache-2.0
/** A window as JSON: the agent's report with the viewer's choices applied to its processes. Pure. */
import type { AgentReport } from '../../model/agent-report.js';
import type { SourceOrigin } from '../../model/report-source.js';
import type { TopOptions } from './options.js';
import { energyOnly, type ViewRow } from './row.js';
import { rowsOf, type RowsRequest } from './rows.js';

const keyOfProcess = (pid: number, startUnixMillis: number): string =>
  `process ${pid} ${startUnixMillis}`;

/** The rows' own objects, so that no field that an agent added is lost. */
const chosenProcesses = (
  report: AgentReport,
  rows: readonly ViewRow[],
): AgentReport['processes'] => {
  const byKey = new Map(
    report.processes.map((row) => [keyOfProcess(row.pid, row.startUnixMillis), row]),
  );
  return rows.flatMap(({ key }) => byKey.get(key) ?? []);
};

const groupOf = (row: ViewRow) => ({
  name: row.name,
  ...(row.id === undefined ? {} : { id: row.id }),
  processes: row.count,
  ...energyOnly(row),
});

export interface JsonContext {
  readonly origin: SourceOrigin;
  readonly skippedWindows: number;
}

export const jsonLine = (
  report: AgentReport,
  options: TopOptions,
  { origin, skippedWindows }: JsonContext,
): string => {
  const request: RowsRequest = { ...options, isReversed: false };
  const limit = (rows: readonly ViewRow[]) => rows.slice(0, options.maxRows ?? rows.length);
  const processes = rowsOf(report, {
    ...request,
    grouping: 'process',
    threadsOf: undefined,
    isTree: false,
  });
  const isGrouped = options.grouping !== 'process';
  return JSON.stringify({
    ...report,
    processes: chosenProcesses(report, isGrouped ? processes : limit(processes)),
    ...(isGrouped
      ? { by: options.grouping, groups: limit(rowsOf(report, request)).map(groupOf) }
      : {}),
    viewer: { isJoined: origin._tag === 'Joined', skippedWindows },
  });
};
