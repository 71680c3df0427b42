// SPDX-License-Identifier: Apache-2.0
/** Counter readings per thread on a PMU whose events are known: right when trusted, never silently wrong. */
import { beforeAll, describe, expect, it } from 'vitest';

import { readAccounting, type AccountingReport } from './harness/accounting.js';
import { within } from './harness/expectations.js';
import { bootAndRun, hookMillis, patientMillis, type Run } from './harness/files.js';

const LIMIT_MILLIS = patientMillis(180);

let run: Run;

beforeAll(async () => {
  run = await bootAndRun('smt', '7.3', 'bash /vm/guest/counters.sh', LIMIT_MILLIS);
}, hookMillis(LIMIT_MILLIS));

const threadOf = (report: AccountingReport, comm: string) => {
  const found = report.threads
    .filter((thread) => thread.comm === comm)
    .sort((a, b) => b.runtimeNanos - a.runtimeNanos)[0];
  if (found === undefined) throw new Error(`no thread ${comm}`);
  return found;
};

/** Share of a thread's time whose counters were trusted. */
const countedShare = ({ uncountedNanos, runtimeNanos }: ReturnType<typeof threadOf>): number =>
  1 - uncountedNanos / runtimeNanos;

/** A busy sibling slows a class down; what the agent itself and the kernel run is little. */
const expectClasses = (report: AccountingReport): void => {
  const high = threadOf(report, 'int_hi');
  const chase = threadOf(report, 'chase');
  within(high.instructions / high.cycles, 2.45, 0.08);
  within(chase.instructions / chase.cycles, 0.15, 0.08);
  // 98 lines per thousand instructions, all visible
  within(chase.llcMisses / chase.instructions, 0.098, 0.05);
  expect(high.llcMisses / high.instructions).toBeLessThan(0.001);
};

describe('hardware counters', () => {
  it('give each thread the instructions per cycle and misses of its class', () => {
    const report = readAccounting(run, 'alone.json');
    expect(report.counterFaults).toEqual([]);
    expectClasses(report);
    for (const comm of ['int_hi', 'chase'])
      expect(countedShare(threadOf(report, comm))).toBeGreaterThan(0.97);
    expect(report.totals.multiplexedNanos).toBe(0);
    expect(report.totals.counterFailures).toBe(0);
  });

  it('count vector operations by the event number of the configuration', () => {
    const avx2 = threadOf(readAccounting(run, 'vector.json'), 'avx2');
    within(avx2.vectorOps / avx2.instructions, 0.6, 0.05);
  });

  it('are dropped, not believed, while perf stat shares the PMU', () => {
    const report = readAccounting(run, 'beside.json');
    // some slices were shared out, and say so
    expect(report.totals.multiplexedNanos).toBeGreaterThan(0);
    const high = threadOf(report, 'int_hi');
    expect(countedShare(high)).toBeLessThan(0.97);
    // what is left is as right as before
    if (high.cycles > 0) within(high.instructions / high.cycles, 2.45, 0.1);
    const { countedNanos, taskNanos } = report.totals;
    expect(countedNanos).toBeLessThan(taskNanos);
  });

  it('are uncounted time where an event opens and never counts', () => {
    const report = readAccounting(run, 'dead.json');
    const high = threadOf(report, 'int_hi');
    expect(high.uncountedNanos).toBe(high.runtimeNanos);
    expect(high.cycles).toBe(0);
    expect(report.totals.countedNanos).toBe(0);
  });
});
