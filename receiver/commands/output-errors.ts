// SPDX-License-Identifier: Apache-2.0
/** What a failing standard output means. A stream's error that nobody listens to would end the process. */
import type { Writable } from 'node:stream';
import { FINE, failed, type Outcome } from './outcome.js';

/** `head` has read enough, or the terminal is gone: not our failure. */
const isReaderGone = (error: Error): boolean =>
  'code' in error && (error.code === 'EPIPE' || error.code === 'EIO');

export const outcomeOfOutputError = (error: Error): Outcome =>
  isReaderGone(error)
    ? FINE
    : failed({ what: 'write standard output', cause: error.message, remedy: '' });

/**
 * Follows a stream from now on. The function returned says how writing to a file went so far; what a
 * slow reader of a pipe has not taken yet is not waited for.
 */
export const watchOutput = (stdout: Writable): (() => Promise<Outcome>) => {
  let outcome: Outcome = FINE;
  stdout.on('error', (error) => {
    if (outcome._tag === 'Fine') outcome = outcomeOfOutputError(error);
  });
  return async () => {
    // The error of a write comes a turn later.
    await new Promise(setImmediate);
    return outcome;
  };
};
