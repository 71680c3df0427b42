// SPDX-License-Identifier: Apache-2.0
/**
 * Many programs at once and the agent beside them, as it runs everywhere: programs that work, SPIN_AT_A_TIME
 * (16) at a time for SPIN_SECONDS (600) each, and programs that spin one after the other among them,
 * SPIN_LANES (4) at a time for SPIN_SPINNER_SECONDS (60) each. What counts is what the agent's log says.
 * `npm run bench:spin -- --mixed`; SPIN_GROUPS says how many groups of those that work (4), SPIN_PERCENT
 * what deciding may take (2), SPIN_WARM_SECONDS how long those that work run before the first that spins (0).
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { installed, SPINNING, WORKING, type Program } from '../../test/spin/corpus.js';
import { corpusEnv } from '../../test/spin/fetched.js';
import { endGroup, familyOf } from '../../test/spin/judge-corpus.js';
import { agentPlace, startAgent, stopAgent } from '../../test/support/agent-process.js';
import { processCost } from '../../test/support/process-cost.js';
import { quantile } from '../lib/statistics.js';

const SECONDS = Number(process.env['SPIN_SECONDS'] ?? 600);
const AT_A_TIME = Number(process.env['SPIN_AT_A_TIME'] ?? 16);
const GROUPS = Number(process.env['SPIN_GROUPS'] ?? 4);
const PERCENT = process.env['SPIN_PERCENT'] ?? '2';
const WARM_SECONDS = Number(process.env['SPIN_WARM_SECONDS'] ?? 0);
const SPINNERS_AT_A_TIME = Number(process.env['SPIN_LANES'] ?? 4);
const SPINNER_SECONDS = Number(process.env['SPIN_SPINNER_SECONDS'] ?? 60);
const LOOK_MILLIS = 500;
const MILLIS_PER_SECOND = 1_000;

interface Running {
  readonly program: Program;
  readonly child: ChildProcess;
  readonly sinceMillis: number;
  /** Of all processes that it had. */
  readonly pids: Set<number>;
}

interface Said {
  readonly program: Program;
  readonly kind: string;
  readonly afterSeconds: number;
  readonly line: string;
}

const SAYS = /thread (?:spins|polls by design) pid=(\d+) tid=(\d+) (?:kind=(\w+))?.*/g;
const WASTED = /thread no longer spins .*wastedJoules=([\d.e+-]+)/g;

/** At most so many, spread over the list. */
const spread = (programs: readonly Program[], atMost: number): readonly Program[] => {
  const count = Math.min(programs.length, atMost);
  return Array.from(
    { length: count },
    (_, at) => programs[Math.floor((at * programs.length) / count)],
  ).filter((program) => program !== undefined);
};

/** In shares of the list, so that each group has some of all sorts. */
const dealt = (programs: readonly Program[]): readonly (readonly Program[])[] => {
  const picked = spread(programs, AT_A_TIME * GROUPS);
  return Array.from({ length: GROUPS }, (_, group) =>
    picked.filter((__, at) => at % GROUPS === group),
  ).filter(({ length }) => length > 0);
};

/** Where sessions share the CPU equally, each process's own niceness counts for nothing. */
const yieldToOthers = (pid: number): void => {
  try {
    writeFileSync(`/proc/${String(pid)}/autogroup`, '19');
  } catch {
    // no such groups here
  }
};

class Bench {
  readonly #running = new Set<Running>();
  readonly #ended: Running[] = [];
  readonly said: Said[] = [];
  #linesSeen = 0;

  constructor(private readonly log: () => string) {}

  async run(program: Program, seconds: number): Promise<void> {
    const [command = '', ...words] = program.command;
    // Others use the machine as well.
    const child = spawn('nice', ['-n', '19', 'setpriv', '--pdeathsig', 'KILL', command, ...words], {
      stdio: 'ignore',
      detached: true,
      env: corpusEnv(),
    });
    await once(child, 'spawn');
    yieldToOthers(child.pid ?? -1);
    const running = { program, child, sinceMillis: performance.now(), pids: new Set<number>() };
    this.#running.add(running);
    await wait(seconds * MILLIS_PER_SECOND);
    await endGroup(child);
    this.#running.delete(running);
    this.#ended.push(running);
  }

