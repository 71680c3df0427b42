// SPDX-License-Identifier: Apache-2.0
/**
 * Runs every suite that this machine can run, says up front which and why not the others, and ends
 * with one line `N passed, N failed, N skipped`. Started by `npm test` after the set-up.
 * WATTFEED_SUITES=unit,kernel picks; WATTFEED_REQUIRED_SUITES names those that may not be skipped.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { runChecks } from './suites/checks.js';
import { parseNames, type PlannedSuite, planSuites } from './suites/plan.js';
import { probeMachine } from './suites/probe.js';
import { runCommand } from './suites/process.js';
import {
  closingLine,
  failureList,
  hasFailed,
  joinNotes,
  preparationObstacle,
  resultTable,
  timeNotes,
} from './suites/report.js';
import { type Preparation, type Suite, type SuiteResult, SUITES } from './suites/suite.js';
import { countCases, countTests, failureOf, type TestCounts } from './suites/vitest-report.js';

const MILLIS_PER_MINUTE = 60_000;
const MILLIS_PER_SECOND = 1000;

const readJson = (path: string): unknown => {
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
    return value;
  } catch {
    return undefined; // countTests says so
  }
};

const runVitest = async (suite: Suite): Promise<TestCounts> => {
  const folder = mkdtempSync(join(tmpdir(), 'wattfeed-suite-'));
  const reportPath = join(folder, 'report.json');
  const exit = await runCommand(
    [
      'node_modules/.bin/vitest',
      'run',
      '--project',
      suite.name,
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${reportPath}`,
    ],
    { timeoutMillis: suite.timeoutMinutes * MILLIS_PER_MINUTE, output: 'stream' },
  );
  const counts = countTests(readJson(reportPath), exit.exitCode);
  rmSync(folder, { recursive: true });
  return exit.timedOut ? failureOf(`did not end within ${suite.timeoutMinutes} minutes`) : counts;
};

const runCounted = async (suite: Suite, command: readonly string[]): Promise<TestCounts> => {
  const exit = await runCommand(command, {
    timeoutMillis: suite.timeoutMinutes * MILLIS_PER_MINUTE,
    output: 'both',
  });
  if (exit.timedOut) return failureOf(`did not end within ${suite.timeoutMinutes} minutes`);
  return countCases(exit.output, exit.exitCode);
};

/** undefined: done. Otherwise the one line that says what went wrong. */
const prepare = async ({ command, timeoutMinutes }: Preparation): Promise<string | undefined> => {
  const timeoutMillis = timeoutMinutes * MILLIS_PER_MINUTE;
  return preparationObstacle(await runCommand(command, { timeoutMillis, output: 'both' }), {
    command,
    timeoutMinutes,
  });
};

const runSuite = (suite: Suite): Promise<TestCounts> => {
  const { runner } = suite;
  switch (runner._tag) {
    case 'Checks':
      return runChecks();
    case 'Command':
      return runCounted(suite, runner.command);
    case 'Vitest':
      return runVitest(suite);
  }
};

const secondsSince = (startMillis: number): number =>
  (performance.now() - startMillis) / MILLIS_PER_SECOND;

const runPlanned = async (planned: PlannedSuite): Promise<SuiteResult> => {
  const { name } = planned.suite;
  const idle = { name, passed: 0, failed: 0, skipped: 0, durationSeconds: 0, failures: [] };
  switch (planned._tag) {
    case 'Skip':
      return { ...idle, skipped: 1, note: planned.reason };
    case 'Missing':
      return { ...idle, failed: 1, note: `required here, but ${planned.reason}` };
    case 'Run': {
      const { suite } = planned;
      console.log(`\n=== ${name}`);
      const prepareStartMillis = performance.now();
      const preparation = suite.runner._tag === 'Vitest' ? suite.runner.prepare : undefined;
      const obstacle = preparation === undefined ? undefined : await prepare(preparation);
      const prepareSeconds = secondsSince(prepareStartMillis);
      if (obstacle !== undefined) {
        return { name, ...failureOf(obstacle), durationSeconds: prepareSeconds };
      }
      const startMillis = performance.now();
      const counts = await runSuite(suite).catch((error: unknown) => {
        console.error(error);
        return failureOf('the runner itself failed');
      });
      const durationSeconds = secondsSince(startMillis);
      const note = joinNotes([counts.note, ...timeNotes(suite, prepareSeconds, durationSeconds)]);
      return { name, ...counts, note, durationSeconds };
    }
  }
};

const announce = (planned: readonly PlannedSuite[]): void => {
  console.log('suites on this machine:');
  for (const entry of planned) {
    const what = entry._tag === 'Run' ? 'run' : `not run: ${entry.reason}`;
    console.log(`  ${entry.suite.name.padEnd(12)} ${what}`);
  }
};

const main = async (): Promise<number> => {
  const plan = planSuites({
    suites: SUITES.filter((suite) => existsSync(suite.path)),
    facts: probeMachine(),
    picked: parseNames(process.env['WATTFEED_SUITES']),
    required: parseNames(process.env['WATTFEED_REQUIRED_SUITES']),
  });
  if (plan._tag === 'UnknownSuite') {
    console.error(`WATTFEED_SUITES: no suite "${plan.name}"; there are: ${plan.known.join(', ')}`);
    return 2;
  }
  announce(plan.suites);
  const results: SuiteResult[] = [];
  for (const planned of plan.suites) results.push(await runPlanned(planned));
  const failures = failureList(results, process.cwd()).map((line) => `${line}\n`);
  console.log(`\n${resultTable(results).join('\n')}\n`);
  console.log(`${failures.join('')}${failures.length === 0 ? '' : '\n'}${closingLine(results)}`);
  return hasFailed(results) ? 1 : 0;
};

process.exitCode = await main();
