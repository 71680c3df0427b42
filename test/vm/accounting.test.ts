// SPDX-License-Identifier: Apache-2.0
/**
 * The product's accounting per thread on hardware that is known: time shared with an SMT sibling, and readings of a
 * PMU, which are right when trusted and never silently wrong.
 */
import { beforeAll, describe, expect, it } from 'vitest';

import { accountingScript, readAccounting } from './harness/accounting.js';
import { within } from './harness/expectations.js';
import { bootAndRun, hookMillis, patientMillis, perfCounts, type Run } from './harness/files.js';

const LIMIT_MILLIS = patientMillis(120);
const LOAD = '/vm/simhw/simload';
const OVERLAP_TOLERANCE = 0.02;
const PARAMETERS = '/sys/module/simhw/parameters';

const RUNS = [
  // two busy siblings, a busy and a resting one, then one alone
  {
    name: 'overlap',
    counters: 'none',
    command:
      `${LOAD} int_hi 4 cpu=0 & ${LOAD} stream 4 cpu=1 & ${LOAD} avx2 4 cpu=2 & ` +
      `${LOAD} br_lo 4 cpu=3 duty=300 & wait; ${LOAD} chase 2 cpu=2`,
  },
  {
    name: 'alone',
    counters: 'hardware',
    command: `${LOAD} int_hi 2 cpu=0 & ${LOAD} chase 2 cpu=2 & ${LOAD} avx2 2 cpu=1 & wait`,
  },
  // no fixed counters and fewer general ones than we and perf stat need together: the kernel shares them out
  {
    name: 'beside',
    counters: 'hardware',
    before: `echo 0 >${PARAMETERS}/pmu_fixed`,
    command:
      'exec perf stat -x, -a -d -o /vm/out/beside.csv -- ' +
      `bash -c "${LOAD} int_hi 2 cpu=0 & ${LOAD} br_lo 3 cpu=2 duty=300 period=2000 & wait"`,
    after: `echo 1 >${PARAMETERS}/pmu_fixed`,
  },
  // events that open and never count
  {
    name: 'dead',
    counters: 'hardware',
    before: `echo 1 >${PARAMETERS}/pmu_fail_reads`,
    command: `${LOAD} int_hi 1 cpu=0`,
  },
] as const;

let run: Run;

beforeAll(async () => {
  const script = `insmod /vm/simhw/simhw.ko && ${accountingScript(RUNS)}`;
  run = await bootAndRun('smt', '7.3', script, LIMIT_MILLIS);
}, hookMillis(LIMIT_MILLIS));

/** What was counted of one load, and what the simulated CPU did for it. Loads have one thread. */
const loadOf = (label: string, comm: string) => {
  const { threads } = readAccounting(run, label);
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

describe('SMT overlap', () => {
  // int_hi and stream are siblings, avx2 has one that rests now and then, chase is alone on its core
  it.each(['int_hi', 'stream', 'avx2', 'br_lo', 'chase'])(
    'of %s is what the machine knows, within 2 % of its time',
    (name) => {
      const accounted = readAccounting(run, 'overlap').threads.find(
        (thread) => thread.comm === name && thread.sliceNanos > 1e9,
      );
      const known = run
        .truth('overlap')
        .threads.find((thread) => thread.tid === accounted?.tid && thread.comm === name);
      if (accounted === undefined || known === undefined) throw new Error(`no thread ${name}`);
      const expected = Number(known.overlapNanos);
      const error = accounted.overlapNanos - expected;
      const seconds = (nanos: number): string => (nanos / 1e9).toFixed(4);
      console.log(
        `overlap of ${name}: ${seconds(accounted.overlapNanos)} s, truth ${seconds(expected)} s ` +
          `of ${seconds(Number(known.runNanos))} s (${((error / expected) * 100).toFixed(2)} %)`,
      );
      // a task that is hardly ever overlapped has nothing to take 2 % of
      const base = name === 'chase' ? Number(known.runNanos) : expected;
      expect(Math.abs(error) / base).toBeLessThan(OVERLAP_TOLERANCE);
    },
  );

  it('is most of the time of two busy siblings, and less for one that is alone', () => {
    const ratio = (name: string): number => {
      const thread = run
        .truth('overlap')
        .threads.find((one) => one.comm === name && one.runNanos > 1_000_000_000n);
      return Number(thread?.overlapNanos) / Number(thread?.runNanos);
    };
    expect(ratio('int_hi')).toBeGreaterThan(0.8);
    expect(ratio('chase')).toBeLessThan(0.6);
  });
});

describe('hardware counters', () => {
  it('give each thread the cycles, instructions and misses that its CPU did for it', () => {
    const report = readAccounting(run, 'alone');
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

  it('count vector operations by the event that the product chooses for this CPU', () => {
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
    // within 1 % where the host runs all vCPUs; one that it stops between two programs costs tens of milliseconds
    within(ratio('int_hi') / ratio('chase'), 1, 0.1);
    within(ratio('avx2') / ratio('chase'), 1, 0.1);
  });

  it('are dropped, not believed, while perf stat shares the PMU', () => {
    const report = readAccounting(run, 'beside');
    // perf itself did not have a counter all the time
    const shares = [...perfCounts(run, 'beside.csv').values()].map((one) => one.runningPercent);
    expect(shares.some((percent) => percent > 0 && percent < 100)).toBe(true);
    // some time was shared out, and is said to be
    expect(report.totals.multiplexedNanos).toBeGreaterThan(0);
    expect(report.totals.countedNanos).toBeLessThan(report.totals.taskNanos);
    // always on its CPU: most slices are longer than a turn; and slices shorter than one, of which some are whole
    const [steady, brief] = [loadOf('beside', 'int_hi'), loadOf('beside', 'br_lo')];
    expect(countedShare(brief)).toBeGreaterThan(0.03);
    for (const load of [steady, brief]) {
      expect(countedShare(load)).toBeLessThan(0.9);
      // too little to tell a rate from what the shell did before it was the load
      if (countedShare(load) < 0.03) continue;
      // what was counted was the CPU's work of just that time
      within(ipcOf(load) / trueIpcOf(load), 1, 0.2);
      within(load.counted.cycles / Number(load.truth.cycles) / countedShare(load), 1, 0.25);
    }
  });

  it('are uncounted time where an event opens and never counts', () => {
    const report = readAccounting(run, 'dead');
    const { counted } = loadOf('dead', 'int_hi');
    expect(counted.uncountedNanos).toBe(counted.runtimeNanos);
    expect(counted.cycles).toBe(0);
    expect(report.totals.countedNanos).toBe(0);
  });
});
