// SPDX-License-Identifier: Apache-2.0
/** From a report to the rows of a table: filtered, sorted, as a list or a tree. Pure. */
import type { AgentReport } from '../../model/agent-report.js';
import { entitiesOf, ofProcess, ofThread, remaindersOf } from './group.js';
import { hasTree, totalJoules, type Grouping, type SortKey, type ViewRow } from './row.js';
import { treeRows, type TreeNode } from './tree.js';

export interface RowsRequest {
  readonly grouping: Grouping;
  /** Threads of this process instead. */
  readonly threadsOf: number | undefined;
  readonly isTree: boolean;
  readonly sort: SortKey;
  readonly isReversed: boolean;
  /** A pid in digits, or a regular expression over name, cgroup and user. Empty: all. */
  readonly filter: string;
}

const valueOf: Readonly<Record<Exclude<SortKey, 'name'>, (row: ViewRow) => number | null>> = {
  watts: (row) => row.packageWatts,
  dram: (row) => row.dramWatts,
  joules: totalJoules,
  cpu: (row) => row.cpuRatio,
  pid: (row) => -(row.pid ?? Infinity),
};

/** What is not known stands last, in either direction. */
const compareValues = (a: number | null, b: number | null, direction: 1 | -1): number =>
  a === null || b === null
    ? Number(a === null) - Number(b === null)
    : direction * Math.sign(b - a) || 0;

/** Largest first; pid and name smallest first. Ties: by joules, then by key, so that rows stand still. */
export const comparatorOf = ({
  sort,
  isReversed,
}: Pick<RowsRequest, 'sort' | 'isReversed'>): ((a: ViewRow, b: ViewRow) => number) => {
  const direction = isReversed ? -1 : 1;
  const main =
    sort === 'name'
      ? (a: ViewRow, b: ViewRow) => direction * (a.name < b.name ? -1 : a.name > b.name ? 1 : 0)
      : (a: ViewRow, b: ViewRow) => compareValues(valueOf[sort](a), valueOf[sort](b), direction);
  return (a, b) =>
    main(a, b) || compareValues(totalJoules(a), totalJoules(b), 1) || (a.key < b.key ? -1 : 1);
};

/** Undefined where the text is no regular expression. */
export const filterOf = (filter: string): ((row: ViewRow) => boolean) | undefined => {
  if (filter === '') return () => true;
  if (/^\d+$/.test(filter)) {
    const pid = Number(filter);
    return (row) => row.pid === pid;
  }
  try {
    const pattern = new RegExp(filter, 'iu');
    return ({ name, cgroup, user, id = '' }) =>
      [name, cgroup, user, id].some((text) => pattern.test(text));
  } catch {
    return undefined;
  }
};

const processNodes = (report: AgentReport, rows: readonly ViewRow[]): readonly TreeNode[] => {
  // A live process goes before an ended one of the same pid.
  const keyByPid = new Map<number, string>();
  for (const row of report.processes.toSorted((a, b) => Number(b.isExited) - Number(a.isExited))) {
    keyByPid.set(row.pid, ofProcess(row).key);
  }
  return rows.map((row, at) => {
    const parentPid = report.processes[at]?.parentPid;
    const parentKey = parentPid === undefined ? undefined : keyByPid.get(parentPid);
    return { row, parentKey: parentKey === row.key ? undefined : parentKey };
  });
};

const parentPathOf = (path: string): string | undefined =>
  path === '/' || !path.startsWith('/') ? undefined : path.slice(0, path.lastIndexOf('/')) || '/';

/** The nearest ancestor that has a row; cgroups without own tasks have none. */
const cgroupNodes = (rows: readonly ViewRow[]): readonly TreeNode[] => {
  const keyByPath = new Map(rows.map(({ name, key }) => [name, key]));
  const nearest = (path: string | undefined): string | undefined =>
    path === undefined ? undefined : (keyByPath.get(path) ?? nearest(parentPathOf(path)));
  return rows.map((row) => ({ row, parentKey: nearest(parentPathOf(row.name)) }));
};

const threadRows = (report: AgentReport, pid: number): readonly ViewRow[] => {
  const owner = report.processes.find((row) => row.pid === pid && !row.isExited);
  return report.threads.filter((row) => row.pid === pid).map((row) => ofThread(row, owner));
};

/** All rows of a view, in the order in which they are drawn. */
export const rowsOf = (report: AgentReport, request: RowsRequest): readonly ViewRow[] => {
  const compare = comparatorOf(request);
  // What is no regular expression matches nothing; the prompt says so.
  const matches = filterOf(request.filter) ?? (() => false);
  if (request.threadsOf !== undefined) {
    return threadRows(report, request.threadsOf).filter(matches).toSorted(compare);
  }
  const entities = entitiesOf(report, request.grouping);
  const remainders = remaindersOf(report, request.grouping).filter(matches);
  if (request.isTree && hasTree(request.grouping)) {
    const nodes =
      request.grouping === 'process' ? processNodes(report, entities) : cgroupNodes(entities);
    return [...treeRows(nodes, compare, matches), ...remainders];
  }
  return [...entities.filter(matches), ...remainders].toSorted(compare);
};
