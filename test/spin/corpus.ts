// SPDX-License-Identifier: Apache-2.0
/** Programs that wait awake and programs that work: what each is, how it is started, what it may be called. */
import { execFileSync } from 'node:child_process';
import { commandsThere } from './fetched.js';
import { CORPUS, compiledSpinners, compiledWorkers, type Program } from './program.js';
import { SCRIPTED_SPINNERS } from './scripted-spinners.js';
import { SCRIPTED_WORKERS } from './scripted-workers.js';
import { STRESS_NG, SYSTEMS } from './systems.js';

export { CORPUS, type Program } from './program.js';

export const SPINNING: readonly Program[] = [
  ...compiledSpinners('spinners', [
    'pause pause, flag flag, two-flags flag, empty flag, callback flag, bounded pause',
    'spinlock pause|flag, cas flag, yield yield, poll poll, epoll poll, select poll',
    'receive poll, read poll, clock clock, futex syscall',
  ]),
  ...compiledSpinners('spinners2', [
    'counted flag, counted-memory flag, backoff pause, seqlock flag, ticket pause, tas flag',
    'trylock flag, trywait flag, many-flags flag, busy-select flag, contended pause|flag',
    'park pause|flag, tsc clock, tsc-pause pause|clock, timeofday clock, deadline clock',
    'eventfd poll, accept poll, flock poll, waitpid poll, access poll, usleep0 syscall',
    'usleep1 syscall, yield-trylock yield, nops flag',
  ]),
  ...compiledSpinners('spinners3', [
    'ring flag, mcs pause, peterson flag, fences flag, text flag, bitmap flag, countdown flag',
    'delay flag, callbacks flag, tsc-deadline clock, day-deadline clock, time clock',
    'event-poll poll, recvmmsg poll, sleep-ns syscall, select-nothing poll, timedwait syscall|poll',
    'condition syscall|poll, semop poll, msgrcv poll, fionread poll, end-of-file poll, stat poll',
    'getppid poll, timerfd poll, pause-yield pause|yield',
  ]),
  ...compiledSpinners(
    'waits',
    [
      'atomic flag, exchange flag, test-and-set flag, yield yield, try-lock flag, queue flag',
      'future flag|clock|syscall, deadline clock, function flag, virtual flag, sleep syscall',
    ],
    'C++ ',
  ),
  ...SCRIPTED_SPINNERS,
];

export const WORKING: readonly Program[] = [
  ...compiledWorkers('honest', [
    'hash short-hash prng counter memory-counter doubles reduction chase copy small-copy fill sort',
    'matrix sieve search collatz allocate format recurse read pipe interpreter',
  ]),
  ...compiledWorkers('honest2', [
    'base64 crc mandelbrot queens lz bits bit-table memchr walk life long-sum strlen chain divide',
    'sudoku floats video distance transform gcd shared-count paced interruptible poller log',
    'lookups permute',
  ]),
  ...SCRIPTED_WORKERS,
  ...SYSTEMS,
  ...STRESS_NG,
];

/** Without those that a test has no time for; the bench runs all. */
export const quick = (programs: readonly Program[]): readonly Program[] =>
  programs.filter(
    ({ name, command: [command = ''], isMissed }) =>
      isMissed !== true &&
      !/\/(spinners[23]|waits|honest2?)-O0$/.test(command) &&
      !STRESS_NG.some((one) => one.name === name),
  );

export interface Installed {
  readonly programs: readonly Program[];
  /** What they lack. */
  readonly missing: ReadonlyMap<string, readonly Program[]>;
}

/** Compiles what is to be compiled, and says which programs this machine lacks something for. */
export const sortOut = (programs: readonly Program[]): Installed => {
  execFileSync('make', ['--silent', '-j2', '-C', CORPUS], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const commandsOf = ({ command: [command = ''], needs = [] }: Program): readonly string[] => [
    command,
    ...needs,
  ];
  const isThere = commandsThere([...new Set(programs.flatMap(commandsOf))]);
  const missing = new Map<string, Program[]>();
  const there = programs.filter((program) => {
    const lacking = commandsOf(program).find((one) => !isThere.has(one));
    if (lacking !== undefined) missing.set(lacking, [...(missing.get(lacking) ?? []), program]);
    return lacking === undefined;
  });
  return { programs: there, missing };
};

export const missingText = (missing: Installed['missing']): string =>
  [...missing]
    .map(
      ([command, programs]) =>
        `no ${command} here: ${programs.map(({ name }) => name).join(', ')} left out`,
    )
    .join('\n');

/** Those that can run here; what is left out is said. */
export const installed = (programs: readonly Program[]): readonly Program[] => {
  const { programs: there, missing } = sortOut(programs);
  if (missing.size > 0) console.log(missingText(missing));
  return there;
};
