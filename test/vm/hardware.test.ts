// SPDX-License-Identifier: Apache-2.0
/** The simulated hardware itself: interfaces, physics, faults, and the truth under load. */
import { beforeAll, describe, expect, it } from 'vitest';

import { bootAndRun, hookMillis, patientMillis, perfCounts, type Run } from './harness/files.js';
import { expectClosed, within } from './harness/expectations.js';
import { describeTruth } from './harness/truth-cases.js';
import { processNamed, zoneOf, type Truth, type TruthProcess } from './harness/truth.js';

const MIX_SECONDS = Number(process.env['WATTFEED_VM_MIX_SECONDS'] ?? 20);
/** The other phases take about 60 s on an idle host. */
const LIMIT_MILLIS = patientMillis(MIX_SECONDS + 180);

let run: Run;

beforeAll(async () => {
  run = await bootAndRun(
    'smt',
    '7.3',
    `bash /vm/guest/hardware.sh ${MIX_SECONDS.toString()}`,
    LIMIT_MILLIS,
  );
}, hookMillis(LIMIT_MILLIS));

/** What a process did between two truths in which it is the load that its name says. */
const activity = (name: string, label: string) => {
  const before = processNamed(run.truth(`${label}-0`), name);
  const after = processNamed(run.truth(`${label}-1`), name);
  const rise = (of: (process: TruthProcess) => bigint): number => Number(of(after) - of(before));
  const cycles = rise((process) => process.cycles);
  const runNanos = rise((process) => process.runNanos);
  return {
    ipc: rise((process) => process.instructions) / cycles,
    gigahertz: cycles / runNanos,
    overlapRatio: rise((process) => process.overlapNanos) / runNanos,
  };
};
describe('powercap', () => {
  it('shows the tree of a server with a client part, energy readable by root only', () => {
    expect(run.rows('zones.tsv').map(([zone, name, mode]) => [zone, name, mode])).toEqual([
      ['intel-rapl:0', 'package-0', '400'],
      ['intel-rapl:0:0', 'core', '400'],
      ['intel-rapl:0:1', 'uncore', '400'],
      ['intel-rapl:0:2', 'dram', '400'],
      ['intel-rapl:1', 'psys', '400'],
    ]);
    expect(run.rows('zones.tsv')[0]?.[4]).toBe('262143328850');
  });

  it('goes away and comes back with the other parts', () => {
    expect(run.text('parts-off.txt')).not.toMatch(/intel-rapl:0|\bcpu\b|\bpower\b/);
    expect(perfCounts(run, 'perf-again.csv').get('instructions')?.count).toBeGreaterThan(0);
  });
});

describe('cpu PMU', () => {
  it('counts cycles, instructions and cache misses of a command, at its class', () => {
    const counts = perfCounts(run, 'perf-core.csv');
    const cycles = counts.get('cycles')?.count ?? 0;
    const instructions = counts.get('instructions')?.count ?? 0;
    expect(cycles).toBeGreaterThan(1e9);
    // the command is a shell's child for its first milliseconds, and the kernel works for it
    expect(instructions / cycles).toBeGreaterThan(1.2);
    expect(instructions / cycles).toBeLessThan(1.65);
    expect(counts.get('cache-misses')?.count).toBeGreaterThan(0);
    expect(counts.get('cycles')?.runningPercent).toBe(100);
  });

  it('is multiplexed by the kernel when it has fewer counters than events', () => {
    const counts = perfCounts(run, 'perf-mux.csv');
    // one general counter: after the first event that finds none, the kernel tries no other in that turn
    for (const { runningPercent } of counts.values()) {
      expect(runningPercent).toBeGreaterThan(2);
      expect(runningPercent).toBeLessThan(90);
    }
    // the kernel scales by enabled / running, and the load is the same throughout
    const scaled = (event: string): number => counts.get(event)?.count ?? 0;
    within(scaled('instructions') / scaled('cycles'), 2.2, 0.15);
    within(scaled('r10c7') / scaled('instructions'), 0.6, 0.15);
  });
});

describe('power PMU', () => {
  it('offers the energy events on one CPU of the package and counts joules', () => {
    expect(run.text('power-events.txt')).toMatch(/energy-pkg\n[^]*energy-ram\n/);
    expect(run.text('power-cpumask.txt')).toBe('0\n');
    const counts = perfCounts(run, 'perf-power.csv');
    // at least the floor, at most everything busy, over a second that a busy host may stretch
    expect(counts.get('power/energy-pkg/')?.count).toBeGreaterThan(12);
    expect(counts.get('power/energy-pkg/')?.count).toBeLessThan(400);
    expect(counts.get('power/energy-ram/')?.count).toBeGreaterThan(7);
  });
});

