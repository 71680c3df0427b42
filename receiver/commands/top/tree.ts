// SPDX-License-Identifier: Apache-2.0
/**
 * Rows as a tree: each row shows the sum of itself and all below it. Pure. Without recursion: a
 * chain of forks may be as deep as there are pids.
 */
import { withEnergyOf, type ViewRow } from './row.js';

export interface TreeNode {
  readonly row: ViewRow;
  /** Undefined, or a key that no row has: a root. */
  readonly parentKey: string | undefined;
}

const NO_NODES: readonly TreeNode[] = [];

type Compare = (a: ViewRow, b: ViewRow) => number;
type Matches = (row: ViewRow) => boolean;
type Children = ReadonlyMap<string | undefined, readonly TreeNode[]>;

const childrenByParent = (nodes: readonly TreeNode[]): Children => {
  const keys = new Set(nodes.map(({ row }) => row.key));
  const children = new Map<string | undefined, TreeNode[]>();
  for (const node of nodes) {
    const isKnown = node.parentKey !== undefined && keys.has(node.parentKey);
    const parent = isKnown ? node.parentKey : undefined;
    const siblings = children.get(parent);
    if (siblings === undefined) children.set(parent, [node]);
    else siblings.push(node);
  }
  return children;
};

interface Placed {
  readonly node: TreeNode;
  readonly depth: number;
}

/** Each node after its parent. */
const parentsFirst = (children: Children): readonly Placed[] => {
  const order: Placed[] = [];
  const pending = (children.get(undefined) ?? []).map((node) => ({ node, depth: 0 }));
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { node, depth } = next;
    order.push(next);
    for (const child of children.get(node.row.key) ?? []) {
      pending.push({ node: child, depth: depth + 1 });
    }
  }
  return order;
};

interface Sums {
  readonly total: ReadonlyMap<string, ViewRow>;
  /** It or something below it passes the filter. */
  readonly shown: ReadonlySet<string>;
}

/** Children are added to their parents from the leaves upwards. */
const sumUp = (order: readonly Placed[], matches: Matches): Sums => {
  const total = new Map(order.map(({ node, depth }) => [node.row.key, { ...node.row, depth }]));
  const shown = new Set(
    order.filter(({ node }) => matches(node.row)).map(({ node }) => node.row.key),
  );
  for (const { node } of order.toReversed()) {
    const own = total.get(node.row.key);
    const parent = node.parentKey === undefined ? undefined : total.get(node.parentKey);
    if (own === undefined || parent === undefined) continue;
    total.set(parent.key, { ...withEnergyOf(parent, own), count: parent.count + own.count });
    if (shown.has(own.key)) shown.add(parent.key);
  }
  return { total, shown };
};

export const treeRows = (
  nodes: readonly TreeNode[],
  compare: Compare,
  matches: Matches,
): readonly ViewRow[] => {
  const children = childrenByParent(nodes);
  const order = parentsFirst(children);
  const { total, shown } = sumUp(order, matches);
  const sorted = (parent: string | undefined): readonly ViewRow[] => {
    const below = (children.get(parent) ?? NO_NODES).filter(({ row }) => shown.has(row.key));
    return below.map(({ row }) => total.get(row.key) ?? row).toSorted(compare);
  };
  // Pids re-used while the report was made may form a ring that hangs on no root: shown flat.
  const reached = new Set(order.map(({ node }) => node.row.key));
  const strays = nodes.filter(({ row }) => !reached.has(row.key) && matches(row));
  const rows: ViewRow[] = [];
  const pending = [...sorted(undefined), ...strays.map(({ row }) => row)].toReversed();
  for (let row = pending.pop(); row !== undefined; row = pending.pop()) {
    rows.push(row);
    // Most rows are leaves.
    if (reached.has(row.key) && children.has(row.key)) {
      pending.push(...sorted(row.key).toReversed());
    }
  }
  return rows;
};
