// SPDX-License-Identifier: Apache-2.0
/** The thread that decides whether others spin: one record after the other, as `spin-decider.ts` asks. */
import { parentPort } from 'node:worker_threads';
import { decide, type DecisionRequest } from '../spin/decide.js';
import { loadDisassemblers } from '../spin/disassemblers.js';
import type { DecisionReply, NumberedRequest } from './spin-decider.js';

/** Said once, when questions are answered from now on. */
const READY = 'ready';

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

/** The decoder first: where the CPU is emulated it takes many seconds. */
let last: Promise<void> = loadDisassemblers(process.arch).then(() => {
  parentPort?.postMessage(READY);
});

parentPort?.on('message', (message: unknown) => {
  if (!isRequest(message)) return;
  const { number, request } = message;
  last = last.then(async () => {
    parentPort?.postMessage({ number, ...(await answer(request)) } satisfies DecisionReply);
  });
});
