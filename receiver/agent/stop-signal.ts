// SPDX-License-Identifier: Apache-2.0
/**
 * When the agent is told to stop. Only the first signal counts: a terminal sends Ctrl-C to `npm start`
 * and to us, npm passes its own on, and the second one must not kill the last export. The end that it
 * begins has a time limit of its own.
 */
import type { EventEmitter } from 'node:events';

/** SIGHUP: the terminal is gone. Its default would lose the last window and leave the socket file. */
const STOP_SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/** Resolves with the name of the first stop signal; handles them from the call on, for good. */
export const stopSignal = async (signals: Pick<EventEmitter, 'on'>): Promise<string> =>
  new Promise((resolve) => {
    for (const signal of STOP_SIGNALS)
      signals.on(signal, () => {
        resolve(signal);
      });
  });
