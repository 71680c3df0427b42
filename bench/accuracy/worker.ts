// SPDX-License-Identifier: Apache-2.0
/** Runs experiments that the main thread asks for, one by one. */
import { parentPort } from 'node:worker_threads';
import { z } from 'zod';
import { runTask, taskSchema } from './tasks.js';

parentPort?.on('message', (message: unknown) => {
  const { id, task } = z.object({ id: z.int(), task: taskSchema }).parse(message);
  parentPort?.postMessage({ id, result: runTask(task) });
});
