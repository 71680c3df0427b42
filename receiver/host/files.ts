// SPDX-License-Identifier: Apache-2.0
/** Small synchronous reads of kernel files, with the errno kept apart from the content. */
import { readFileSync, readdirSync, readlinkSync } from 'node:fs';
import * as E from 'fp-ts/lib/Either.js';
import { codeOf } from './error-code.js';

export interface FileError {
  readonly _tag: 'FileError';
  readonly path: string;
  /** `ENOENT`, `EACCES`, … */
  readonly code: string;
}

const attempt = <A>(path: string, read: () => A): E.Either<FileError, A> =>
  E.tryCatch(read, (error) => ({
    _tag: 'FileError',
    path,
    code: codeOf(error),
  }));

/** The whole file as text, trailing newline removed. */
export const readText = (path: string): E.Either<FileError, string> =>
  attempt(path, () => readFileSync(path, 'utf8').replace(/\n$/, ''));

/** Names in a directory, sorted so that every walk is deterministic. */
export const listDirectory = (path: string): E.Either<FileError, readonly string[]> =>
  attempt(path, () => readdirSync(path).sort());

export const readLink = (path: string): E.Either<FileError, string> =>
  attempt(path, () => readlinkSync(path, 'utf8'));
