// SPDX-License-Identifier: Apache-2.0
/** How a viewer ends: by key, by signal, because its reader left, or because its source did. */
import type { Writable } from 'node:stream';
import { FINE, failed, type Outcome } from '../outcome.js';
import type { ReportSource } from '../report-source.js';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** `head` has read enough, or the terminal is gone: not our failure. */
const isReaderGone = (error: Error): boolean =>
  'code' in error && (error.code === 'EPIPE' || error.code === 'EIO');

export interface Ending {
  /** The first reason counts. */
  readonly finish: (outcome: Outcome) => void;
  /** Resolves once, after everything is released. */
  readonly outcome: Promise<Outcome>;
}

/** `release` runs first: it gives the terminal back before anything else is written. */
export const endingOf = (source: ReportSource, stdout: Writable, release: () => void): Ending => {
  let finish: (outcome: Outcome) => void = () => undefined;
  const ended = new Promise<Outcome>((resolve) => {
    finish = resolve;
  });
  const onSignal = (): void => {
    finish(FINE);
  };
  const onStdoutError = (error: Error): void => {
    const complaint = { what: 'write standard output', cause: error.message, remedy: '' };
    finish(isReaderGone(error) ? FINE : failed(complaint));
  };
  for (const signal of SIGNALS) process.on(signal, onSignal);
  stdout.on('error', onStdoutError);
  source.onEnd((reason) => {
    finish(failed(reason));
  });
  const outcome = ended.then(async (reason) => {
    release();
    await source.close();
    for (const signal of SIGNALS) process.removeListener(signal, onSignal);
    return reason;
  });
  return { finish, outcome };
};
