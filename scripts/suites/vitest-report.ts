// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';

/** The part of vitest's JSON report that is counted. */
const reportSchema = z.object({
  numPassedTests: z.number(),
  numFailedTests: z.number(),
  numPendingTests: z.number(),
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      /** Why a file did not load. */
      message: z.string().optional(),
      assertionResults: z.array(
        z.object({
          status: z.string(),
          title: z.string(),
          fullName: z.string().optional(),
          failureMessages: z.array(z.string()).nullish(),
        }),
      ),
    }),
  ),
});

export interface TestCounts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly note: string;
  /** What failed and the first line of why: `file: test: message`. */
  readonly failures: readonly string[];
}

type FileReport = z.infer<typeof reportSchema>['testResults'][number];

/** Something other than a single test went wrong: it counts as one failure. */
export const failureOf = (note: string): TestCounts => ({
  passed: 0,
  failed: 1,
  skipped: 0,
  note,
  failures: [],
});

const plural = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`;

const firstLine = (text: string | undefined): string => (text ?? '').split('\n')[0] ?? '';

const isBroken = ({ status, assertionResults }: FileReport): boolean =>
  status === 'failed' && !assertionResults.some((test) => test.status === 'failed');

/** The tests of a file that failed; a file that did not load stands for itself. */
const failuresOf = (file: FileReport): readonly string[] =>
  isBroken(file)
    ? [`${file.name}: ${firstLine(file.message)}`]
    : file.assertionResults
        .filter(({ status }) => status === 'failed')
        .map(
          ({ fullName, title, failureMessages }) =>
            `${file.name}: ${fullName ?? title}: ${firstLine(failureMessages?.[0])}`,
        );

/**
 * Counts a run. Three things count as one failure each although no single test failed: a file that
 * did not load, a run that ended badly (an error outside every test), a run without any test.
 * A run-time skip is a failure too: suites are chosen up front, and a chosen one never skips.
 * A test that is still to be written counts as nothing and is named, so that nobody forgets it.
 *
 * @param reportJson vitest's JSON report, or undefined if it wrote none
 * @param exitCode vitest's exit code
 */
export const countTests = (reportJson: unknown, exitCode: number): TestCounts => {
  const parsed = reportSchema.safeParse(reportJson);
  if (!parsed.success) return failureOf(`vitest ended with exit code ${exitCode} and no report`);
  const { numPassedTests: passed, numFailedTests, numPendingTests: pending } = parsed.data;
  const brokenFiles = parsed.data.testResults.filter(isBroken).length;
  const notes: string[] = [];
  let failed = numFailedTests + brokenFiles;
  if (brokenFiles > 0) notes.push(`${plural(brokenFiles, 'file')} failed to load or set up`);
  if (failed === 0 && pending > 0) {
    failed += pending;
    notes.push(`${plural(pending, 'test')} skipped at run time`);
  }
  if (failed === 0 && exitCode !== 0) {
    failed += 1;
    notes.push(`vitest ended with exit code ${exitCode}`);
  }
  if (failed === 0 && passed === 0) {
    failed += 1;
    notes.push('no test was run');
  }
  const todo = parsed.data.testResults
    .flatMap((file) => file.assertionResults)
    .filter(({ status }) => status === 'todo')
    .map(({ title }) => title);
  if (todo.length > 0) notes.push(`pending: ${todo.join(', ')}`);
  const failures = parsed.data.testResults.flatMap(failuresOf);
  return { passed, failed, skipped: 0, note: notes.join('; '), failures };
};

/** Counts a command that prints `N cases, M failed checks`; one that does not is one test. */
export const countCases = (output: string, exitCode: number): TestCounts => {
  const match = /^(\d+) cases, (\d+) failed checks$/m.exec(output);
  const [cases, failedChecks] = [Number(match?.[1] ?? 1), Number(match?.[2] ?? 0)];
  if (cases === 0) return failureOf('no test was run');
  if (exitCode === 0 && failedChecks === 0)
    return { passed: cases, failed: 0, skipped: 0, note: '', failures: [] };
  const failed = Math.min(Math.max(failedChecks, 1), cases);
  const note = `exit code ${exitCode}`;
  return { passed: cases - failed, failed, skipped: 0, note, failures: [] };
};
