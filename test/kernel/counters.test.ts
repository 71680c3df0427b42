// SPDX-License-Identifier: Apache-2.0
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { CounterSpec } from '../../receiver/activity/port.js';
import type { TaskSample } from '../../receiver/model/activity.js';
import { buildLoads, startLoad, type Load } from '../support/kernel/load.js';
import {
  ok,
  startRecording,
  sum,
  tasksOf,
  type Recording,
  type RecordingOptions,
} from '../support/kernel/recording.js';
import {
  CLOCK_AS_CYCLES,
  CLOCK_AS_INSTRUCTIONS,
  CLOCK_AS_VECTOR,
  CLOCK_AS_VECTOR_512,
  FAULTS_AS_CYCLES,
  FAULTS_AS_MISSES,
  NO_CYCLES,
  NO_VECTOR,
  onEachCpu,
} from '../support/kernel/software-counters.js';

let recording: Recording | undefined;
let loads: Load[] = [];

const BURN_MILLIS = 600;
/** Slices behind a switch that the host hid are not counted: of a crowded host's, one in five. */
const MIN_COUNTED = 0.5;
const PAGES = 20_000;

const record = async (options: RecordingOptions): Promise<Recording> => {
  const current = await startRecording(options);
  recording = current;
  return current;
};

const start = async (name: string, ...args: readonly number[]): Promise<Load> => {
  const load = await startLoad(name, args);
  loads.push(load);
  return load;
};

/** Everything recorded of the loads while they act once, all at a time. */
const actOnce = async (current: Recording, on: readonly Load[]) => {
  await Promise.all(on.map((load) => load.act()));
  await current.close();
  return on.map(({ pid }) => tasksOf(current, ({ tid }) => tid === pid));
};

const total = (rows: readonly TaskSample[], field: (row: TaskSample) => number): number =>
  sum(rows, field);

const uncountedShare = (rows: readonly TaskSample[]): number =>
  total(rows, (row) => row.uncountedNanos) / total(rows, (row) => row.sliceNanos);

/** A clock as a counter gives the time of the slices that were counted, and those are enough. */
const expectCounted = (rows: readonly TaskSample[], counter: (row: TaskSample) => number): void => {
  expect(uncountedShare(rows)).toBeLessThan(1 - MIN_COUNTED);
  const countedNanos = total(rows, (row) => row.sliceNanos - row.uncountedNanos);
  expect(total(rows, counter)).toBeGreaterThan(0.94 * countedNanos);
};

const counting = (...specs: readonly CounterSpec[]): RecordingOptions => ({
  counters: onEachCpu(() => specs),
});

