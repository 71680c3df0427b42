// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';

import {
  closingLine,
  failureList,
  hasFailed,
  resultTable,
} from '../../../scripts/suites/report.js';
import type { SuiteResult } from '../../../scripts/suites/suite.js';
import { countCases, countTests } from '../../../scripts/suites/vitest-report.js';

interface FileResult {
  readonly status: string;
  readonly tests: readonly string[];
}

const report = (passed: number, failed: number, pending: number, files: readonly FileResult[]) => ({
  numPassedTests: passed,
  numFailedTests: failed,
  numPendingTests: pending,
  numTodoTests: 0,
  testResults: files.map(({ status, tests }, index) => ({
    name: `file-${index}.test.ts`,
    status,
    assertionResults: tests.map((test) => ({ status: test, title: `a ${test} one` })),
  })),
});

describe('countTests', () => {
  it('counts what passed and failed', () => {
    const json = report(2, 1, 0, [{ status: 'failed', tests: ['passed', 'passed', 'failed'] }]);
    expect(countTests(json, 1)).toMatchObject({ passed: 2, failed: 1, skipped: 0, note: '' });
  });

  it('counts a file that did not load as one failure', () => {
    const json = report(3, 0, 0, [
      { status: 'passed', tests: ['passed', 'passed', 'passed'] },
      { status: 'failed', tests: [] },
    ]);
    expect(countTests(json, 1)).toMatchObject({ passed: 3, failed: 1 });
  });

  it('counts an error outside every test as one failure', () => {
    const json = report(1, 0, 0, [{ status: 'passed', tests: ['passed'] }]);
    expect(countTests(json, 1)).toMatchObject({ passed: 1, failed: 1 });
  });

  it('fails a run without any test, also if vitest was content', () => {
    expect(countTests(report(0, 0, 0, []), 0)).toMatchObject({
      failed: 1,
      note: 'no test was run',
    });
  });

  it('fails a test that skipped itself', () => {
    const json = report(1, 0, 1, [{ status: 'passed', tests: ['passed', 'skipped'] }]);
    expect(countTests(json, 0)).toMatchObject({ passed: 1, failed: 1 });
  });

  it('keeps which test failed, and the first line of why', () => {
    const [file] = report(0, 1, 0, [{ status: 'failed', tests: [] }]).testResults;
    const failed = {
      status: 'failed',
      title: 'holds',
      fullName: 'the ledger holds',
      failureMessages: ['AssertionError: expected 3 to be 4\n    at ledger.ts'],
    };
    const json = {
      ...report(0, 1, 0, []),
      testResults: [
        { ...file, assertionResults: [failed, { status: 'passed', title: 'adds' }] },
        { name: 'broken.test.ts', status: 'failed', message: 'no module\n', assertionResults: [] },
      ],
    };
    expect(countTests(json, 1).failures).toEqual([
      'file-0.test.ts: the ledger holds: AssertionError: expected 3 to be 4',
      'broken.test.ts: no module',
    ]);
  });

  it('fails when vitest died without a report', () => {
    expect(countTests(undefined, 139)).toMatchObject({ passed: 0, failed: 1 });
    expect(countTests({ numPassedTests: 'many' }, 0)).toMatchObject({ passed: 0, failed: 1 });
  });

  it('names a test that is still to be written, and does not count it', () => {
    const json = report(1, 0, 0, [{ status: 'passed', tests: ['passed', 'todo'] }]);
    expect(countTests(json, 0)).toMatchObject({
      passed: 1,
      failed: 0,
      skipped: 0,
      note: 'pending: a todo one',
    });
  });
});

describe('countCases', () => {
  it('counts what the command says', () => {
    expect(countCases('ok a\n12 cases, 0 failed checks\n', 0)).toMatchObject({ passed: 12 });
    expect(countCases('12 cases, 2 failed checks\n', 1)).toMatchObject({ passed: 10, failed: 2 });
  });

  it('counts a command without such a line as one test', () => {
    expect(countCases('done\n', 0)).toMatchObject({ passed: 1, failed: 0 });
    expect(countCases('', 1)).toMatchObject({ passed: 0, failed: 1 });
  });

  it('fails when a sanitizer ends the command after its last good line', () => {
    expect(countCases('5 cases, 0 failed checks\nleak', 23)).toMatchObject({
      passed: 4,
      failed: 1,
    });
  });

  it('fails when no case was run', () => {
    expect(countCases('0 cases, 0 failed checks\n', 0)).toMatchObject({ passed: 0, failed: 1 });
  });
});

const result = (name: string, over: Partial<SuiteResult>): SuiteResult => ({
  name,
  passed: 0,
  failed: 0,
  skipped: 0,
  durationSeconds: 0,
  note: '',
  failures: [],
  ...over,
});

describe('closingLine', () => {
  it('sums the suites in the form that CI reads', () => {
    const results = [
      result('unit', { passed: 40, failed: 1 }),
      result('kernel', { skipped: 1 }),
      result('static', { passed: 9 }),
    ];
    expect(closingLine(results)).toBe('49 passed, 1 failed, 1 skipped');
  });
});

describe('hasFailed', () => {
  it('is true for one failure among many', () => {
    expect(hasFailed([result('unit', { passed: 99 }), result('kernel', { failed: 1 })])).toBe(true);
  });

  it('is true when nothing at all was run', () => {
    expect(hasFailed([result('kernel', { skipped: 1 })])).toBe(true);
    expect(hasFailed([])).toBe(true);
  });

  it('is false when something passed and nothing failed', () => {
    expect(hasFailed([result('unit', { passed: 1 }), result('vm', { skipped: 1 })])).toBe(false);
  });
});

describe('resultTable', () => {
  it('gives the reason beside a suite that was not run', () => {
    const rows = resultTable([result('vm', { skipped: 1, note: 'needs qemu' })]);
    expect(rows.at(-1)).toMatch(/^ {2}vm +0 +0 +1 +0\.0 {2}needs qemu$/);
  });
});

describe('failureList', () => {
  it('names each with its suite, and paths from the checkout', () => {
    const results = [result('unit', {}), result('kernel', { failures: ['/src/a.test.ts: b: c'] })];
    expect(failureList(results, '/src')).toEqual(['  failed   kernel: a.test.ts: b: c']);
  });
});
