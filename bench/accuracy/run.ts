// SPDX-License-Identifier: Apache-2.0
/**
 * `npm run bench:accuracy`: the share of energy that each way of splitting it gives to the wrong owner, on
 * simulated machines whose true joules are known. `--help` for the choices.
 */
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { runTasks } from './pool.js';
import { writeTraces } from './traces.js';
import { EQUAL_MIX, MIXES, STUDY_MIXES } from './sim/mixes.js';
import type { Book } from './summary.js';
import {
  CPU_METHODS,
  MEMORY_METHODS,
  boundsText,
  cutsText,
  meansTable,
  scoreTable,
} from './tables.js';
import type { MachineTask, Task, TaskResult } from './tasks.js';

const HELP = `npm run bench:accuracy -- [options]

  --machines N   simulated machines of +-25 % (default 32); +-50 %: a quarter of them
  --seed N       of the first machine (default 1)
  --mixes IDS    only these, e.g. 01,08,20
  --threads N    worker threads (default 2)
  --marginal     the table by marginal truth as well, not only its means
  --quick        4 machines, shorter runs: a look, not a figure to quote
  --traces DIR   write the mixes of one machine as traces with their truth, and end
  --json         one document instead of tables
`;

const { values } = parseArgs({
  options: {
    machines: { type: 'string', default: '' },
    seed: { type: 'string', default: '1' },
    mixes: { type: 'string', default: '' },
    threads: { type: 'string', default: '2' },
    marginal: { type: 'boolean', default: false },
    quick: { type: 'boolean', default: false },
    traces: { type: 'string', default: '' },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

const isQuick = values.quick;
const machines = Number(values.machines === '' ? (isQuick ? 4 : 32) : values.machines);
const firstSeed = Number(values.seed);
const wanted = values.mixes === '' ? MIXES.map(({ id }) => id) : values.mixes.split(',');
const chosen = MIXES.filter(({ id }) => wanted.includes(id));
const WINDOW_MILLIS = 500;

const machineTask = (seed: number, spread: number): MachineTask => ({
  kind: 'machine',
  seed,
  spread,
  mixes: chosen.map(({ id }) => id),
  windowMillis: WINDOW_MILLIS,
  trainSeconds: isQuick ? 2 : 4,
  steadySeconds: isQuick ? 60 : 90,
  scoreSeconds: isQuick ? 3 : 5,
});

const tasks: readonly Task[] = [
  ...Array.from({ length: machines }, (_, at) => machineTask(firstSeed + at, 0.25)),
  ...Array.from({ length: Math.ceil(machines / 4) }, (_, at) =>
    machineTask(firstSeed + 1000 + at, 0.5),
  ),
  { kind: 'cuts', seed: firstSeed, seconds: isQuick ? 10 : 20 },
];

const progress = (count: number): void => {
  if (!process.stderr.isTTY) {
    if (count === tasks.length || count % 4 === 0)
      process.stderr.write(
        `bench:accuracy: ${count.toString()} of ${tasks.length.toString()} runs\n`,
      );
    return;
  }
  process.stderr.write(`\rbench:accuracy: ${count.toString()} of ${tasks.length.toString()} runs `);
  if (count === tasks.length) process.stderr.write('\n');
};

const machineResults = (results: readonly TaskResult[], spread: number) =>
  results.flatMap((result) =>
    result.kind === 'machine' && result.task.spread === spread ? [result.result] : [],
  );

const print = (results: readonly TaskResult[]): void => {
  const usual = machineResults(results, 0.25);
  const wide = machineResults(results, 0.5);
  const study = chosen.filter((mix) => STUDY_MIXES.includes(mix));
  const common = { mixes: chosen, studyMixes: study };
  console.log(
    `${machines.toString()} simulated machines +-25 %, windows of ${WINDOW_MILLIS.toString()} ms; ` +
      `host ${(cpus()[0]?.model ?? '?').trim()}\n` +
      `Misattributed: half the sum of |estimated - true| shares, by window, in percent.\n` +
      `Columns of other tools are their formulas on the same windows, not the tools.\n`,
  );
  const table = (title: string, book: Book, methods: readonly string[]): void =>
    console.log(`${scoreTable({ title, results: usual, book, methods, ...common })}\n`);
  table('CPU energy, Shapley truth', 'shapley', CPU_METHODS);
  if (values.marginal) table('CPU energy, marginal truth', 'marginal', CPU_METHODS);
  table('DRAM energy', 'memory', MEMORY_METHODS);
  console.log(meansTable(usual, wide, study));
  if (study.length > 0 && chosen.includes(EQUAL_MIX)) console.log(boundsText(usual, study));
  for (const result of results) if (result.kind === 'cuts') console.log(cutsText(result.result));
};

const main = async (): Promise<void> => {
  if (values.help) return console.log(HELP);
  if (values.traces !== '') {
    const run = { seed: firstSeed, spread: 0.25, idleSeconds: 12, seconds: 20, windowMillis: 1000 };
    for (const path of await writeTraces(values.traces, chosen, run)) console.log(path);
    return;
  }
  const begin = performance.now();
  const results = await runTasks(tasks, Number(values.threads), progress);
  if (values.json) return console.log(JSON.stringify({ tasks, results }));
  print(results);
  console.log(`\n${((performance.now() - begin) / 1000).toFixed(0)} s`);
};

await main();
