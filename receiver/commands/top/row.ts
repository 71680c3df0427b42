// SPDX-License-Identifier: Apache-2.0
/** One line of a table before it is text. */
import type { EnergyRow } from '../../model/agent-report.js';
import { addEnergyRows, addKnown } from '../../model/energy-row.js';

export const GROUPINGS = [
  'process',
  'cgroup',
  'unit',
  'container',
  'pod',
  'job',
  'name',
  'user',
] as const;
export type Grouping = (typeof GROUPINGS)[number];

/** Processes have parents, and cgroups lie in each other. */
export const hasTree = (grouping: Grouping): boolean =>
  grouping === 'process' || grouping === 'cgroup';
export const SORT_KEYS = ['watts', 'dram', 'joules', 'cpu', 'pid', 'name'] as const;
export type SortKey = (typeof SORT_KEYS)[number];

export interface ViewRow extends EnergyRow {
  /** Names the entity for ever, not only in this window. */
  readonly key: string;
  /** Pid, or tid in a table of threads; undefined for sums. */
  readonly pid: number | undefined;
  readonly user: string;
  /** Processes in it. */
  readonly count: number;
  readonly name: string;
  /** Of a workload what it is in, e.g. the pod of a container. */
  readonly cgroup: string;
  /** Of a workload, where its name is not its id. */
  readonly id?: string;
  /** 0 for roots and outside of a tree. */
  readonly depth: number;
  readonly kind: 'entity' | 'kernel-thread' | 'exited' | 'remainder';
}

export const energyOnly = (row: EnergyRow): EnergyRow => ({
  packageWatts: row.packageWatts,
  dramWatts: row.dramWatts,
  packageJoules: row.packageJoules,
  dramJoules: row.dramJoules,
  cpuRatio: row.cpuRatio,
  cpuSeconds: row.cpuSeconds,
  ...(row.isDramPredicted === true ? { isDramPredicted: true } : {}),
});

/** Package and DRAM do not overlap. Null: neither is measured on this machine. */
export const totalJoules = ({
  packageJoules,
  dramJoules,
  isDramPredicted,
}: EnergyRow): number | null =>
  isDramPredicted === true ? packageJoules : addKnown(packageJoules, dramJoules);

/** The sum of a subtree is drawn on its root's row. */
export const withEnergyOf = (row: ViewRow, other: EnergyRow): ViewRow => ({
  ...row,
  ...addEnergyRows(row, other),
});
