// SPDX-License-Identifier: Apache-2.0
import type { SuiteResult } from './suite.js';

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
