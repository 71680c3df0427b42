// SPDX-License-Identifier: Apache-2.0
/** A tree on disk for one test file; everything is removed when the file ends. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import type { HostRoots } from '../../../receiver/host/roots.js';
import { tree, type Entry } from './tree.js';
import { rootsBelow, writeTree } from './write-tree.js';

const made: string[] = [];

// While the importing file is collected: inside a test the hook would be ignored.
afterAll(() => {
  for (const path of made.splice(0)) rmSync(path, { recursive: true, force: true });
});

export const temporaryDirectory = (): string => {
  const directory = mkdtempSync(join(tmpdir(), 'wattfeed-tree-'));
  made.push(directory);
  return directory;
};

export const rootsWith = (...parts: readonly Readonly<Record<string, Entry>>[]): HostRoots => {
  const directory = temporaryDirectory();
  writeTree(directory, tree(...parts));
  return rootsBelow(directory);
};
