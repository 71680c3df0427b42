// SPDX-License-Identifier: Apache-2.0
/** Counter readings per thread on a PMU whose events are known: right when trusted, never silently wrong. */
import { beforeAll, describe, expect, it } from 'vitest';

import { readAccounting } from './harness/accounting.js';
import { within } from './harness/expectations.js';
import { bootAndRun, hookMillis, patientMillis, type Run } from './harness/files.js';

const LIMIT_MILLIS = patientMillis(180);

let run: Run;

beforeAll(async () => {
  run = await bootAndRun('smt', '7.3', 'bash /vm/guest/counters.sh', LIMIT_MILLIS);
}, hookMillis(LIMIT_MILLIS));

/** What was counted of one load, and what the simulated CPU did for it. Loads have one thread. */
const loadOf = (label: string, comm: string) => {
  const { threads } = readAccounting(run, `${label}.json`);
  const truth = run
    .truth(label)
    .owners.find((owner) => owner.comm === comm && threads.some(({ tid }) => tid === owner.tgid));
  const counted = threads.find(({ tid }) => tid === truth?.tgid);
  if (truth === undefined || counted === undefined) throw new Error(`no ${comm} in ${label}`);
  return { truth, counted };
};

type Load = ReturnType<typeof loadOf>;

/** Share of a thread's time whose counters were trusted. */
const countedShare = ({ counted }: Load): number =>
  1 - counted.uncountedNanos / counted.runtimeNanos;

const ipcOf = ({ counted }: Load): number => counted.instructions / counted.cycles;
const trueIpcOf = ({ truth }: Load): number => Number(truth.instructions) / Number(truth.cycles);

describe('hardware counters', () => {
  it('give each thread the cycles, instructions and misses that its CPU did for it', () => {
    const report = readAccounting(run, 'alone.json');
    expect(report.counterFaults).toEqual([]);
    for (const comm of ['int_hi', 'chase', 'avx2']) {
      const load = loadOf('alone', comm);
      expect(countedShare(load)).toBeGreaterThan(0.97);
      within(load.counted.cycles / Number(load.truth.cycles), 1, 0.03);
      within(load.counted.instructions / Number(load.truth.instructions), 1, 0.03);
    }
    const chase = loadOf('alone', 'chase');
    // the counter of misses sees all lines of this class
    within(chase.counted.llcMisses / Number(chase.truth.lines), 1, 0.03);
    expect(report.totals.multiplexedNanos).toBe(0);
    expect(report.totals.counterFailures).toBe(0);
  });

  it('tell the classes apart', () => {
    const of = (comm: string): number => ipcOf(loadOf('alone', comm));
    expect(of('int_hi')).toBeGreaterThan(of('chase') * 3);
  });

  it('count vector operations by the event number of the configuration', () => {
    const { counted } = loadOf('alone', 'avx2');
    // 0.6 per instruction once the program is what its name says
    expect(counted.vectorOps / counted.instructions).toBeGreaterThan(0.3);
    expect(counted.vectorOps / counted.instructions).toBeLessThan(0.61);
    expect(loadOf('alone', 'int_hi').counted.vectorOps).toBe(0);
  });

  it('deal out the time the package was on as the truth does', () => {
    const ratio = (comm: string): number => {
      const { truth, counted } = loadOf('alone', comm);
      return counted.packageOnNanos / Number(truth.energy[0]?.on ?? 0n);
    };
    within(ratio('int_hi') / ratio('chase'), 1, 0.03);
    within(ratio('avx2') / ratio('chase'), 1, 0.03);
  });

  it('are dropped, not believed, while perf stat shares the PMU', () => {
    const report = readAccounting(run, 'beside.json');
    // some slices were shared out, and say so
    expect(report.totals.multiplexedNanos).toBeGreaterThan(0);
    expect(report.totals.countedNanos).toBeLessThan(report.totals.taskNanos);
    for (const comm of ['int_hi', 'chase']) {
      const load = loadOf('beside', comm);
      expect(countedShare(load)).toBeLessThan(0.97);
      // what was counted was the CPU's work of just that time
      if (load.counted.cycles === 0) continue;
      within(ipcOf(load) / trueIpcOf(load), 1, 0.25);
      // counted time has its cycles, no more and no less
      within(load.counted.cycles / Number(load.truth.cycles) / countedShare(load), 1, 0.15);
    }
  });

  it('are uncounted time where an event opens and never counts', () => {
    const report = readAccounting(run, 'dead.json');
    const { counted } = loadOf('dead', 'int_hi');
    expect(counted.uncountedNanos).toBe(counted.runtimeNanos);
    expect(counted.cycles).toBe(0);
    expect(report.totals.countedNanos).toBe(0);
  });
});
