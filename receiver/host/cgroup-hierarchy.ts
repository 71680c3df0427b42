// SPDX-License-Identifier: Apache-2.0
/**
 * Chooses the cgroup hierarchy that names workloads. On v2 there is one. With v1 controllers the v2
 * id is the root for every container, so the controller whose tree holds the workloads is taken.
 */
import { pipe } from 'fp-ts/lib/function.js';
import * as E from 'fp-ts/lib/Either.js';
import { readdirSync } from 'node:fs';
import { readText } from './files.js';
import type { HostRoots } from './roots.js';
import { namesIn } from './values.js';

export type CgroupLayout = 'v2' | 'v1' | 'hybrid' | 'none';

export interface CgroupCandidate {
  /** Controller as the kernel side knows it, or `unified`. */
  readonly controller: string;
  readonly directory: string;
  /** cgroups below the root, counted up to COUNT_LIMIT. */
  readonly descendants: number;
}

export interface CgroupHierarchy {
  readonly layout: CgroupLayout;
  /** For `SessionOptions.cgroupHierarchy`: a v1 controller's name, or `unified`. */
  readonly hierarchy: string;
  readonly directory: string;
  readonly reason: string;
  readonly candidates: readonly CgroupCandidate[];
}

/** On a tie the first wins: every container runtime puts its containers into these, in this order of habit. */
const PREFERENCE = [
  'cpuacct',
  'cpu',
  'memory',
  'pids',
  'blkio',
  'devices',
  'freezer',
  'cpuset',
  'net_cls',
  'perf_event',
] as const;

/** Enough to tell hierarchies apart without walking thousands of directories. */
const COUNT_LIMIT = 200;
const DEPTH_LIMIT = 6;

const childDirectories = (directory: string): readonly string[] =>
  pipe(
    E.tryCatch(
      () => readdirSync(directory, { withFileTypes: true }),
      () => undefined,
    ),
    E.map((entries) => entries.filter((e) => e.isDirectory()).map((e) => `${directory}/${e.name}`)),
    E.getOrElse((): readonly string[] => []),
  );

const countDescendants = (root: string): number => {
  let level: readonly string[] = [root];
  let count = 0;
  for (let depth = 0; depth < DEPTH_LIMIT && level.length > 0 && count < COUNT_LIMIT; depth += 1) {
    level = level.flatMap(childDirectories);
    count += level.length;
  }
  return Math.min(count, COUNT_LIMIT);
};

const has = (path: string): boolean => E.isRight(readText(path));

const v1Candidates = (root: string): readonly CgroupCandidate[] => {
  const names = namesIn(root);
  return PREFERENCE.flatMap((controller) => {
    // `cpu,cpuacct` is one hierarchy with two controllers; `cpuacct` is often a link to it.
    const name = names.find((entry) => entry.split(',').includes(controller));
    if (name === undefined || !has(`${root}/${name}/cgroup.procs`)) return [];
    const directory = `${root}/${name}`;
    return [{ controller, directory, descendants: countDescendants(directory) }];
  });
};

const none = (root: string): CgroupHierarchy => ({
  layout: 'none',
  hierarchy: 'unified',
  directory: root,
  reason: `no cgroup file system at ${root}`,
  candidates: [],
});

export const chooseCgroupHierarchy = (roots: HostRoots): CgroupHierarchy => {
  const root = roots.cgroup;
  if (has(`${root}/cgroup.controllers`)) {
    const unified = { controller: 'unified', directory: root, descendants: countDescendants(root) };
    return {
      layout: 'v2',
      hierarchy: 'unified',
      directory: root,
      reason: 'cgroup v2 only',
      candidates: [unified],
    };
  }
  const v1 = v1Candidates(root);
  const unifiedDirectory = `${root}/unified`;
  const isHybrid = has(`${unifiedDirectory}/cgroup.controllers`);
  const unified: readonly CgroupCandidate[] = isHybrid
    ? [
        {
          controller: 'unified',
          directory: unifiedDirectory,
          descendants: countDescendants(unifiedDirectory),
        },
      ]
    : [];
  const candidates = [...v1, ...unified];
  // v1 first: in a hybrid layout runtimes put containers there, the v2 tree holds systemd's units only.
  const most = (list: readonly CgroupCandidate[]): CgroupCandidate | undefined =>
    [...list].sort((a, b) => b.descendants - a.descendants)[0];
  const best = most(v1);
  const chosen = best === undefined || best.descendants === 0 ? (most(candidates) ?? best) : best;
  if (chosen === undefined) return none(root);
  return {
    layout: isHybrid ? 'hybrid' : 'v1',
    hierarchy: chosen.controller,
    directory: chosen.directory,
    reason:
      chosen.descendants === 0
        ? 'no hierarchy has cgroups below its root yet'
        : `holds the most cgroups (${String(chosen.descendants)}${chosen.descendants >= COUNT_LIMIT ? ' or more' : ''})`,
    candidates,
  };
};
