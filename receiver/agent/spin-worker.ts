// SPDX-License-Identifier: Apache-2.0
/** The thread that decides whether others spin: one record after the other, as `spin-decider.ts` asks. */
import { parentPort } from 'node:worker_threads';
import { decide, type DecisionRequest } from '../spin/decide.js';
import type { DecisionReply, NumberedRequest } from './spin-decider.js';

/** Both ends are built from one source. */
const isRequest = (value: unknown): value is NumberedRequest =>
  typeof value === 'object' && value !== null && 'number' in value && 'request' in value;

const answer = async (request: DecisionRequest): Promise<Omit<DecisionReply, 'number'>> => {
  try {
    return { decision: await decide(request), error: undefined };
  } catch (error) {
    return { decision: undefined, error: String(error) };
  }
};

let last: Promise<void> = Promise.resolve();

parentPort?.on('message', (message: unknown) => {
  if (!isRequest(message)) return;
  const { number, request } = message;
  last = last.then(async () => {
    parentPort?.postMessage({ number, ...(await answer(request)) } satisfies DecisionReply);
  });
});
