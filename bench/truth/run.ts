// SPDX-License-Identifier: Apache-2.0
/**
 * `npm run bench:truth`: the share of energy that the agent, and a plain split by CPU time, give to the wrong
 * process, per mix of load, on the simulated machine; both from the same windows of the same run.
 */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';

import { makeImages, whyNoVm } from '../../test/vm/harness/cache.js';
import { runOf } from '../../test/vm/harness/files.js';
import { mixesScript, runOfModel } from '../../test/vm/harness/mixes.js';
import { describeOutcome, runInVm } from '../../test/vm/harness/run.js';
import { parseOptions, USAGE, type Options } from './options.js';
import { readMixRows, type MixRow } from './rows.js';
import { igpuShifts, loadTable, meanOf, shareTables, verdicts } from './table.js';

const MAKE_IMAGES_LIMIT_MILLIS = 1_800_000;
/** Start of the agent, settling, and a host that is four times as slow as it should be. */
const LIMIT_MILLIS = 3_600_000;

const fail = (text: string): number => {
  console.error(`bench:truth: ${text}`);
  return 1;
};

const measure = async (options: Options): Promise<readonly MixRow[] | string> => {
  const directory = mkdtempSync(join(tmpdir(), 'wattfeed-bench-truth-'));
  const result = await runInVm({
    shape: options.shape,
    kernel: '7.3',
    script: mixesScript({
      shape: options.shape,
      seconds: options.seconds,
      runs: options.models.map((model) => ({
        ...runOfModel(model),
        ...(options.mixes === undefined ? {} : { mixes: options.mixes }),
        ...(options.igpuMilliwatts === undefined
          ? {}
          : { igpu: { milliwatts: options.igpuMilliwatts } }),
        ...(options.hasPmu ? {} : { control: ['part pmu off'] }),
      })),
    }),
    limitMillis: LIMIT_MILLIS,
    outDirectory: directory,
  });
  if (result.outcome._tag !== 'Exited' || result.outcome.code !== 0) {
    return `${describeOutcome(result.outcome)}; files in ${directory}; serial output:\n${result.serial.slice(-2000)}`;
  }
  return readMixRows(runOf(directory, result));
};

const print = (rows: readonly MixRow[], options: Options): void => {
  const lasts = new Map(rows.map((row) => [row.run, row]));
  for (const [run, { label, idleWatts }] of lasts)
    console.log(`${run}: ${label}; idle floor ${idleWatts.toFixed(1)} W at the end`);
  console.log(
    `${options.seconds.toString()} s per mix, ${options.shape}${options.hasPmu ? '' : ', no PMU'}; ` +
      `host ${cpus()[0]?.model ?? '?'} x ${cpus().length.toString()}; windows and truths at most ` +
      `${Math.max(...rows.map((row) => row.misalignedMillis)).toFixed(0)} ms apart\n`,
  );
  console.log(`${shareTables(rows)}\n`);
  if (options.isDetailed) console.log(`${loadTable(rows)}\n`);
  for (const { run, meanShare, telling, missed } of verdicts(rows)) {
    console.log(
      `${run}: mean ${(meanShare * 100).toFixed(1)} %; more than half of CPU time's error in ` +
        `${missed.length.toString()} of the ${telling.toString()} mixes in which that is 6 % or more` +
        (missed.length === 0 ? '' : `: ${missed.map((mix) => mix.slice(0, 2)).join(', ')}`),
    );
  }
  const ratio = meanOf(rows.map((row) => row.packageRatio));
  console.log(`energy given to processes, of what they used: ${(ratio * 100).toFixed(1)} % (mean)`);
  for (const { run, mix, largest, against } of igpuShifts(rows)) {
    console.log(
      `${run}, ${mix}: the graphics unit's load moves a process by ${(largest * 100).toFixed(2)} % ` +
        `(without it ${(against * 100).toFixed(2)} %)`,
    );
  }
};

const main = async (): Promise<number> => {
  let options: Options | undefined;
  try {
    options = parseOptions(process.argv.slice(2));
  } catch (error) {
    return fail(`${error instanceof Error ? error.message : 'bad arguments'}; see --help`);
  }
  if (options === undefined) {
    console.log(USAGE);
    return 0;
  }
  const reason = whyNoVm();
  if (reason !== undefined) return fail(`cannot run here: ${reason}`);
  if (makeImages(['7.3'], MAKE_IMAGES_LIMIT_MILLIS) !== 0)
    return fail('the images could not be made');
  const rows = await measure(options);
  if (typeof rows === 'string') return fail(rows);
  print(rows, options);
  if (options.jsonPath !== undefined) {
    const plain = rows.map((row) => ({
      ...row,
      ratioOf: Object.fromEntries(row.ratioOf),
      sharesOf: Object.fromEntries(row.sharesOf),
    }));
    writeFileSync(options.jsonPath, JSON.stringify(plain, undefined, 1));
  }
  return 0;
};

process.exitCode = await main();
