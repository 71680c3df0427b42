// SPDX-License-Identifier: Apache-2.0
/** Programs that wait awake and programs that work: what each is, how it is started, what it may be called. */
import { execFileSync } from 'node:child_process';
import { commandsThere } from './fetched.js';
import { CORPUS, compiledSpinners, compiledWorkers, missed, type Program } from './program.js';
import { SCRIPTED_SPINNERS } from './scripted-spinners.js';
import { SCRIPTED_WORKERS } from './scripted-workers.js';
import { STRESS_NG, SYSTEMS } from './systems.js';

export { CORPUS, type Program } from './program.js';

/** Rows of names, without the level of optimisation. */
const withMissed = (rows: readonly string[], programs: readonly Program[]): readonly Program[] => {
  const names = new Set(rows.flatMap((row) => row.split(', ')));
  return programs.map((one) => (names.has(one.name.replace(/ -O\d$/, '')) ? missed(one) : one));
};

/** Waiting that carries a state on: a lot, a remainder, a copy, a sum of truths; and much code. */
const MISSED_SPINNERS = [
  'add-take-back, thief, two-flags-tries, round-robin, pending-task, sequence-retry, grace-period',
  'flag-file, refused, actors, C++ exceptions, C++ weak-lock',
];
/** The same result over and over, nowhere to be seen. */
const MISTAKEN_WORKERS = ['allocate-free, still-life, try-and-work'];

const ALL_SPINNING: readonly Program[] = [
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
  ...compiledSpinners('spin-locks', [
    'clh flag, ticket-proportional flag, try-read flag, bakery flag, sequence-retry flag',
    'hazard flag, bit-lock flag, fetch-or flag, add-take-back flag, grace-period flag, jitter pause',
    'test-then-set flag, sense-barrier pause, other-process flag, flushed flag, float-progress flag',
    'two-flags-tries flag, bytes-change flag, text-number flag',
  ]),
  ...compiledSpinners('spin-queues', [
    'single-consumer flag, many-consumers flag, mailbox flag, actors flag, round-robin flag',
    'yielding-queues yield, thief flag, event-loop poll|clock, ticks clock, pending-task flag',
    'long-jump flag, interpreted flag, switched flag, looked-up flag, timer-list flag',
  ]),
  ...compiledSpinners('spin-calls', [
    'sleep-zero syscall, sleep-past syscall, signalfd poll, inotify poll, io_uring poll, mq poll',
    'record-lock poll, record-question poll, kill-0 poll, full-pipe poll, refused poll',
    'no-datagram poll, open-missing poll, lock-file poll, flag-file poll, flag-file-again poll',
    'file-end poll, semctl poll, processor-time clock, getrusage clock, times clock',
    'coarse-clock clock, getcpu flag|clock, getpgid poll',
  ]),
  ...compiledSpinners(
    'waits2',
    [
      'condition syscall|flag|clock, shared-mutex flag, stop-token flag, latch flag, semaphore yield',
      'optional flag, variant flag, coroutine flag, lookup flag, any-of flag, text flag',
      'use-count flag, weak-lock flag, sources flag, futures flag|clock|syscall',
      'timed-mutex flag|syscall|clock, exceptions flag',
    ],
    'C++ ',
  ),
  ...SCRIPTED_SPINNERS,
];

export const SPINNING = withMissed(MISSED_SPINNERS, ALL_SPINNING);

const ALL_WORKING: readonly Program[] = [
  ...compiledWorkers('honest', [
    'hash short-hash prng counter memory-counter doubles reduction chase copy small-copy fill sort',
    'matrix sieve search collatz allocate format recurse read pipe interpreter',
  ]),
  ...compiledWorkers('honest2', [
    'base64 crc lz bits bit-table memchr life long-sum strlen video distance transform lookups',
  ]),
  ...compiledWorkers('honest3', ['mandelbrot queens walk chain divide sudoku floats gcd permute']),
  ...compiledWorkers('honest4', ['shared-count paced interruptible poller log']),
  ...compiledWorkers('work-registers', [
    'modular-power newton inner-points fixed-orbit cycle-finding monte-carlo short-period gray-code',
    'low-pass settled-filter shift-register series bit-reverse division long-double sine',
  ]),
  ...compiledWorkers('work-again', [
    'checksum-counted checksum small-sum dot-product small-matrix small-integers text-length',
    'text-compare own-compare find-byte crc-block parse-number print-number sort-again',
    'sort-in-place copy-block clear-block still-life allocate-free constant-tree references longest',
  ]),
  ...compiledWorkers('work-search', [
    'binary-search few-keys misses bloom moves trie anneal machine json utf8 automaton aes-like heap',
    'shortest',
  ]),
  ...compiledWorkers('work-kernel', [
    'echo drain append-sync append pages same-file reopen statistics map-unmap null-write zero-read',
    'consumer try-and-work time-stamped many-files fault-in',
  ]),
  ...SCRIPTED_WORKERS,
  ...SYSTEMS,
  ...STRESS_NG,
];

export const WORKING = withMissed(MISTAKEN_WORKERS, ALL_WORKING);

/** Without those that a test has no time for; the bench runs all. */
export const quick = (programs: readonly Program[]): readonly Program[] =>
  programs.filter(
    ({ name, command: [command = ''], isMissed }) =>
      isMissed !== true &&
      !/\/(spinners[23]|spin-[a-z]+|waits2?|honest[234]?|work-[a-z]+)-O0$/.test(command) &&
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
