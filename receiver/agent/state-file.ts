// SPDX-License-Identifier: Apache-2.0
/**
 * One file of the state directory: written beside and renamed, so that a crash leaves the old one or
 * the new one.
 */
import { closeSync, fsyncSync, openSync, renameSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import * as E from 'fp-ts/lib/Either.js';
import { makeDirectory } from '../host/directories.js';
import { codeOf } from '../host/error-code.js';

const DIRECTORY_MODE = 0o700;
const FILE_MODE = 0o600;

/** Left: the error's code. `isDurable`: it must also outlive a crash of the machine. */
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
      const descriptor = openSync(temporary, 'w', FILE_MODE);
      try {
        writeSync(descriptor, text);
        if (isDurable) fsyncSync(descriptor);
      } finally {
        closeSync(descriptor);
      }
      renameSync(temporary, path);
    },
    (error) => codeOf(error, String(error)),
  );
};
