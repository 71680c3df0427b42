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

export interface SpinLook {
  readonly verdict: 'spinning' | 'working' | 'unknown';
  /** `none` unless it spins. */
  readonly kind: string;
  readonly evidence: string;
}

export interface SpinRow {
  readonly program: Program;
  readonly looks: readonly SpinLook[];
}

/** Process ids, in the order of the programs. */
const started = z.array(z.int());
const EXAMINED =
  /thread examined pid=(\d+) tid=(\d+) verdict=(\w+) kind=(\w+) evidence=("(?:[^"\\]|\\.)*"|\S+)/g;
const VERDICTS = z.enum(['spinning', 'working', 'unknown']);

/** Of its main thread. */
const looksAt = (log: string, pid: number): readonly SpinLook[] =>
  [...log.matchAll(EXAMINED)]
    .filter(([, process, thread]) => process === thread && Number(process) === pid)
    .map(([, , , verdict, kind = '', evidence = '']) => ({
      verdict: VERDICTS.parse(verdict),
      kind,
      evidence,
    }));

/** Those that could tell. */
const toldOf = (looks: readonly SpinLook[]): readonly SpinLook[] =>
  looks.filter(({ verdict }) => verdict !== 'unknown');
export const toldBy = ({ looks }: SpinRow): readonly SpinLook[] => toldOf(looks);

/** A program is ended when so many have told something, and with it the look that has begun. */
const upTo = (looks: readonly SpinLook[], toldCount: number): readonly SpinLook[] => {
  const last = toldOf(looks)[toldCount - 1];
  return last === undefined ? looks : looks.slice(0, looks.indexOf(last) + 1);
};

const rowsOf = (run: Run, programs: readonly Program[], toldCount: number): readonly SpinRow[] => {
  const log = run.text('spin.log');
  const pids = started.parse(JSON.parse(run.text('pids.json')));
  return programs.map((program, at) => ({
    program,
    looks: upTo(looksAt(log, pids[at] ?? -1), toldCount),
  }));
};

export interface SpinRun {
  readonly programs: readonly Program[];
  /** One group after the other, in one machine and beside one agent. */
  readonly atATime: number;
  /** That tell something, at each program, at least. */
  readonly looks: number;
  /** Of each group. */
  readonly limitSeconds: number;
  /** One that no look has told anything of by then is given up; absent: none is. */
  readonly unseenSeconds?: number;
  /** Of the whole run. */
  readonly limitMillis: number;
}

/** As many of each sort in each. */
const groupsOf = (
  programs: readonly Program[],
  atATime: number,
): readonly (readonly Program[])[] => {
  const count = Math.ceil(programs.length / atATime);
  return Array.from({ length: count }, (_, group) =>
    programs.filter((_program, at) => at % count === group),
  );
};

const inGuest = (program: Program) => ({
  class: classOf(program),
  command: program.command.map((word) => word.replace(CORPUS, '/product/test/spin/')),
});

export const runSpinPrograms = async ({
  programs,
  atATime,
  looks,
  limitSeconds,
  unseenSeconds = limitSeconds,
  limitMillis,
}: SpinRun): Promise<readonly SpinRow[]> => {
  execFileSync('make', ['--silent', '-C', CORPUS], { stdio: ['ignore', 'ignore', 'inherit'] });
  const groups = groupsOf(programs, atATime);
  const spec = {
    looks,
    limit: limitSeconds,
    unseenLimit: unseenSeconds,
    groups: groups.map((group) => group.map(inGuest)),
  };
  const script = [
    'insmod /vm/simhw/simhw.ko || exit 1',
    `exec node /vm/guest/spin.mjs '${JSON.stringify(spec)}'`,
  ];
  const run = await bootAndRun('smt', '7.3', script.join('\n'), limitMillis);
  return rowsOf(run, groups.flat(), looks);
};
