// SPDX-License-Identifier: Apache-2.0
/**
 * Makes directories one by one. Not Node's `recursive`: where a kernel file system refuses with ENOENT
 * although the parent is there (sysfs' empty `fs/bpf` while no bpffs is mounted) Node 24 asks for the
 * parent and the child in turn for ever.
 */
import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import * as E from 'fp-ts/lib/Either.js';
import { codeOf } from './error-code.js';
import type { FileError } from './files.js';

const isDirectory = (path: string): boolean => {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
};

/** The directory and those above it that are missing; `mode` is that of each new one. */
export const makeDirectory = (path: string, mode: number): E.Either<FileError, void> => {
  if (isDirectory(path)) return E.right(undefined);
  const parent = dirname(path);
  if (parent !== path && !isDirectory(parent)) {
    const above = makeDirectory(parent, mode);
    if (E.isLeft(above)) return above;
  }
  try {
    mkdirSync(path, { mode });
    return E.right(undefined);
  } catch (error) {
    // Somebody else may have been faster.
    if (isDirectory(path)) return E.right(undefined);
    return E.left({ _tag: 'FileError', path, code: codeOf(error) });
  }
};
