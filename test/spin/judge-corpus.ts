// SPDX-License-Identifier: Apache-2.0
/** Runs programs of the corpus, several at a time, and examines each as `wattfeed spin PID` does it. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, readdirSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import * as E from 'fp-ts/lib/Either.js';
import { examineProcess } from '../../receiver/agent/examine-process.js';
import { corpusEnv } from './fetched.js';
import type { Program } from './program.js';

export interface Judged {
  readonly program: Program;
  /** `Working`, `Unknown` or a kind. */
  readonly verdict: string;
  readonly evidence: string;
}

/** CPU time from which on a program does what it is here for, rather than start. */
const STARTED_NANOS = 400_000_000;
const START_MILLIS = 30_000;
const LOOK_MILLIS = 100;
const END_MILLIS = 3_000;
const MILLIS_PER_SECOND = 1_000;

const numbersIn = (path: string): readonly number[] => {
  try {
    return readFileSync(path, 'utf8').trim().split(' ').filter(Boolean).map(Number);
  } catch {
    return [];
  }
};

const entriesOf = (path: string): readonly string[] => {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
};

export const familyOf = (pid: number): readonly number[] => [
  pid,
  ...entriesOf(`/proc/${String(pid)}/task`).flatMap((tid) =>
    numbersIn(`/proc/${String(pid)}/task/${tid}/children`).flatMap(familyOf),
  ),
];

const runtimeOf = (pid: number): number =>
  entriesOf(`/proc/${String(pid)}/task`).reduce(
    (sum, tid) => sum + (numbersIn(`/proc/${String(pid)}/task/${tid}/schedstat`)[0] ?? 0),
    0,
  );

const commandLine = (pid: number): string => {
  try {
    return readFileSync(`/proc/${String(pid)}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return '';
  }
};

/** The process that runs most of those that count, once they have run for a while. */
const busiestOf = async (top: number, only?: string): Promise<number> => {
  const counting = (): readonly number[] =>
    familyOf(top).filter((one) => only === undefined || commandLine(one).includes(only));
  const deadline = performance.now() + START_MILLIS;
  let ran = 0;
  while (ran < STARTED_NANOS && performance.now() < deadline) {
    await wait(LOOK_MILLIS);
    ran = Math.max(
      ran,
      counting().reduce((sum, one) => sum + runtimeOf(one), 0),
    );
    // Short-lived children take their time with them.
    if (only === undefined && performance.now() > deadline - START_MILLIS + STARTED_NANOS / 1e5)
      break;
  }
  const before = new Map(counting().map((one) => [one, runtimeOf(one)] as const));
  await wait(LOOK_MILLIS);
  const [busiest] = [...before]
    .map(([one, runtime]) => ({ pid: one, ran: runtimeOf(one) - runtime }))
    .toSorted((a, b) => b.ran - a.ran);
  return busiest?.pid ?? top;
};

export const endGroup = async (child: ChildProcess): Promise<void> => {
  const hasEnded = (): boolean => child.exitCode !== null || child.signalCode !== null;
  const ended = hasEnded() ? undefined : once(child, 'exit');
  const send = (signal: NodeJS.Signals): void => {
    try {
      process.kill(-(child.pid ?? 0), signal);
    } catch {
      // ended by itself
    }
  };
  // Some have files to remove.
  send('SIGTERM');
  const deadline = performance.now() + END_MILLIS;
  while (!hasEnded() && performance.now() < deadline) await wait(LOOK_MILLIS / 10);
  send('SIGKILL');
  await ended;
};

const judgeOnce = async (program: Program, pid: number, seconds: number): Promise<Judged> => {
  const busiest = await busiestOf(pid, program.only);
  const examined = await examineProcess({
    procfsRoot: '/proc',
    pid: busiest,
    seconds,
    pollers: [],
  })();
  if (E.isLeft(examined)) return { program, verdict: 'Gone', evidence: examined.left.cause };
  const [first] = examined.right.filter(({ threadName }) => threadName !== 'holder');
  if (first === undefined) return { program, verdict: 'Gone', evidence: 'nothing ran' };
  const { verdict } = first;
  const name = verdict._tag === 'Spinning' ? verdict.kind : verdict._tag;
  return { program, verdict: name, evidence: verdict.evidence };
};

/** Examinations of `seconds`, one after the other, until the program has run for `totalSeconds`. */
export const judgeProgram = async (
  program: Program,
  seconds: number,
  totalSeconds = 0,
): Promise<readonly Judged[]> => {
  const [command = '', ...args] = program.command;
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', command, ...args], {
    stdio: 'ignore',
    detached: true,
    env: corpusEnv(),
  });
  await once(child, 'spawn');
  const end = performance.now() + totalSeconds * MILLIS_PER_SECOND;
  const judged: Judged[] = [];
  try {
    do judged.push(await judgeOnce(program, child.pid ?? -1, seconds));
    while (performance.now() < end);
    return judged;
  } finally {
    await endGroup(child);
  }
};

export const judgeAll = async (
  programs: readonly Program[],
  { batch, seconds }: { readonly batch: number; readonly seconds: number },
): Promise<readonly Judged[]> => {
  const judged: Judged[] = [];
  for (let from = 0; from < programs.length; from += batch)
    judged.push(
      ...(
        await Promise.all(
          programs.slice(from, from + batch).map(async (one) => judgeProgram(one, seconds)),
        )
      ).flat(),
    );
  return judged;
};

/** Rows: what a program is; columns: what it was called. */
export const confusionText = (judged: readonly Judged[]): string => {
  const truthOf = ({ program }: Judged): string => program.kinds[0] ?? 'works';
  const truths = [...new Set(judged.map(truthOf))].sort();
  const verdicts = [...new Set(judged.map(({ verdict }) => verdict))].sort();
  const row = (cells: readonly string[]): string =>
    cells.map((cell, at) => (at === 0 ? cell.padEnd(9) : cell.padStart(9))).join('');
  const count = (truth: string, verdict: string): string =>
    String(judged.filter((one) => truthOf(one) === truth && one.verdict === verdict).length);
  return [
    row(['', ...verdicts]),
    ...truths.map((truth) => row([truth, ...verdicts.map((verdict) => count(truth, verdict))])),
  ].join('\n');
};