  /** Whom the agent has named since the last look. */
  look(): void {
    for (const { child, pids } of this.#running)
      for (const pid of familyOf(child.pid ?? -1)) pids.add(pid);
    const matches = [...this.log().matchAll(SAYS)];
    for (const [line, pid, , kind = 'polling'] of matches.slice(this.#linesSeen)) {
      const running = [...this.#running, ...this.#ended].find(({ pids }) => pids.has(Number(pid)));
      if (running === undefined) continue;
      const afterSeconds = (performance.now() - running.sinceMillis) / MILLIS_PER_SECOND;
      this.said.push({ program: running.program, kind, afterSeconds, line });
    }
    this.#linesSeen = matches.length;
  }
}

const tableOf = (programs: readonly Program[], said: readonly Said[]): string => {
  const truthOf = ({ kinds: [kind] }: Program): string => kind ?? 'works';
  /** The first thing said of a program. */
  const verdictOf = (program: Program): string =>
    said.find((one) => one.program === program)?.kind ?? 'nothing said';
  const truths = [...new Set(programs.map(truthOf))].sort();
  const verdicts = [...new Set(programs.map(verdictOf))].sort();
  const row = (cells: readonly string[]): string =>
    cells.map((cell, at) => (at === 0 ? cell.padEnd(9) : cell.padStart(14))).join('');
  return [
    row(['', ...verdicts]),
    ...truths.map((truth) =>
      row([
        truth,
        ...verdicts.map((verdict) => {
          const count = programs.filter(
            (one) => truthOf(one) === truth && verdictOf(one) === verdict,
          ).length;
          return String(count);
        }),
      ]),
    ),
  ].join('\n');
};

const say = (text: string): void => void process.stdout.write(`${text}\n`);

const report = (
  spinners: readonly Program[],
  workers: readonly Program[],
  said: readonly Said[],
): void => {
  say(tableOf([...spinners, ...workers], said));
  const isSaidOf = (program: Program) => (one: Said) => one.program === program;
  const found = spinners.filter((program) => said.some(isSaidOf(program)));
  const right = found.filter((program) =>
    program.kinds.includes(said.find(isSaidOf(program))?.kind ?? ''),
  );
  const times = found.map((program) => said.find(isSaidOf(program))?.afterSeconds ?? Number.NaN);
  say(
    `spinners found: ${String(found.length)} of ${String(spinners.length)}, ` +
      `${String(right.length)} by their kind, after ${quantile(times, 0.5).toFixed(1)} s ` +
      `(median; 90 % within ${quantile(times, 0.9).toFixed(1)} s)`,
  );
  const names = (programs: readonly Program[]): string =>
    programs.map(({ name }) => name).join(', ');
  say(`not found: ${names(spinners.filter((one) => !found.includes(one)))}`);
  say(`by another kind: ${names(found.filter((one) => !right.includes(one)))}`);
  for (const { program, line } of said)
    if (program.kinds.length === 0) say(`called spinning: ${program.name}: ${line}`);
};

const spinInTurn = async (bench: Bench, spinners: readonly Program[]): Promise<void> => {
  let next = 0;
  const lane = async (): Promise<void> => {
    for (let program = spinners[next++]; program !== undefined; program = spinners[next++])
      await bench.run(program, SPINNER_SECONDS);
  };
  await Promise.all(Array.from({ length: SPINNERS_AT_A_TIME }, lane));
};

export const runMixed = async (only: string): Promise<void> => {
  const isWanted = ({ name }: Program): boolean => name.includes(only);
  const groups = dealt(installed(WORKING).filter(isWanted));
  const workers = groups.flat();
  const turns =
    Math.floor((groups.length * SECONDS - WARM_SECONDS) / SPINNER_SECONDS) * SPINNERS_AT_A_TIME;
  const spinners = spread(installed(SPINNING).filter(isWanted), turns);
  say(
    `${String(workers.length)} programs that work, ${String(SECONDS)} s each in ${String(groups.length)} groups; ` +
      `${String(spinners.length)} that spin, ${String(SPINNER_SECONDS)} s each`,
  );
  const place = agentPlace();
  const flags = [
    ...[`--spin-cpu-percent=${PERCENT}`, '--spin-max-examined=8'],
    // So that there are joules where no counter is.
    ...['--energy-model-idle-watts=10', '--energy-model-max-watts=40'],
  ];
  const agent = await startAgent(place, { flags });
  const bench = new Bench(agent.log);
  const beginMillis = performance.now();
  const looking = setInterval(() => bench.look(), LOOK_MILLIS);
  try {
    const spinning = wait(WARM_SECONDS * MILLIS_PER_SECOND).then(async () =>
      spinInTurn(bench, spinners),
    );
    for (const group of groups)
      await Promise.all(group.map(async (program) => bench.run(program, SECONDS)));
    await spinning;
  } finally {
    clearInterval(looking);
    bench.look();
    const { cpuSeconds, residentBytes } = processCost(agent.pid);
    const share = (100 * cpuSeconds * MILLIS_PER_SECOND) / (performance.now() - beginMillis);
    say(
      `the agent took ${share.toFixed(2)} % of a CPU and ${(residentBytes / 2 ** 20).toFixed(0)} MiB`,
    );
    await stopAgent(agent);
    place.remove();
    report(spinners, workers, bench.said);
    const joules = [...agent.log().matchAll(WASTED)].reduce((sum, [, one]) => sum + Number(one), 0);
    say(`wasted by those that have ended: ${joules.toFixed(1)} J`);
  }
};