describe('hardware counters', () => {
  beforeAll(buildLoads);

  afterEach(async () => {
    await Promise.all(loads.map((load) => load.stop()));
    loads = [];
    await recording?.close();
  });

  it('gives each slice the rise of its CPU between two switches', async () => {
    const current = await record(
      counting(CLOCK_AS_CYCLES, CLOCK_AS_INSTRUCTIONS, FAULTS_AS_MISSES),
    );
    const [burnt = [], touched = []] = await actOnce(current, [
      await start('burn', BURN_MILLIS, 0),
      await start('touch-pages', PAGES, 1),
    ]);

    for (const rows of [burnt, touched]) {
      const slice = total(rows, (row) => row.sliceNanos);
      expectCounted(rows, (row) => row.cycles);
      const cycles = total(rows, (row) => row.cycles);
      expect(cycles).toBeLessThan(1.01 * slice + 1e6);
      expect(Math.abs(total(rows, (row) => row.instructions) / cycles - 1)).toBeLessThan(0.01);
      // no table of factors was given: phi = 1
      expect(total(rows, (row) => row.phiCycles)).toBe(cycles);
    }
    const countedPages = PAGES * (1 - uncountedShare(touched));
    expect(total(touched, (row) => row.llcMisses)).toBeGreaterThan(countedPages * 0.9);
    expect(total(touched, (row) => row.llcMisses)).toBeLessThan(PAGES * 1.1);
    expect(total(burnt, (row) => row.llcMisses)).toBeLessThan(PAGES * 0.1);
    const cpus = current.windows.flatMap((window) => window.cpus);
    expect(cpus.every((cpu) => cpu.isCounting)).toBe(true);
    expect(sum(cpus, (cpu) => cpu.counterFailures)).toBe(0);
    expect(sum(cpus, (cpu) => cpu.countedNanos)).toBeGreaterThan(BURN_MILLIS * MIN_COUNTED * 1e6);
  });

  it('has time without counters on CPUs that do not count, and says which those are', async () => {
    const current = await record({
      counters: onEachCpu((cpu) => (cpu === 0 ? [CLOCK_AS_CYCLES] : [])),
    });
    const onBoth = [await start('burn', BURN_MILLIS, 0), await start('burn', BURN_MILLIS, 1)];
    // until they were pinned they ran anywhere
    await current.closeWindow();
    const begun = current.windows.length;
    await actOnce(current, onBoth);
    const [counted = [], uncounted = []] = onBoth.map(({ pid }) =>
      tasksOf({ windows: current.windows.slice(begun) }, ({ tid }) => tid === pid),
    );

    expectCounted(counted, (row) => row.cycles);
    expect(total(uncounted, (row) => row.cycles)).toBe(0);
    expect(total(uncounted, (row) => row.uncountedNanos)).toBe(
      total(uncounted, (row) => row.runtimeNanos),
    );
    // nothing known of the frequency: 1 GHz
    const slice = total(uncounted, (row) => row.sliceNanos);
    expect(total(uncounted, (row) => row.uncountedPhiCycles)).toBe(slice);
    const counts = new Map(
      current.windows.flatMap(({ cpus }) => cpus).map((cpu) => [cpu.cpu, cpu.isCounting]),
    );
    expect([counts.get(0), counts.get(1)]).toEqual([true, false]);
  });

  it('says which counters are missing and counts without them', async () => {
    const current = await record(counting(CLOCK_AS_CYCLES, NO_VECTOR));
    const faults = ok(current.session.counterFaults());
    const [rows = []] = await actOnce(current, [await start('burn', BURN_MILLIS, 0)]);

    expect(new Set(faults.map(({ kind }) => kind))).toEqual(new Set(['vector']));
    expect(faults.every(({ code }) => code === 'ENOENT' || code === 'EINVAL')).toBe(true);
    expectCounted(rows, (row) => row.cycles);
    expect(total(rows, (row) => row.vectorOps)).toBe(0);
  });

  it('weighs the 512-bit ones among the vector operations twice', async () => {
    const current = await record(counting(CLOCK_AS_CYCLES, CLOCK_AS_VECTOR, CLOCK_AS_VECTOR_512));
    expect(ok(current.session.counterFaults())).toEqual([]);
    const [rows = []] = await actOnce(current, [await start('burn', BURN_MILLIS, 0)]);

    const operations = total(rows, (row) => row.vectorOps);
    expectCounted(rows, (row) => row.vectorOps);
    // all of them are 512 bits wide here; three clocks are read one after the other
    expect(total(rows, (row) => row.phiVector) / operations).toBeGreaterThan(1.98);
    expect(total(rows, (row) => row.phiVector) / operations).toBeLessThan(2.02);
  });

  it('does not count at all where there are no cycles', async () => {
    const current = await record(counting(NO_CYCLES, FAULTS_AS_MISSES));
    const [rows = []] = await actOnce(current, [await start('touch-pages', PAGES, 1)]);

    expect(total(rows, (row) => row.uncountedNanos)).toBe(total(rows, (row) => row.runtimeNanos));
    expect(total(rows, (row) => row.llcMisses)).toBe(0);
    expect(current.windows.flatMap(({ cpus }) => cpus).some((cpu) => cpu.isCounting)).toBe(false);
  });

  it('takes a slice without cycles as uncounted: a counter that stands still does not count', async () => {
    const current = await record(counting(FAULTS_AS_CYCLES));
    const [rows = []] = await actOnce(current, [await start('burn', BURN_MILLIS, 0)]);

    const runtime = total(rows, (row) => row.runtimeNanos);
    expect(total(rows, (row) => row.uncountedNanos)).toBeGreaterThan(0.5 * runtime);
    expect(current.windows.flatMap(({ cpus }) => cpus).some((cpu) => cpu.isCounting)).toBe(true);
  });
});

