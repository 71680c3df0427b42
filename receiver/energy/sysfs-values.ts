// SPDX-License-Identifier: Apache-2.0
/** Small typed reads of sysfs attributes for probing; a value that is not there or not a number is undefined. */
import { pipe } from 'fp-ts/lib/function.js';
import * as E from 'fp-ts/lib/Either.js';
import { listDirectory, readText } from '../host/files.js';

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

export const namesIn = (path: string): readonly string[] =>
  pipe(
    listDirectory(path),
    E.getOrElse((): readonly string[] => []),
  );
