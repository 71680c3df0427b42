// SPDX-License-Identifier: Apache-2.0
/** What a run left in its directory, and how the suite boots one. */
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { KernelVersion } from './cache.js';
import type { Shape } from './machine.js';
import { describeOutcome, runInVm, type VmRequest, type VmResult } from './run.js';
import { parseTruth, type Truth } from './truth.js';

/** A machine busy with other work needs more time for the same: WATTFEED_VM_PATIENCE=3 gives three times as much. */
export const patientMillis = (seconds: number): number =>
  seconds * 1000 * Number(process.env['WATTFEED_VM_PATIENCE'] ?? 2);

/** What a hook that boots may take: the run, the boot twice, the wait for another machine's end. */
export const hookMillis = (limitMillis: number): number => limitMillis + patientMillis(150);

export interface Run {
  readonly result: VmResult;
  readonly directory: string;
  readonly text: (name: string) => string;
  readonly lines: (name: string) => readonly string[];
  readonly rows: (name: string, separator?: string) => readonly (readonly string[])[];
  readonly truth: (name: string) => Truth;
}

/** Reads what a run left in its directory. */
export const runOf = (directory: string, result: VmResult): Run => {
  const text = (name: string): string => readFileSync(join(directory, name), 'utf8');
  const lines = (name: string): readonly string[] =>
    text(name)
      .split('\n')
      .filter((line) => line !== '');
  return {
    result,
    directory,
    text,
    lines,
    rows: (name, separator = '\t') => lines(name).map((line) => line.split(separator)),
    truth: (name) => parseTruth(text(`${name}.truth`)),
  };
};

/** Boots, runs a script of test/vm/guest and fails with the serial output if that did not exit with 0. */
export const bootAndRun = async (
  shape: Shape,
  kernel: KernelVersion,
  script: string,
  limitMillis: number,
  options: Pick<VmRequest, 'isShared'> = {},
): Promise<Run> => {
  const outDirectory = mkdtempSync(join(tmpdir(), 'wattfeed-vm-test-'));
  const result = await runInVm({ shape, kernel, script, limitMillis, outDirectory, ...options });
  if (result.outcome._tag !== 'Exited' || result.outcome.code !== 0) {
    throw new Error(
      `${describeOutcome(result.outcome)}; files in ${outDirectory}; serial output:\n${result.serial.slice(-4000)}`,
    );
  }
  console.log(
    `vm ${shape} ${kernel}: boot ${result.bootSeconds?.toString() ?? '?'} s, ` +
      `whole run ${result.elapsedSeconds.toFixed(1)} s, attempt ${result.attempts.toString()}`,
  );
  return runOf(outDirectory, result);
};

/** Lines of `perf stat -x,` as event -> count and share of the time that it had a counter. */
export const perfCounts = (
  run: Run,
  name: string,
): ReadonlyMap<string, { readonly count: number; readonly runningPercent: number }> =>
  new Map(
    run
      .rows(name, ',')
      .filter((fields) => fields.length > 4 && !fields[0]?.startsWith('#'))
      .map((fields) => [
        fields[2] ?? '',
        { count: Number(fields[0]), runningPercent: Number(fields[4]) },
      ]),
  );
