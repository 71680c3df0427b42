// SPDX-License-Identifier: Apache-2.0
/** Small typed reads of kernel files for probing: what is not there, or no number, is undefined or empty. */
import { pipe } from 'fp-ts/lib/function.js';
import * as E from 'fp-ts/lib/Either.js';
import { listDirectory, readText } from './files.js';

/** Without NUL and white space around it. */
export const textAt = (path: string): string | undefined =>
  pipe(
    readText(path),
    E.match(
      () => undefined,
      (text) => text.replaceAll('\0', '').trim(),
    ),
  );

export const integerAt = (path: string): bigint | undefined => {
  const text = textAt(path);
  return text !== undefined && /^-?\d{1,30}$/.test(text) ? BigInt(text) : undefined;
};

/** Names in a directory, sorted; empty where it cannot be listed. */
export const namesIn = (path: string): readonly string[] =>
  pipe(
    listDirectory(path),
    E.getOrElse((): readonly string[] => []),
  );
