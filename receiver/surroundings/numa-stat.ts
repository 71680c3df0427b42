// SPDX-License-Identifier: Apache-2.0
/** Text of memory.numa_stat -> part of a cgroup's memory on each NUMA node. Pure. */

const PER_NODE = /\bN(\d{1,4})=(\d{1,20})\b/g;
/** A node number beyond is no node. */
const MAX_NODES = 1024;

/**
 * v2 has a line per kind (`anon N0=… N1=…`, in bytes): anonymous memory and page cache are what programs
 * read and write. v1 has `total=… N0=…`, in pages, and its parts again; only ratios are wanted.
 */
const isCounted = (line: string): boolean =>
  line.startsWith('anon ') || line.startsWith('file ') || line.startsWith('total=');

/** Sum 1, index = node; undefined where nothing is resident or the text is something else. */
export const parseNumaStat = (text: string): readonly number[] | undefined => {
  const amounts: number[] = [];
  for (const line of text.split('\n')) {
    if (!isCounted(line)) continue;
    for (const [, node, amount] of line.matchAll(PER_NODE)) {
      const index = Number(node);
      if (index < MAX_NODES) amounts[index] = (amounts[index] ?? 0) + Number(amount);
    }
  }
  const shares = Array.from(amounts, (amount: number | undefined) => amount ?? 0);
  const sum = shares.reduce((a, b) => a + b, 0);
  return sum > 0 && Number.isFinite(sum) ? shares.map((amount) => amount / sum) : undefined;
};
