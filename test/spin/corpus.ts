// SPDX-License-Identifier: Apache-2.0
/** Programs that wait awake and programs that work: what each is, how it is started, what it may be called. */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export interface Program {
  readonly name: string;
  readonly command: readonly string[];
  /** The kinds of spinning that describe it; empty: it works. */
  readonly kinds: readonly string[];
}

export const CORPUS = fileURLToPath(new URL('.', import.meta.url));

const LEVELS = ['O0', 'O2'];

/** Kind, and what it may be called. */
const SPINNERS: Readonly<Record<string, readonly string[]>> = {
  spinners: [
    'pause pause, flag flag, two-flags flag, empty flag, callback flag, bounded pause',
    'spinlock pause|flag, cas flag, yield yield, poll poll, epoll poll, select poll',
    'receive poll, read poll, clock clock, futex syscall',
  ],
  spinners2: [
    'counted flag, counted-memory flag, backoff pause, seqlock flag, ticket pause, tas flag',
    'trylock flag, trywait flag, many-flags flag, busy-select flag, contended pause|flag',
    'park pause|flag, tsc clock, tsc-pause pause|clock, timeofday clock, deadline clock',
    'eventfd poll, accept poll, flock poll, waitpid poll, access poll, usleep0 syscall',
    'usleep1 syscall, yield-trylock yield, nops flag',
  ],
};

const HONEST: readonly string[] = [
  'hash short-hash prng counter memory-counter doubles reduction chase copy small-copy fill sort',
  'matrix sieve search collatz allocate format recurse read pipe interpreter',
];

const compiled = (
  file: string,
  level: string,
  kind: string,
  kinds: readonly string[],
): Program => ({
  name: `${kind} -${level}`,
  command: [`${CORPUS}build/${file}-${level}`, kind],
  kinds,
});

const script = (name: string, kinds: string, ...command: readonly string[]): Program => ({
  name,
  command,
  kinds: kinds === '' ? [] : kinds.split('|'),
});

const javaScript = (name: string, kinds: string, source: string): Program =>
  script(`JavaScript ${name}`, kinds, process.execPath, '-e', source);
const python = (name: string, kinds: string, source: string): Program =>
  script(`Python ${name}`, kinds, 'python3', '-c', source);
const pythonFile = (name: string, kinds: string, file: string): Program =>
  script(`Python ${name}`, kinds, 'python3', `${CORPUS}scripts/${file}`);
const java = (kind: string, kinds: string): Program =>
  script(`Java ${kind}`, kinds, 'java', '-cp', `${CORPUS}build`, 'Spin', kind);
const shell = (name: string, kinds: string, source: string): Program =>
  script(name, kinds, 'bash', '-c', source);

const again = (name: string, source: string): Program =>
  shell(name, '', `while :; do ${source}; done > /dev/null 2>&1`);

const spinnersOf = (file: string, rows: readonly string[]): readonly Program[] =>
  rows
    .flatMap((row) => row.split(', '))
    .flatMap((one) => {
      const [kind = '', kinds = ''] = one.split(' ');
      return LEVELS.map((level) => compiled(file, level, kind, kinds.split('|')));
    });

const SCRIPTED_SPINNERS: readonly Program[] = [
  javaScript('while (true)', 'flag', 'while (true) {}'),
  javaScript(
    'Atomics.load',
    'flag',
    'const a = new Int32Array(new SharedArrayBuffer(4)); while (Atomics.load(a, 0) === 0) {}',
  ),
  javaScript('setImmediate', 'poll', 'const again = () => setImmediate(again); again()'),
  javaScript('Date.now', 'clock', 'while (Date.now() < 1e15) {}'),
  python('while True', 'flag', 'while True: pass'),
  python('while not flag', 'flag', 'flag = False\nwhile not flag: pass'),
  python('sleep(0)', 'syscall', 'import time\nwhile True: time.sleep(0)'),
  python('time()', 'clock', 'import time\nwhile time.time() < 1e12: pass'),
  pythonFile('method', 'flag', 'spin_function.py'),
  pythonFile('event', 'flag', 'spin_event.py'),
  pythonFile('asyncio.sleep(0)', 'poll', 'spin_asyncio.py'),
  java('onSpinWait', 'pause'),
  java('flag', 'flag'),
  java('yield', 'yield'),
  script('Perl while', 'flag', 'perl', '-e', '1 while !$flag'),
];

