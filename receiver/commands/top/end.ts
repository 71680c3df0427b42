// SPDX-License-Identifier: Apache-2.0
/** How a viewer ends: by key, by signal, because its reader left, or because its source did. */
import type { Writable } from 'node:stream';
import { FINE, failed, type Outcome } from '../outcome.js';
import { outcomeOfOutputError } from '../output-errors.js';
import type { ReportSource } from '../../model/report-source.js';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** How long a reader may take what is on its way when we were told to stop. */
const LAST_OUTPUT_MILLIS = 1_000;

/** A reader that hangs (a stopped `less`) would hold the process for ever: node waits for its pipe. */
const leaveWithoutReader = (stdout: Writable): void => {
  setTimeout(() => {
    if (stdout.writableLength > 0) process.exit();
  }, LAST_OUTPUT_MILLIS).unref();
};

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
  let isToldToStop = false;
  const onSignal = (): void => {
    isToldToStop = true;
    finish(FINE);
  };
  const onStdoutError = (error: Error): void => {
    finish(outcomeOfOutputError(error));
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
    if (isToldToStop) leaveWithoutReader(stdout);
    return reason;
  });
  return { finish, outcome };
};
