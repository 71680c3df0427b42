// SPDX-License-Identifier: Apache-2.0
import {
  mkdirSync,
  readFileSync,
  readlinkSync,
  readdirSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { HostRoots } from '../../../receiver/host/roots.js';
import type { Entry, Tree } from './tree.js';

export const FIXTURES = fileURLToPath(new URL('../../fixtures/sysfs', import.meta.url));

export const rootsBelow = (directory: string): HostRoots => ({
  sysfs: join(directory, 'sys'),
  procfs: join(directory, 'proc'),
  cgroup: join(directory, 'sys/fs/cgroup'),
});

/** `directory` must be empty or absent. */
export const writeTree = (directory: string, tree: Tree): void => {
  for (const [path, entry] of tree) {
    const full = join(directory, path);
    mkdirSync(dirname(full), { recursive: true });
    if (typeof entry === 'string') writeFileSync(full, `${entry}\n`);
    else symlinkSync(entry.target, full);
  }
};

/** The tree below a directory, in the form that `writeTree` takes. */
export const readTree = (directory: string, prefix = ''): Map<string, Entry> => {
  const found = new Map<string, Entry>();
  for (const entry of readdirSync(join(directory, prefix), { withFileTypes: true })) {
    const path = prefix === '' ? entry.name : `${prefix}/${entry.name}`;
    const full = join(directory, path);
    if (entry.isDirectory())
      for (const [key, value] of readTree(directory, path)) found.set(key, value);
    else if (entry.isSymbolicLink()) found.set(path, { target: readlinkSync(full) });
    else found.set(path, readFileSync(full, 'utf8').replace(/\n$/, ''));
  }
  return found;
};
