// SPDX-License-Identifier: Apache-2.0
/** The process's outside as commands see it: streams, environment, clock. Passed in, so that tests give their own. */
import type { ReadStream, WriteStream } from 'node:tty';
import type { Readable, Writable } from 'node:stream';
import { systemClock, type Clock } from '../host/clock.js';

export interface CommandIo {
  readonly stdin: Readable | ReadStream;
  readonly stdout: Writable | WriteStream;
  readonly stderr: Writable | WriteStream;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
}

export const processIo = (): CommandIo => ({
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  clock: systemClock,
});
