// SPDX-License-Identifier: Apache-2.0
/** Reads a file that a user has named: one that is a regular file, and of a size he can have meant. */
import { closeSync, constants, fstatSync, openSync, readSync, statSync, type Stats } from 'node:fs';
import * as E from 'fp-ts/lib/Either.js';
import { codeOf } from './error-code.js';

/** Far above any configuration or certificate, far below what would be felt. */
export const MAX_NAMED_FILE_BYTES = 1_048_576;

export type NamedFileError =
  /** The kernel's answer: `ENOENT`, `EACCES`, `EISDIR`, … */
  | { readonly _tag: 'Unreadable'; readonly code: string }
  /** A device, a pipe, a socket: it may never end, or wait for a writer for ever. */
  | { readonly _tag: 'NotRegular'; readonly kind: string }
  | { readonly _tag: 'TooLarge'; readonly maxBytes: number };

const kindOf = (stats: Stats): string => {
  if (stats.isFIFO()) return 'a pipe';
  if (stats.isSocket()) return 'a socket';
  return stats.isCharacterDevice() || stats.isBlockDevice() ? 'a device' : 'no regular file';
};

const refusalOf = (stats: Stats, maxBytes: number): NamedFileError | undefined => {
  if (stats.isDirectory()) return { _tag: 'Unreadable', code: 'EISDIR' };
  if (!stats.isFile()) return { _tag: 'NotRegular', kind: kindOf(stats) };
  return stats.size > maxBytes ? { _tag: 'TooLarge', maxBytes } : undefined;
};

/** Up to one byte more than allowed: a file in /proc has size 0 and content, and one may grow. */
const readUpTo = (fd: number, maxBytes: number): E.Either<NamedFileError, string> => {
  const buffer = Buffer.allocUnsafe(maxBytes + 1);
  let filled = 0;
  for (;;) {
    const got = readSync(fd, buffer, filled, buffer.length - filled, null);
    filled += got;
    if (filled > maxBytes) return E.left({ _tag: 'TooLarge', maxBytes });
    if (got === 0) return E.right(buffer.toString('utf8', 0, filled));
  }
};

const readOpen = (fd: number, maxBytes: number): E.Either<NamedFileError, string> => {
  const refusal = refusalOf(fstatSync(fd), maxBytes);
  return refusal === undefined ? readUpTo(fd, maxBytes) : E.left(refusal);
};

/** The whole text. Looked at before it is opened (to open a device may do something) and after. */
export const readNamedFile = (
  path: string,
  maxBytes: number = MAX_NAMED_FILE_BYTES,
): E.Either<NamedFileError, string> => {
  let fd: number | undefined;
  try {
    const refusal = refusalOf(statSync(path), maxBytes);
    if (refusal !== undefined) return E.left(refusal);
    fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
    return readOpen(fd, maxBytes);
  } catch (error) {
    return E.left({ _tag: 'Unreadable', code: codeOf(error) });
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
};

/** Why it was not read, as the cause of a complaint. */
export const namedFileCause = (error: NamedFileError): string => {
  switch (error._tag) {
    case 'Unreadable':
      return error.code;
    case 'NotRegular':
      return `${error.kind}, not a regular file`;
    case 'TooLarge':
      return `larger than ${String(Math.floor(error.maxBytes / 1024))} KiB`;
  }
};
