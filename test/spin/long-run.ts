// SPDX-License-Identifier: Apache-2.0
/** Programs that work, each for 20 s on a CPU of its own, looked at all the time. */
import { availableParallelism } from 'node:os';
import { LOOK_SECONDS } from '../../receiver/spin/sampling-rate.js';
import { installed, WORKING, type Program } from './corpus.js';
import { judgeProgram, type Judged } from './judge-corpus.js';

const SECONDS = 20;
const MAX_LANES = 4;

/**
 * One of each sort of work, in quarters, for a file of tests may take 90 s. Behind `|` what comes in its
 * place where it cannot run.
 */
const LONG: readonly (readonly string[])[] = [
  [
    ...['hash -O2', 'chase -O2', 'Python generator', 'JavaScript JSON', 'web server'],
    'stress-ng cpu fft|transform -O2',
  ],
  [...['prng -O2', 'copy -O2', 'matrix -O2', 'Python regex', 'Redis|web client', 'compiler']],
  [
    ...['reduction -O2', 'sort -O2', 'video -O2', 'Java map|JavaScript sort'],
    ...['sqlite|awk text', 'zstd|gzip'],
  ],
  [
    ...['interpreter -O2', 'lz -O2', 'sudoku -O2', 'JavaScript sums in registers'],
    ...['PostgreSQL|poller -O2', 'fork storm'],
  ],
];

const onCpu = (program: Program, cpu: number): Program => ({
  ...program,
  command: ['taskset', '-c', String(cpu), ...program.command],
});

/** Those of a quarter. What this machine lacks something for is said, and what comes in its place. */
export const longPrograms = (quarter: number): readonly Program[] => {
  const names = (LONG[quarter] ?? []).map((name) => name.split('|'));
  const wanted = WORKING.filter(({ name }) => names.flat().includes(name));
  const there = installed(wanted);
  return names.flatMap(
    (alternatives) =>
      alternatives
        .map((name) => there.find((program) => program.name === name))
        .find((program) => program !== undefined) ?? [],
  );
};

export const judgeLong = async (programs: readonly Program[]): Promise<readonly Judged[]> => {
  const pending = [...programs];
  const judged: Judged[] = [];
  const lane = async (cpu: number): Promise<void> => {
    for (let program = pending.shift(); program !== undefined; program = pending.shift())
      judged.push(...(await judgeProgram(onCpu(program, cpu), LOOK_SECONDS, SECONDS)));
  };
  const lanes = Math.min(MAX_LANES, availableParallelism());
  await Promise.all(Array.from({ length: lanes }, (_, cpu) => lane(cpu)));
  return judged;
};
