// SPDX-License-Identifier: Apache-2.0
/** The bytes and errnos of one raw reading -> a number, or why there is none. Each way to fail has one outcome. */
import { getSystemErrorName } from 'node:util';
import * as E from 'fp-ts/lib/Either.js';
import type { RawReading } from '../model/activity.js';
import type { FailReason } from '../model/window.js';

export interface ReadFailure {
  readonly reason: FailReason;
  readonly detail: string;
}

const REASON_OF_ERRNO: Readonly<Record<string, FailReason>> = {
  EACCES: 'permission',
  EPERM: 'permission',
  ENOENT: 'gone',
  ENODEV: 'gone',
  ENXIO: 'gone',
  ESTALE: 'gone',
};

/** Longest number a 64-bit counter prints, with room for zero padding. */
const DIGITS_LIMIT = 32;

export const errnoName = (errno: number): string => {
  if (errno <= 0) return 'EUNKNOWN';
  return getSystemErrorName(-errno);
};

export const failureOfCode = (code: string): ReadFailure => ({
  reason: REASON_OF_ERRNO[code] ?? 'unreadable',
  detail: code,
});

const failed = (reason: FailReason, detail: string): E.Either<ReadFailure, never> =>
  E.left({ reason, detail });

const isBlank = (character: string): boolean => character === '\0' || /\s/.test(character);

/** Trailing newline, blanks and NULs are the file's, not the value's. */
const trimmed = (text: string): string => {
  let end = text.length;
  while (end > 0 && isBlank(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end).trimStart();
};

export const readingText = (reading: RawReading): E.Either<ReadFailure, string> => {
  if (reading.errno !== 0) return E.left(failureOfCode(errnoName(reading.errno)));
  if (reading._tag === 'PerfReading') return failed('unreadable', 'perf reading of a file source');
  const text = trimmed(reading.text);
  if (text === '') return failed('empty', `${String(reading.textLength)} bytes, no value`);
  if (reading.textLength > reading.text.length)
    return failed('not-a-number', `${String(reading.textLength)} bytes in one attribute`);
  return E.right(text);
};

/** A file's decimal integer, sign allowed. */
export const readingInteger = (reading: RawReading): E.Either<ReadFailure, bigint> => {
  const text = readingText(reading);
  if (E.isLeft(text)) return text;
  if (!/^-?\d+$/.test(text.right) || text.right.length > DIGITS_LIMIT)
    return failed('not-a-number', `"${text.right.replaceAll(/[^ -~]/g, '?')}"`);
  return E.right(BigInt(text.right));
};

/** A counter's value, from a file or a perf event. */
export const readingCount = (reading: RawReading): E.Either<ReadFailure, bigint> => {
  if (reading._tag === 'FileReading') return readingInteger(reading);
  if (reading.errno !== 0) return E.left(failureOfCode(errnoName(reading.errno)));
  return E.right(reading.value);
};
