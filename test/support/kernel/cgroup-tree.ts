// SPDX-License-Identifier: Apache-2.0
/** A tree of cgroups of the test's own, in a v1 hierarchy or in the v2 one beside it. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { untilDefined } from '../until.js';
import { loadPath } from './load.js';

const V2_ALONE = '/sys/fs/cgroup';
const V2_BESIDE_V1 = '/sys/fs/cgroup/unified';
const CPUACCT = '/sys/fs/cgroup/cpuacct';

export interface Hierarchy {
  /** For SessionOptions.cgroupHierarchy. */
  readonly hierarchy: string;
  readonly directory: string;
}

/** Those that this host has: v2, a v1 controller, or both. */
export const hierarchiesHere = (): readonly Hierarchy[] => {
  const v2 = [V2_ALONE, V2_BESIDE_V1].find((path) => existsSync(`${path}/cgroup.controllers`));
  return [
    ...(existsSync(`${CPUACCT}/cgroup.procs`)
      ? [{ hierarchy: 'cpuacct', directory: CPUACCT }]
      : []),
    ...(v2 === undefined ? [] : [{ hierarchy: 'unified', directory: v2 }]),
  ];
};

export class CgroupTree {
  private readonly made: string[] = [];

  public constructor(private readonly root: string) {}

  /** Makes it with all above it; `path` begins with a slash. Returns its id. */
  public make(path: string): bigint {
    const directory = `${this.root}${path}`;
    for (const part of ancestors(directory, this.root)) {
      if (existsSync(part)) continue;
      mkdirSync(part);
      this.made.push(part);
    }
    return statSync(directory, { bigint: true }).ino;
  }

  public procsOf(path: string): string {
    return `${this.root}${path}/cgroup.procs`;
  }

  public async remove(path: string): Promise<void> {
    const directory = `${this.root}${path}`;
    await untilDefined(
      `${directory} to be empty`,
      () => (readFileSync(`${directory}/cgroup.procs`, 'utf8') === '' ? true : undefined),
      { deadlineMillis: 10_000, everyMillis: 5 },
    );
    rmdirSync(directory);
  }

  public removeAll(): void {
    for (const directory of this.made.splice(0).reverse()) {
      if (existsSync(directory)) rmdirSync(directory);
    }
  }
}

const ancestors = (directory: string, root: string): readonly string[] =>
  directory === root ? [] : [...ancestors(dirname(directory), root), directory];

/** Makes a cgroup, burns so much CPU time in it and removes it, all within a moment. */
export const burnInPassing = async (directory: string, millis: number): Promise<void> => {
  const script =
    'mkdir "$1" && echo $$ > "$1/cgroup.procs" && "$2" "$3"; echo $$ > "$4"; rmdir "$1"';
  const child = spawn(
    'sh',
    [
      '-c',
      script,
      'sh',
      directory,
      loadPath('burn-once'),
      String(millis),
      `${dirname(directory)}/cgroup.procs`,
    ],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  );
  await once(child, 'close');
};

/** Renames a cgroup where the hierarchy allows it (v1). */
export const renameCgroup = (from: string, to: string): void => {
  execFileSync('mv', ['-T', from, to]);
};