const SCRIPTED_HONEST: readonly Program[] = [
  javaScript(
    'sums',
    '',
    'let s = 0; for (let i = 0; ; i++) { s = (s * 31 + i) % 1000003; globalThis.s = s; }',
  ),
  javaScript(
    'sums in registers',
    '',
    'let s = 0; for (let i = 0; i < 1e15; i++) s = (s * 31 + i) | 0; console.log(s)',
  ),
  javaScript(
    'doubles',
    '',
    'let s = 0.5; for (let i = 0; i < 1e15; i++) s = 3.9 * s * (1 - s); console.log(s)',
  ),
  javaScript(
    'JSON',
    '',
    'for (let i = 0; ; i++) JSON.parse(JSON.stringify({ a: [i, "b"], c: { d: i } }))',
  ),
  javaScript(
    'regex',
    '',
    'const t = "abc 123 def 456 ".repeat(1000); for (;;) t.match(/[a-z]+ [0-9]+/g)',
  ),
  python('generator', '', 'x = 1\nwhile True: x = (x * 1103515245 + 12345) % 2147483648'),
  python('count', '', 'i = 0\nwhile True: i += 1'),
  python('doubles', '', 'x = 0.5\nwhile True: x = 3.9 * x * (1 - x)'),
  python('sums', '', 'a = list(range(1000))\nwhile True: sum(x * x for x in a)'),
  python('small numbers', '', 'x = 1\nwhile True: x = (x * 5 + 3) & 255'),
  python('dictionary', '', 'd = {}\ni = 0\nwhile True:\n i += 1\n d[i % 1000] = i'),
  python(
    'JSON',
    '',
    'import json\nwhile True: json.loads(json.dumps({"a": [1, 2, 3], "b": "text"}))',
  ),
  python(
    'regex',
    '',
    'import re\nt = "abc 123 def 456 " * 1000\nwhile True: re.findall(r"[a-z]+ [0-9]+", t)',
  ),
  pythonFile('sieve', '', 'sieve.py'),
  pythonFile('Collatz', '', 'collatz.py'),
  java('sum', ''),
  java('sieve', ''),
  java('map', ''),
  script('Perl count', '', 'perl', '-e', '$i = 1; while (1) { $i = ($i * 31 + 7) % 65537 }'),
  script('awk count', '', 'awk', 'BEGIN { for (;;) x = (x * 31 + 7) % 65537 }'),
  shell('bash count', '', 'i=0; while :; do i=$((i+1)); done'),
  script('sha256sum', '', 'sha256sum', '/dev/zero'),
  shell('gzip', '', 'exec gzip -c /dev/zero > /dev/null'),
  script('openssl', '', 'openssl', 'speed', '-seconds', '60', 'sha256'),
  shell('zstd', '', 'exec zstd -9 -c /dev/urandom > /dev/null'),
  again('compiler', `gcc -O2 -c ${CORPUS}honest.c -o /dev/null`),
  again('grep', 'grep -r zzzqq /usr/include'),
  again('sort', 'seq 1000000 | shuf | sort -n'),
  again('fork storm', '/bin/true'),
  shell(
    'sqlite',
    '',
    'exec sqlite3 :memory: "with recursive c(x) as (select 1 union all select x+1 from c where x<2000000000) select sum(x) from c"',
  ),
];

export const SPINNING: readonly Program[] = [
  ...Object.entries(SPINNERS).flatMap(([file, rows]) => spinnersOf(file, rows)),
  ...SCRIPTED_SPINNERS,
];

export const WORKING: readonly Program[] = [
  ...LEVELS.flatMap((level) =>
    HONEST.flatMap((row) => row.split(' ')).map((kind) => compiled('honest', level, kind, [])),
  ),
  ...SCRIPTED_HONEST,
];

/** Without those that a test has no time for; the bench runs all. */
export const quick = (programs: readonly Program[]): readonly Program[] =>
  programs.filter(({ command: [command = ''] }) => !/\/(spinners2|honest)-O0$/.test(command));

const hasCommand = (command: string): boolean => {
  try {
    execFileSync('which', [command], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};

/** Compiles what is to be compiled; those whose interpreter is not installed are left out. */
export const installed = (programs: readonly Program[]): readonly Program[] => {
  execFileSync('make', ['--silent', '-C', CORPUS], { stdio: ['ignore', 'ignore', 'inherit'] });
  const known = new Map<string, boolean>();
  return programs.filter(({ command: [command = ''] }) => {
    const answer = known.get(command) ?? hasCommand(command);
    known.set(command, answer);
    return answer;
  });
};