describe('energy model', () => {
  beforeAll(buildLoads);

  afterEach(async () => {
    await Promise.all(loads.map((load) => load.stop()));
    loads = [];
    await recording?.close();
  });

  const nothing = {
    cycleNanojoules: 0,
    instructionNanojoules: 0,
    vectorNanojoules: 0,
    llcMissNanojoules: 0,
    coreWatts: 0,
    packageOnWatts: 0,
  };

  it('predicts the energy of counted slices from what was counted', async () => {
    const current = await record({
      ...counting(CLOCK_AS_CYCLES, CLOCK_AS_INSTRUCTIONS, FAULTS_AS_MISSES),
      // phi = 2 at 1 GHz, the frequency of the clock
      frequencyFactors: [new Array<number>(512).fill(2)],
    });
    const [a, b, u, l, packageOn] = [0.5, 0.25, 4_000, 2, 8];
    ok(
      current.session.setCoefficients([
        {
          ...nothing,
          cycleNanojoules: a,
          instructionNanojoules: b,
          llcMissNanojoules: u,
          coreWatts: l,
          packageOnWatts: packageOn,
        },
      ]),
    );
    const [rows = []] = await actOnce(current, [await start('touch-pages', PAGES, 1)]);
    const counted = rows.filter((row) => row.uncountedNanos === 0);

    expect(counted.length).toBeGreaterThan(0);
    for (const row of counted) {
      expect(Math.abs(row.phiCycles - 2 * row.cycles)).toBeLessThanOrEqual(1);
      const core = a * row.phiCycles + b * row.phiInstructions + l * row.sliceNanos;
      // each slice loses less than 1 nJ in each of its terms
      const slices = row.voluntarySwitches + row.involuntarySwitches + 2;
      expect(Math.abs(row.predictedCoreNanojoules - core)).toBeLessThan(4 * slices);
      const shared = u * row.llcMisses + packageOn * row.packageOnNanos;
      expect(Math.abs(row.predictedNanojoules - row.predictedCoreNanojoules - shared)).toBeLessThan(
        4 * slices,
      );
    }
  });

  it('weighs uncounted slices with the frequency that a file says, and scales the core', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'wattfeed-frequency-'));
    const file = join(directory, 'scaling_cur_freq');
    writeFileSync(file, '2500000\n');
    const current = await record({ frequencyFiles: onEachCpu(() => file) });
    ok(current.session.setCoefficients([{ ...nothing, cycleNanojoules: 1 }]));
    ok(current.session.setCoreScales(onEachCpu(() => 3)));
    const load = await start('burn', BURN_MILLIS, 0);
    await current.closeWindow();
    await load.act();
    const before = current.windows.length;
    await load.act();
    await current.close();
    rmSync(directory, { recursive: true });
    const rows = current.windows
      .slice(before)
      .flatMap(({ tasks }) => tasks)
      .filter(({ tid }) => tid === load.pid);

    expect(rows.length).toBeGreaterThan(1);
    const slice = total(rows, (row) => row.sliceNanos);
    const phiCycles = total(rows, (row) => row.uncountedPhiCycles);
    expect(Math.abs(phiCycles / slice - 2.5)).toBeLessThan(0.01);
    const predicted = total(rows, (row) => row.predictedCoreNanojoules);
    expect(Math.abs(predicted / phiCycles - 3)).toBeLessThan(0.01);
    const cpus = current.windows.slice(before).flatMap((window) => window.cpus);
    expect(cpus.find(({ cpu }) => cpu === 0)?.frequencyKhz).toBe(2_500_000);
  });

  it('splits the time a package is on exactly: whole alone, by halves while both CPUs run', async () => {
    // two CPUs of a package of their own, told to be siblings: then the overlap tells the same
    const current = await record({
      cpuPackages: onEachCpu((cpu) => (cpu < 2 ? 0 : 1)),
      cpuDomains: onEachCpu((cpu) => (cpu < 2 ? 0 : 1)),
      smtSiblings: onEachCpu((cpu) => (cpu < 2 ? 1 - cpu : -1)),
    });
    await actOnce(current, [
      await start('pulse', BURN_MILLIS, 2_000, 1_500, 0),
      await start('pulse', BURN_MILLIS, 900, 2_700, 1),
    ]);
    const rows = tasksOf(current, ({ cpuDomain }) => cpuDomain === 0);
    const slice = total(rows, (row) => row.sliceNanos);
    const overlap = total(rows, (row) => row.overlapNanos);
    const on = total(rows, (row) => row.packageOnNanos);

    // on a busy host it is nearly all of it
    expect(overlap).toBeGreaterThan(0.05 * slice);
    expect(Math.abs(on / (slice - overlap / 2) - 1)).toBeLessThan(0.02);
  });

  it('gives each task the whole package where it has one CPU', async () => {
    const current = await record({ cpuPackages: onEachCpu((cpu) => Math.min(cpu, 15)) });
    const [rows = []] = await actOnce(current, [await start('burn', BURN_MILLIS, 0)]);
    expect(total(rows, (row) => row.packageOnNanos)).toBe(total(rows, (row) => row.sliceNanos));
  });

  it('knows how long a task waited for its CPU', async () => {
    const current = await record({});
    const [one = [], two = []] = await actOnce(current, [
      await start('burn', BURN_MILLIS, 1),
      await start('burn', BURN_MILLIS, 1),
    ]);
    // the last wait of each is booked when it runs next, which it does not
    for (const rows of [one, two]) {
      const waited = total(rows, (row) => row.queueWaitNanos);
      expect(waited).toBeGreaterThan(BURN_MILLIS * 0.5e6);
    }
  });
});
