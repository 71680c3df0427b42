// SPDX-License-Identifier: Apache-2.0
/** Which threads of a process run, from /proc: two looks a moment apart. */
import { readFileSync } from 'node:fs';
import { threadsOf } from './process-image.js';

/** CPU time so far, nanoseconds; undefined: gone. */
const runtimeOf = (procfsRoot: string, pid: number, tid: number): number | undefined => {
  try {
    const path = `${procfsRoot}/${String(pid)}/task/${String(tid)}/schedstat`;
    return Number(readFileSync(path, 'utf8').split(' ')[0]);
  } catch {
    return undefined;
  }
};

const runtimesOf = (procfsRoot: string, pid: number): ReadonlyMap<number, number> =>
  new Map(
    threadsOf(procfsRoot, pid).flatMap((tid) => {
      const runtime = runtimeOf(procfsRoot, pid, tid);
      return runtime === undefined ? [] : [[tid, runtime] as const];
    }),
  );

export interface BusyThread {
  readonly tid: number;
  /** Of the time between the two looks that it ran. */
  readonly runRatio: number;
}

/** Threads that ran between the two looks, the busiest first. */
export const busyThreads = async (
  procfsRoot: string,
  pid: number,
  wait: () => Promise<void>,
): Promise<readonly BusyThread[]> => {
  const before = runtimesOf(procfsRoot, pid);
  const beginNanos = process.hrtime.bigint();
  await wait();
  const after = runtimesOf(procfsRoot, pid);
  const spanNanos = Number(process.hrtime.bigint() - beginNanos);
  return [...after]
    .map(([tid, runtime]) => ({ tid, runRatio: (runtime - (before.get(tid) ?? 0)) / spanNanos }))
    .filter(({ runRatio }) => runRatio > 0)
    .toSorted((a, b) => b.runRatio - a.runRatio);
};
