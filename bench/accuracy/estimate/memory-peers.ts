// SPDX-License-Identifier: Apache-2.0
/** How DRAM energy may be split, as formulas: what is used, and what could be. */
import type { SimulatedWindow } from '../sim/simulator.js';
import type { Split } from './peers.js';

export interface MemoryInput {
  readonly window: SimulatedWindow;
  /** Joules above background that each node's memory measured. */
  readonly nodeJoules: readonly number[];
  readonly nodeOfDomain: readonly number[];
}

export interface MemoryPeer {
  readonly name: string;
  readonly split: (input: MemoryInput) => Split;
}

type Row = SimulatedWindow['rows'][number];

const empty = ({ window }: MemoryInput): Split => new Float64Array(window.load.jobs.length + 1);

const byWeight = (input: MemoryInput, weightOf: (row: Row) => number): Split => {
  const split = empty(input);
  for (const row of input.window.rows) {
    const owner = row.thread.job.index;
    split[owner] = (split[owner] ?? 0) + weightOf(row);
  }
  return split;
};

/** Each node's energy by what was missed on it. */
const byNode = (input: MemoryInput, nodeOf: (row: Row) => number): Split => {
  const sums = input.nodeJoules.map(() => 0);
  for (const row of input.window.rows)
    sums[nodeOf(row)] = (sums[nodeOf(row)] ?? 0) + row.row.rawMisses;
  return byWeight(input, (row) => {
    const sum = sums[nodeOf(row)] ?? 0;
    return sum > 0 ? ((input.nodeJoules[nodeOf(row)] ?? 0) * row.row.rawMisses) / sum : 0;
  });
};

export const MEMORY_PEERS: readonly MemoryPeer[] = [
  {
    name: 'rss-formula',
    split: (input) => {
      const split = empty(input);
      for (const { index, rssBytes } of input.window.load.jobs) split[index] = rssBytes;
      return split;
    },
  },
  {
    name: 'cpu-time',
    split: (i) => byWeight(i, ({ row }) => row.runtimeNanos),
  },
  {
    name: 'seed-loads-stores-formula',
    split: (input) => byWeight(input, ({ row }) => row.accesses),
  },
  {
    name: 'misses-formula',
    split: (input) => byWeight(input, ({ row }) => row.rawMisses),
  },
  {
    name: 'misses-by-cpu-node',
    split: (input) => byNode(input, ({ cpuDomain }) => input.nodeOfDomain[cpuDomain] ?? 0),
  },
  {
    name: 'misses-by-memory-node',
    split: (input) =>
      byNode(
        input,
        ({ thread, cpuDomain }) => thread.job.homeNode ?? input.nodeOfDomain[cpuDomain] ?? 0,
      ),
  },
];