describe('physics', () => {
  it('slows two siblings as their classes press on each other', () => {
    // 1 - 0.40 * pressure of the sibling (unnamed tasks and br_lo: 0.7) * own sensitivity 0.9
    const slowed = (ipc: number, overlapRatio: number): number => ipc * (1 - 0.252 * overlapRatio);
    const alone = activity('int_hi', 'alone');
    within(alone.ipc, slowed(2.6, alone.overlapRatio), 0.02);
    const pair = activity('int_mid', 'pair');
    expect(pair.overlapRatio).toBeGreaterThan(0.3);
    expect(pair.overlapRatio).toBeGreaterThan(alone.overlapRatio);
    within(pair.ipc, slowed(1.6, pair.overlapRatio), 0.02);
  });

  it('runs a core at the frequency that was set and says so in sysfs', () => {
    expect(run.lines('freq-set.txt')).toEqual(['1200000', '2000000']);
    within(activity('tight', 'freq').gigahertz, 1.2, 0.001);
  });

  it('lowers the frequency until the power limit is kept', () => {
    const [before, after] = [run.truth('limit-0'), run.truth('limit-1')];
    const joules = (truth: Truth): number =>
      Number(zoneOf(truth, 'package-0').totalNanojoules) / 1e9;
    const seconds = Number(after.monotonicNanos - before.monotonicNanos) / 1e9;
    expect(Number(run.text('limit-khz.txt'))).toBeLessThan(3_000_000);
    expect((joules(after) - joules(before)) / seconds).toBeLessThan(27 * 1.06);
  });

  it('books the graphics unit into uncore and package, and nothing else', () => {
    const [before, after] = [run.truth('igpu-0'), run.truth('igpu-1')];
    const uncore =
      zoneOf(after, 'uncore-0').totalNanojoules - zoneOf(before, 'uncore-0').totalNanojoules;
    const nanos = after.monotonicNanos - before.monotonicNanos;
    expect(Number(uncore - nanos * 7n)).toBeLessThan(2);
    expectClosed(after);
  });

  it('shows at the wall what packages, DRAM and 40 W come to behind the supply', () => {
    const [before, after] = [run.truth('igpu-0'), run.truth('igpu-1')];
    const inside = (truth: Truth): number =>
      Number(zoneOf(truth, 'package-0').totalNanojoules + zoneOf(truth, 'dram-0').totalNanojoules) /
      1e9;
    const seconds = Number(after.monotonicNanos - before.monotonicNanos) / 1e9;
    const most = (inside(after) - inside(before) + 40 * seconds) / 0.92;
    const meterJoules = Number(run.text('meter-energy.txt')) / 1e6;
    // the meter is read inside the interval of the two truths
    expect(meterJoules).toBeLessThan(most);
    expect(meterJoules).toBeGreaterThan(most * 0.4);
    expect(Number(run.text('meter-power.txt')) / 1e6).toBeGreaterThan((40 + 13 + 8) / 0.92);
  });
});

describe('faults', () => {
  const shown = (kind: string): readonly string[] => {
    const row = run.rows('faults.tsv').find(([name]) => name === kind);
    if (row === undefined) throw new Error(`no fault ${kind}`);
    return row;
  };

  it('wraps a counter by its range when asked to', () => {
    expect(Number(shown('package-0 wrap')[1])).toBeGreaterThan(260_000_000_000);
    expect(Number(shown('after')[1])).toBeLessThan(1_000_000_000);
  });

  it('resets, freezes, leaps, shows garbage and fails when asked to', () => {
    expect(Number(shown('package-0 reset')[1])).toBeLessThan(60_000_000);
    const frozen = shown('package-0 freeze');
    expect(frozen[1]).toBe(frozen[2]);
    expect(shown('package-0 garbage').slice(1)).toEqual(['-1', '-1']); // powercap prints it signed
    expect(shown('package-0 error').slice(1)).toEqual(['error', 'error']);
    expect(Number(shown('package-0 jump')[1])).toBeGreaterThan(900_000_000);
  });

  it('leaves the truth alone', () => {
    expectClosed(run.truth('faults'));
  });

  it('sleeps: the clock that counts sleep is ahead, the counters begin anew', () => {
    const [before, after, counterMicrojoules] = run.lines('suspend.txt').map(Number);
    expect((after ?? 0) - (before ?? 0)).toBeGreaterThan(60);
    expect(counterMicrojoules).toBeLessThan(60_000_000);
  });
});

describeTruth(() => run, MIX_SECONDS);

describe('simhw', () => {
  it('can be removed', () => {
    expect(run.text('rmmod.txt')).toBe('ok\n');
    expect(run.text('dmesg.txt')).not.toMatch(/\bBUG\b|\bOops\b|WARNING:/);
  });
});
