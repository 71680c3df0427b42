// SPDX-License-Identifier: Apache-2.0
/**
 * One file of the state directory: written beside and renamed, so that a crash leaves the old one or
 * the new one.
 */
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import * as E from 'fp-ts/lib/Either.js';
import { makeDirectory } from '../host/directories.js';
import { codeOf } from '../host/error-code.js';

const DIRECTORY_MODE = 0o700;
const FILE_MODE = 0o600;

const writeWhole = (path: string, text: string, isDurable: boolean): void => {
  const descriptor = openSync(path, 'w', FILE_MODE);
  try {
    // writes on where the system took a part
    writeFileSync(descriptor, text);
    if (isDurable) fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
};

/** Left: the error's code, with what was there before as it was. `isDurable`: it must also outlive a crash of the machine. */
export const replaceStateFile = (
  path: string,
  text: string,
  { isDurable }: { readonly isDurable: boolean },
): E.Either<string, void> => {
  const directory = makeDirectory(dirname(path), DIRECTORY_MODE);
  if (E.isLeft(directory)) return E.left(directory.left.code);
  return E.tryCatch(
    () => {
      const temporary = `${path}.new`;
      try {
        writeWhole(temporary, text, isDurable);
        renameSync(temporary, path);
      } catch (error) {
        rmSync(temporary, { force: true });
        throw error;
      }
    },
    (error) => codeOf(error, String(error)),
  );
};
