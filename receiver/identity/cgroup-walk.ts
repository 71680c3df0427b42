// SPDX-License-Identifier: Apache-2.0
/**
 * Walks a cgroup hierarchy a piece at a time: a host with 10,000 cgroups takes tens of milliseconds,
 * which the caller spreads over several windows by stepping the generator.
 *
 * A full walk lists every directory. A changed-only walk lists those whose number of subdirectories
 * is not what it was: one look each instead of a listing. It misses a cgroup that replaced another one
 * since (same number); the next full walk finds it.
 */
import {
  type DirectoryFacts,
  directoryFacts,
  joinPath,
  LINKS_OF_LEAF,
  subdirectories,
} from './cgroup-files.js';

export interface CgroupNode {
  readonly path: Buffer;
  links: bigint;
  /** By name, one character per byte. */
  children: ReadonlyMap<string, CgroupNode>;
}

export const cgroupNode = (path: Buffer): CgroupNode => ({ path, links: 0n, children: new Map() });

const listChildren = (node: CgroupNode): ReadonlyMap<string, CgroupNode> =>
  new Map(
    subdirectories(node.path).map((name) => {
      const key = name.toString('latin1');
      return [key, node.children.get(key) ?? cgroupNode(joinPath(node.path, name))] as const;
    }),
  );

/**
 * Yields after each directory. `visit` gets the id and path of each one found, parents first;
 * directories that went away are left out. Stops after `maxDirectories`.
 */
export function* walkCgroups(
  root: CgroupNode,
  isFull: boolean,
  maxDirectories: number,
  visit: (facts: DirectoryFacts, path: Buffer) => void,
): Generator<undefined, void> {
  const waiting = [root];
  for (let visited = 0; visited < maxDirectories; visited += 1) {
    const node = waiting.pop();
    if (node === undefined) return;
    const facts = directoryFacts(node.path);
    if (facts !== undefined) {
      visit(facts, node.path);
      if (facts.links === LINKS_OF_LEAF) node.children = new Map();
      else if (isFull || facts.links !== node.links || facts.links < LINKS_OF_LEAF) {
        node.children = listChildren(node);
      }
      node.links = facts.links;
      waiting.push(...node.children.values());
    }
    yield undefined;
  }
}
