// SPDX-License-Identifier: Apache-2.0
/**
 * `npm run bench:truth`: the share of energy that the agent's present model, and a plain split by CPU time, give
 * to the wrong process, per mix of load, on the simulated machine; both from the same windows of the same run.
 */
import { mkdtempSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';

import { makeImages, whyNoVm } from '../../test/vm/harness/cache.js';
import { runOf, type Run } from '../../test/vm/harness/files.js';
import { readReports, type Report } from '../../test/vm/harness/reports.js';
import { describeOutcome, runInVm } from '../../test/vm/harness/run.js';
import { packageNanojoules, type Truth } from '../../test/vm/harness/truth.js';
import {
  groupByLoad,
  misattributedShare,
  risen,
  worstError,
  type Joules,
} from './misattribution.js';

const SECONDS_PER_MIX = Number(process.env['WATTFEED_BENCH_SECONDS'] ?? 5);
const LIMIT_MILLIS = 1_500_000;
const NANOJOULES_PER_JOULE = 1e9;

const mixes = z.array(
  z.object({
    name: z.string(),
    loads: z.array(z.string()),
    firstWindow: z.string(),
    lastWindow: z.string(),
  }),
);
type Mix = z.infer<typeof mixes>[number];
type Column = 'packageJoules' | 'dramJoules' | 'cpuSeconds';

const reportAt = (reports: readonly Report[], window: string): Report => {
  const found = reports.find((report) => report.window.index === BigInt(window));
  if (found === undefined) throw new Error(`no report of window ${window}`);
  return found;
};

/** Both kinds are measured on the simulated machine: an absent one would make the table meaningless. */
const known = (value: number | null, column: Column): number => {
  if (value === null) throw new Error(`the agent has no ${column} on the simulated machine`);
  return value;
};

/** What the agent had given to each load since its start, by one of its columns. */
const agentJoules = (report: Report, column: Column, loads: readonly string[]): Joules =>
  groupByLoad(
    [
      ...report.processes.map((row) => ({ name: row.name, joules: known(row[column], column) })),
      { name: 'other', joules: known(report.exitedProcesses[column], column) },
    ],
    loads,
  );

const trueJoules = (truth: Truth, kind: 'package' | 'dram', loads: readonly string[]): Joules =>
  groupByLoad(
    truth.owners.map((owner) => ({
      name: owner.comm,
      joules:
        owner.energy.reduce(
          (sum, energy) =>
            sum + Number(kind === 'package' ? packageNanojoules(energy) : energy.dram),
          0,
        ) / NANOJOULES_PER_JOULE,
    })),
    loads,
  );

const rowOf = (run: Run, reports: readonly Report[], mix: Mix, index: number) => {
  const [first, last] = [reportAt(reports, mix.firstWindow), reportAt(reports, mix.lastWindow)];
  const [before, after] = [0, 1].map((end) =>
    run.truth(`mix-${index.toString()}-${end.toString()}`),
  );
  if (before === undefined || after === undefined) throw new Error(`no truth of ${mix.name}`);
  const agent = (column: Column): Joules =>
    risen(agentJoules(first, column, mix.loads), agentJoules(last, column, mix.loads));
  const truth = (kind: 'package' | 'dram'): Joules =>
    risen(trueJoules(before, kind, mix.loads), trueJoules(after, kind, mix.loads));
  return {
    mix: mix.name,
    agent: misattributedShare(agent('packageJoules'), truth('package')),
    worst: worstError(agent('packageJoules'), truth('package'), mix.loads),
    cpuTime: misattributedShare(agent('cpuSeconds'), truth('package')),
    dramAgent: misattributedShare(agent('dramJoules'), truth('dram')),
    dramCpuTime: misattributedShare(agent('cpuSeconds'), truth('dram')),
  };
};

type Row = ReturnType<typeof rowOf>;

const print = (rows: readonly Row[], label: string): void => {
  const percent = (ratio: number): string => (ratio * 100).toFixed(1).padStart(8);
  const line = (name: string, values: readonly number[]): string =>
    `${name.padEnd(36)}${values.map(percent).join('')}`;
  const columns = ['agent', 'worst', 'cpuTime', 'dramAgent', 'dramCpuTime'] as const;
  console.log(
    `misattributed share, % of active energy (half the sum of |estimated - true| shares)\n` +
      `agent: ${label}; ${SECONDS_PER_MIX.toString()} s per mix; simulated machine 1 x 2 x 2, ` +
      `host ${cpus()[0]?.model ?? '?'} x ${cpus().length.toString()}\n`,
  );
  console.log(
    `${''.padEnd(36)}${'package'.padStart(8)}${'largest'.padStart(8)}${'package'.padStart(8)}${'DRAM'.padStart(8)}${'DRAM'.padStart(8)}`,
  );
  console.log(
    `${'mix'.padEnd(36)}${'agent'.padStart(8)}${'error'.padStart(8)}${'CPUtime'.padStart(8)}${'agent'.padStart(8)}${'CPUtime'.padStart(8)}`,
  );
  for (const row of rows)
    console.log(
      line(
        row.mix,
        columns.map((column) => row[column]),
      ),
    );
  const mean = columns.map(
    (column) => rows.reduce((sum, row) => sum + row[column], 0) / rows.length,
  );
  console.log(line('mean', mean));
};

const main = async (): Promise<number> => {
  const reason = whyNoVm();
  if (reason !== undefined) {
    console.error(`bench:truth: cannot run here: ${reason}`);
    return 1;
  }
  if (makeImages(['7.3'], LIMIT_MILLIS) !== 0) return 1;
  const directory = mkdtempSync(join(tmpdir(), 'wattfeed-bench-truth-'));
  const result = await runInVm({
    shape: 'smt',
    kernel: '7.3',
    script: `insmod /vm/simhw/simhw.ko && node /vm/guest/agent-mixes.mjs ${SECONDS_PER_MIX.toString()}`,
    limitMillis: LIMIT_MILLIS,
    outDirectory: directory,
  });
  if (result.outcome._tag !== 'Exited' || result.outcome.code !== 0) {
    console.error(`bench:truth: ${describeOutcome(result.outcome)}\n${result.serial.slice(-2000)}`);
    return 1;
  }
  const run = runOf(directory, result);
  const reports = readReports(run, 'mixes');
  const rows = mixes
    .parse(JSON.parse(run.text('mixes.json')))
    .map((mix, index) => rowOf(run, reports, mix, index));
  print(rows, reports.at(-1)?.source.label ?? '?');
  return 0;
};

process.exitCode = await main();
