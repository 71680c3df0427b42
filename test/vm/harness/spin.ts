// SPDX-License-Identifier: Apache-2.0
/**
 * Programs of test/spin in the simulated machine, whose counters say of each what its class says: run, and
 * what the agent's log says of them.
 */
import { execFileSync } from 'node:child_process';
import { z } from 'zod';
import { CORPUS, SPINNING, WORKING, type Program } from '../../spin/corpus.js';
import { bootAndRun, type Run } from './files.js';

/** What a CPU would count in a loop that waits so. */
const SPIN_CLASSES: Readonly<Record<string, string>> = {
  pause: 'pause',
  flag: 'tight',
  clock: 'tight',
  poll: 'poll',
  yield: 'poll',
  syscall: 'poll',
};

/** And at work; a counter in a register counts as a loop on a flag does. */
const WORK_CLASSES: Readonly<Record<string, string>> = {
  chase: 'chase',
  copy: 'stream',
  fill: 'stream',
  matrix: 'avx2',
  search: 'avx2',
  sort: 'br_lo',
  collatz: 'br_lo',
  interpreter: 'br_lo',
  prng: 'int_hi',
  reduction: 'int_hi',
  counter: 'tight',
};

const classOf = ({ name, kinds: [kind] }: Program): string =>
  kind === undefined
    ? (WORK_CLASSES[name.split(' ')[0] ?? ''] ?? 'int_mid')
    : (SPIN_CLASSES[kind] ?? 'poll');

/** Those in C: the simulated machine has no other languages. Those with a second thread judge two. */
const inMachine = (programs: readonly Program[]): readonly Program[] =>
  programs.filter(
    ({ name, command: [file = ''] }) =>
      file.startsWith(`${CORPUS}build/`) && !/^(contended|park) /.test(name),
  );

export const VM_SPINNING = inMachine(SPINNING);
export const VM_WORKING = inMachine(WORKING);

export interface SpinRow {
  readonly program: Program;
  /** Of each look that could tell: a kind, or `none`. */
  readonly looks: readonly { readonly kind: string; readonly evidence: string }[];
  /** Said to spin, as what. */
  readonly said: readonly string[];
}

const started = z.array(z.object({ name: z.string(), pid: z.int() }));
const EXAMINED =
  /thread examined pid=(\d+) tid=(\d+) verdict=(\w+) kind=(\w+) evidence=("(?:[^"\\]|\\.)*"|\S+)/g;
const SAID = /thread spins pid=(\d+) tid=(\d+) kind=(\w+)/g;

/** Of the main threads. */
const matchesOf = (log: string, pattern: RegExp, pid: number): readonly RegExpMatchArray[] =>
  [...log.matchAll(pattern)].filter(
    ([, process, thread]) => process === thread && Number(process) === pid,
  );

const rowsOf = (run: Run, programs: readonly Program[]): readonly SpinRow[] => {
  const log = run.text('spin.log');
  const pids = new Map(
    started.parse(JSON.parse(run.text('programs.json'))).map(({ name, pid }) => [name, pid]),
  );
  return programs.map((program) => {
    const pid = pids.get(program.name) ?? -1;
    return {
      program,
      looks: matchesOf(log, EXAMINED, pid)
        .filter(([, , , verdict]) => verdict !== 'unknown')
        .map(([, , , , kind = '', evidence = '']) => ({ kind, evidence })),
      said: matchesOf(log, SAID, pid).map(([, , , kind = '']) => kind),
    };
  });
};

export interface SpinRun {
  readonly programs: readonly Program[];
  /** At each program, at least. */
  readonly looks: number;
  readonly limitSeconds: number;
  /** Of the whole run. */
  readonly limitMillis: number;
}

export const runSpinPrograms = async ({
  programs,
  looks,
  limitSeconds,
  limitMillis,
}: SpinRun): Promise<readonly SpinRow[]> => {
  execFileSync('make', ['--silent', '-C', CORPUS], { stdio: ['ignore', 'ignore', 'inherit'] });
  const spec = {
    looks,
    limit: limitSeconds,
    programs: programs.map((program) => ({
      name: program.name,
      class: classOf(program),
      command: program.command.map((word) => word.replace(CORPUS, '/product/test/spin/')),
    })),
  };
  const script = [
    'insmod /vm/simhw/simhw.ko || exit 1',
    `exec node /vm/guest/spin.mjs '${JSON.stringify(spec)}'`,
  ];
  return rowsOf(await bootAndRun('smt', '7.3', script.join('\n'), limitMillis), programs);
};
