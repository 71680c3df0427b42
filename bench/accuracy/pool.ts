// SPDX-License-Identifier: Apache-2.0
/** A few worker threads and a queue of tasks. */
import { Worker } from 'node:worker_threads';
import type { Task, TaskResult } from './tasks.js';

interface Reply {
  readonly id: number;
  readonly result: TaskResult;
}

const isReply = (value: unknown): value is Reply =>
  typeof value === 'object' && value !== null && 'id' in value && 'result' in value;

/** Results in the order of the tasks. `onDone` is told how many have ended. */
export const runTasks = async (
  tasks: readonly Task[],
  threads: number,
  onDone: (count: number) => void,
): Promise<readonly TaskResult[]> => {
  const results = new Map<number, TaskResult>();
  let next = 0;
  const work = async (): Promise<void> => {
    const worker = new Worker(new URL('./worker.ts', import.meta.url));
    try {
      while (next < tasks.length) {
        const id = next++;
        const result = await new Promise<TaskResult>((resolve, reject) => {
          const onMessage = (value: unknown): void => {
            worker.off('error', reject);
            if (isReply(value)) resolve(value.result);
          };
          worker.once('message', onMessage);
          worker.once('error', reject);
          worker.postMessage({ id, task: tasks[id] });
        });
        results.set(id, result);
        onDone(results.size);
      }
    } finally {
      await worker.terminate();
    }
  };
  await Promise.all(Array.from({ length: Math.min(threads, tasks.length) }, work));
  return tasks.flatMap((_, id) => results.get(id) ?? []);
};
