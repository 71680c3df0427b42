// SPDX-License-Identifier: Apache-2.0
/** The columns of each table. At 80 columns all of them fit; below, those of a high rank go. */
import type { Column } from '../../terminal/table.js';
import { cpuText, energyText, wattsText } from './format.js';
import { totalJoules, type Grouping, type ViewRow } from './row.js';

type ViewColumn = Column<ViewRow>;

const number = (
  title: string,
  width: number,
  rank: number,
  cell: ViewColumn['cell'],
): ViewColumn => ({ title, width, grow: 0, align: 'right', keep: 'start', rank, cell });

const indent = ({ depth, name }: ViewRow): string => `${'  '.repeat(Math.min(depth, 20))}${name}`;

const name: ViewColumn = {
  title: 'NAME',
  // TASK_COMM_LEN less its zero byte: a command name is never cut.
  width: 15,
  grow: 1,
  align: 'left',
  keep: 'start',
  rank: 0,
  cell: indent,
};

const cgroup: ViewColumn = {
  title: 'CGROUP',
  width: 12,
  grow: 3,
  align: 'left',
  keep: 'end',
  rank: 6,
  cell: (row) => row.cgroup,
};

/** The pod of a container, the slice of a unit: both ends say something, the beginning more. */
const within: ViewColumn = { ...cgroup, title: 'IN', keep: 'start', grow: 1 };

const user: ViewColumn = {
  title: 'USER',
  width: 8,
  grow: 0,
  align: 'left',
  keep: 'start',
  rank: 5,
  cell: (row) => row.user,
};

const pid = (title: string): ViewColumn =>
  number(title, 7, 2, (row) => (row.pid === undefined ? '-' : String(row.pid)));

const count = number('PROCS', 5, 4, (row) => (row.count === 0 ? '-' : String(row.count)));

/** `-`: not measured on this machine. `?`: measured, but not known of this window. */
const powerText = (powerWatts: number | null, energyJoules: number | null): string => {
  if (powerWatts !== null) return wattsText(powerWatts);
  return energyJoules === null ? '-' : '?';
};

const totalText = (energyJoules: number | null): string =>
  energyJoules === null ? '-' : energyText(energyJoules);

const quantities: readonly ViewColumn[] = [
  number('WATTS', 7, 0, (row) => powerText(row.packageWatts, row.packageJoules)),
  number('DRAM', 6, 3, (row) => powerText(row.dramWatts, row.dramJoules)),
  number('ENERGY', 9, 1, (row) => totalText(totalJoules(row))),
  number('CPU%', 6, 2, (row) => cpuText(row.cpuRatio)),
];

/** Paths are told apart by their end; in a tree, where the parent is above, by their beginning. */
const path = (isTree: boolean): ViewColumn => ({
  ...name,
  title: 'CGROUP',
  width: 16,
  keep: isTree ? 'start' : 'end',
  cell: indent,
});

export const columnsOf = (
  grouping: Grouping,
  isThreads: boolean,
  isTree: boolean,
): readonly ViewColumn[] => {
  if (isThreads) return [pid('TID'), user, ...quantities, name, cgroup];
  switch (grouping) {
    case 'process':
      return [pid('PID'), user, ...quantities, name, cgroup];
    case 'name':
      return [count, user, ...quantities, name, cgroup];
    case 'cgroup':
      return [count, ...quantities, path(isTree)];
    case 'unit':
    case 'job':
      return [count, user, ...quantities, { ...name, title: grouping.toUpperCase() }, within];
    case 'container':
    case 'pod':
      return [count, ...quantities, { ...name, title: grouping.toUpperCase() }, within];
    case 'user':
      return [count, ...quantities, { ...name, title: 'USER' }];
  }
};
