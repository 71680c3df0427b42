// SPDX-License-Identifier: Apache-2.0
/**
 * The cgroup file system and /proc/PID/cgroup, as bytes: names may hold any byte but `/` and NUL. A
 * cgroup's id is the inode number of its directory, 64 bits wide.
 */
import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import * as E from 'fp-ts/lib/Either.js';

export interface DirectoryFacts {
  readonly id: bigint;
  /** 2 + subdirectories where the file system counts them (cgroup file systems do); else 1. */
  readonly links: bigint;
}

/** Links of a directory without subdirectories; one that does not count them says 1. */
export const LINKS_OF_LEAF = 2n;

const orUndefined = <A>(read: () => A): A | undefined =>
  E.getOrElse<unknown, A | undefined>(() => undefined)(E.tryCatch(read, (error) => error));

/** Undefined if there is no such directory, or it cannot be looked at. */
export const directoryFacts = (path: Buffer): DirectoryFacts | undefined =>
  orUndefined(() => {
    const stat = lstatSync(path, { bigint: true });
    return stat.isDirectory() ? { id: stat.ino, links: stat.nlink } : undefined;
  });

export const subdirectories = (path: Buffer): readonly Buffer[] =>
  orUndefined(() =>
    readdirSync(path, { withFileTypes: true, encoding: 'buffer' })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name),
  ) ?? [];

const SLASH = Buffer.from('/');
export const joinPath = (directory: Buffer, name: Buffer): Buffer =>
  Buffer.concat([directory, SLASH, name]);

const lineOf = (file: Buffer, hierarchy: string): string | undefined =>
  file
    .toString('latin1')
    .split('\n')
    .find((line) => {
      const [, controllers = ''] = line.split(':', 2);
      return hierarchy === 'unified'
        ? line.startsWith('0::')
        : controllers.split(',').includes(hierarchy);
    });

/** A process's cgroup as this process sees it, from the bytes of its /proc/PID/cgroup. */
const seenPathIn = (file: Buffer, hierarchy: string): string | undefined => {
  const line = lineOf(file, hierarchy);
  const path = line?.slice(line.indexOf(':', line.indexOf(':') + 1) + 1);
  return path?.startsWith('/') === true ? path : undefined;
};

const isForeign = (path: string): boolean => path.split('/').includes('..');

/**
 * A process's cgroup below the hierarchy's root, `/` for the root itself, from the bytes of its
 * /proc/PID/cgroup. `hierarchy` is a v1 controller's name or `unified`. Undefined outside our cgroup
 * namespace (`/../…`).
 */
export const cgroupPathIn = (file: Buffer, hierarchy: string): Buffer | undefined => {
  const path = seenPathIn(file, hierarchy);
  return path === undefined || isForeign(path) ? undefined : Buffer.from(path, 'latin1');
};

/** Only outside our cgroup namespace: the path relative to its root, `/../…`. */
export const foreignPathIn = (file: Buffer, hierarchy: string): Buffer | undefined => {
  const path = seenPathIn(file, hierarchy);
  return path === undefined || !isForeign(path) ? undefined : Buffer.from(path, 'latin1');
};

export const readProcessCgroup = (procfsRoot: string, pid: number): Buffer | undefined =>
  orUndefined(() => readFileSync(`${procfsRoot}/${String(pid)}/cgroup`));
