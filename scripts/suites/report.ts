// SPDX-License-Identifier: Apache-2.0
import type { Exit } from './process.js';
import type { Preparation, Suite, SuiteResult } from './suite.js';

const SECONDS_PER_MINUTE = 60;

const sum = (results: readonly SuiteResult[], field: 'passed' | 'failed' | 'skipped'): number =>
  results.reduce((total, result) => total + result[field], 0);

/** The line that CI reads: alone on its line, the last one. */
export const closingLine = (results: readonly SuiteResult[]): string =>
  `${sum(results, 'passed')} passed, ${sum(results, 'failed')} failed, ${sum(results, 'skipped')} skipped`;

/** Failed, or nothing at all was run. */
export const hasFailed = (results: readonly SuiteResult[]): boolean =>
  sum(results, 'failed') > 0 || sum(results, 'passed') === 0;

export const resultTable = (results: readonly SuiteResult[]): readonly string[] => {
  const row = (cells: readonly [string, string, string, string, string, string]): string =>
    `  ${cells[0].padEnd(12)} ${cells[1].padStart(7)} ${cells[2].padStart(7)} ${cells[3].padStart(8)} ${cells[4].padStart(8)}  ${cells[5]}`.trimEnd();
  return [
    row(['suite', 'passed', 'failed', 'skipped', 'seconds', '']),
    ...results.map((result) =>
      row([
        result.name,
        String(result.passed),
        String(result.failed),
        String(result.skipped),
        result.durationSeconds.toFixed(1),
        result.note,
      ]),
    ),
  ];
};

/**
 * What failed, once more at the end: in a log of thousands of lines, and in one that was cut, it
 * is what is looked for. Paths from the checkout.
 */
export const failureList = (results: readonly SuiteResult[], root: string): readonly string[] =>
  results.flatMap(({ name, failures }) =>
    failures.map((failure) => `  failed   ${name}: ${failure.replace(`${root}/`, '')}`),
  );

/** A preparation that went wrong, in one line; its last line of output says why. undefined: it went well. */
export const preparationObstacle = (
  { exitCode, timedOut, output }: Exit,
  { command, timeoutMinutes }: Preparation,
): string | undefined => {
  if (timedOut) {
    return `preparation failed: ${command.join(' ')} did not end within ${timeoutMinutes} minutes`;
  }
  if (exitCode === 0) return undefined;
  const lines = output.split('\n').filter((line) => line.trim() !== '');
  return `preparation failed: ${lines.at(-1) ?? `${command.join(' ')}: exit code ${exitCode}`}`;
};

export const joinNotes = (notes: readonly string[]): string =>
  notes.filter((note) => note !== '').join('; ');

/** What a preparation of more than a moment took, and that a suite took longer than it should. */
export const timeNotes = (
  { expectedMinutes }: Suite,
  prepareSeconds: number,
  durationSeconds: number,
): readonly string[] => {
  const notes = prepareSeconds < 5 ? [] : [`prepared in ${prepareSeconds.toFixed(0)} s before`];
  return expectedMinutes === undefined || durationSeconds <= expectedMinutes * SECONDS_PER_MINUTE
    ? notes
    : [...notes, `slow: ${expectedMinutes} minutes on an idle machine of two cores`];
};
