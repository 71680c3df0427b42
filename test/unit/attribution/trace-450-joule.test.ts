// SPDX-License-Identifier: Apache-2.0
/**
 * A known machine, known joules, through the real code from bytes to report: one package with 8 CPUs
 * for 10 s, package 400 J of which 100 J are idle floor, memory 50 J of which 20 J are.
 *
 *   A  one process, 40 CPU seconds of computing
 *   B  one process, 5 CPU seconds, bound by memory
 *   C  200 processes of 20 ms, each born and dead within one window (4 CPU seconds)
 *
 * Tools that poll lose C, tools that split all of it charge idle joules to processes, and tools that
 * round share by share do not reach 450 J.
 */
import * as E from 'fp-ts/lib/Either.js';
import { describe, expect, it } from 'vitest';
import * as layout from '../../../native/layout.generated.js';
import { batchDecoder } from '../../../receiver/activity/decode.js';
import { attribute } from '../../../receiver/attribution/attribute.js';
import type { Ledger } from '../../../receiver/attribution/ledger.js';
import { windowReport } from '../../../receiver/attribution/window-report.js';
import type { ActivityWindow, TaskSample } from '../../../receiver/model/activity.js';
import { addKnown } from '../../../receiver/model/energy-row.js';
import { watts, windowNanos } from '../../../receiver/model/units.js';
import { buildReport } from '../../../receiver/report/build-report.js';
import { encodeBatch } from '../../support/encode-window.js';
import { newLedger } from '../../support/ledger.js';
import {
  activityWindow,
  advancedReading,
  cpuSample,
  dramDomain,
  packageDomain,
  taskSample,
  topologyOf,
} from '../../support/windows.js';

const WINDOWS = 10;
const CPUS = 8;
const SECOND_NANOS = 1_000_000_000;
/** Per window of one second. */
const A_NANOS = 4 * SECOND_NANOS;
const B_NANOS = SECOND_NANOS / 2;
const C_PROCESSES = 20;
const C_NANOS = 20_000_000;

const processC = (window: number, at: number): TaskSample => {
  const number = window * C_PROCESSES + at;
  return taskSample({
    tgid: 1_000 + number,
    slot: 10 + at,
    sequence: window + 1,
    processComm: 'C',
    cgroupId: 30n,
    runtimeNanos: C_NANOS,
    isFirst: true,
    isDead: true,
    isGroupDead: true,
  });
};

/** A has four threads, as a process that uses four CPUs at once must. */
const threadA = (thread: number): TaskSample =>
  taskSample({
    tgid: 100,
    tid: 100 + thread,
    slot: 1 + thread,
    processComm: 'A',
    cgroupId: 10n,
    runtimeNanos: A_NANOS / 4,
  });

const traceWindow = (window: number): ActivityWindow =>
  activityWindow({
    index: BigInt(window + 1),
    tasks: [
      ...[0, 1, 2, 3].map(threadA),
      taskSample({ tgid: 200, slot: 9, processComm: 'B', cgroupId: 20n, runtimeNanos: B_NANOS }),
      ...Array.from({ length: C_PROCESSES }, (_, at) => processC(window, at)),
    ],
    cpus: Array.from({ length: CPUS }, (_, cpu) => cpuSample({ cpu, irqNanos: 0 })),
  });

const READINGS = [
  advancedReading(packageDomain(), 40_000_000),
  advancedReading(dramDomain(), 5_000_000),
];

const IDLE_FLOORS = new Map([
  ['intel-rapl:0', watts(10)],
  ['intel-rapl:0:0', watts(2)],
]);

const decodeTrace = (): readonly ActivityWindow[] => {
  const windows = Array.from({ length: WINDOWS }, (_, window) => traceWindow(window));
  const decoded = batchDecoder(layout)(encodeBatch(windows));
  if (E.isLeft(decoded)) throw new Error(decoded.left._tag);
  return decoded.right;
};

const run = (change: (window: ActivityWindow) => ActivityWindow = (window) => window) => {
  const ledger = newLedger();
  const topology = topologyOf(1, CPUS);
  const reports = decodeTrace().map((decoded) => {
    const window = change(decoded);
    const input = { window, readings: READINGS, topology, idleFloors: IDLE_FLOORS };
    const attribution = attribute(input);
    ledger.book(window, READINGS, attribution);
    return windowReport(window, READINGS, attribution, []);
  });
  return { ledger, last: reports[WINDOWS - 1] };
};

/** Package and memory joules of one command name, ended processes included. */
const byName = (ledger: Ledger, name: string) => {
  const found = [...ledger.names()].find((entry) => entry.name === name);
  if (found === undefined) throw new Error(`no ${name}`);
  return found;
};

const microjoulesOf = (totals: { energy: { package: bigint; dram: bigint } }): number =>
  Number(totals.energy.package + totals.energy.dram);

/** Rounding: less than 1 uJ for each row of each window and domain. */
const expectJoules = (microjoules: number, joules: number, roundings: number): void => {
  expect(Math.abs(microjoules - joules * 1e6)).toBeLessThan(roundings);
};

describe('the 450 J trace', () => {
  it('adds up to 450.000000 J, of which 120 J are idle', () => {
    const { ledger } = run();
    expect(ledger.verify()).toEqual([]);
    const [pkg, dram] = ledger.domains();
    expect([pkg?.acceptedMicrojoules, dram?.acceptedMicrojoules]).toEqual([
      400_000_000n,
      50_000_000n,
    ]);
    expect([pkg?.idleMicrojoules, dram?.idleMicrojoules]).toEqual([100_000_000n, 20_000_000n]);
    expect([pkg?.entitiesMicrojoules, dram?.entitiesMicrojoules]).toEqual([
      300_000_000n,
      30_000_000n,
    ]);
    const everybody = [
      ...ledger.processes(),
      ledger.exitedProcesses(),
      ledger.overflow().processes,
    ];
    const entities = everybody.reduce((sum, row) => sum + row.energy.package + row.energy.dram, 0n);
    expect(entities + 120_000_000n).toBe(450_000_000n);
  });

  it('charges each by its share of 49 CPU seconds', () => {
    const { ledger } = run();
    expectJoules(microjoulesOf(byName(ledger, 'A')), (330 * 40) / 49, WINDOWS * 2 * 4);
    expectJoules(microjoulesOf(byName(ledger, 'B')), (330 * 5) / 49, WINDOWS * 2);
    expectJoules(microjoulesOf(byName(ledger, 'C')), (330 * 4) / 49, WINDOWS * 2 * C_PROCESSES);
  });

  it('charges every one of the 200 processes that no poll would have met', () => {
    const { ledger } = run();
    const ended = [...ledger.processes()].filter(({ identity }) => identity.name === 'C');
    expect(ended).toHaveLength(200);
    for (const process of ended) {
      expect(process.isExited).toBe(true);
      expect(process.cpuNanos).toBe(BigInt(C_NANOS));
      expectJoules(microjoulesOf(process), (33 * 0.02) / 4.9, 2);
    }
    ledger.retireExported(ended.map(({ identity }) => identity));
    const sum = ended.reduce((all, process) => all + microjoulesOf(process), 0);
    expect(microjoulesOf(ledger.exitedProcesses())).toBe(sum);
    expect(ledger.verify()).toEqual([]);
  });

  it('tells cgroups the same', () => {
    const { ledger } = run();
    const byId = new Map([...ledger.cgroups()].map((cgroup) => [cgroup.id, microjoulesOf(cgroup)]));
    expect(byId.get(10n)).toBe(microjoulesOf(byName(ledger, 'A')));
    expect(byId.get(20n)).toBe(microjoulesOf(byName(ledger, 'B')));
    expect(byId.get(30n)).toBe(microjoulesOf(byName(ledger, 'C')));
  });

  it('reports the last window as 45 W, 12 W of them idle', () => {
    const { ledger, last } = run();
    if (last === undefined) throw new Error('no window');
    const report = buildReport({
      window: last,
      ledger,
      agent: { pid: 1, version: '0', startedUnixMillis: 0, hostName: 'h' },
      source: {
        origin: 'measured',
        kinds: ['powercap'],
        isGuess: false,
        text: 'measured (powercap)',
      },
      cpuCount: CPUS,
      slotBytes: 256,
      losses: {},
    });
    expect(report.source.label).toBe('measured (powercap), split by CPU time');
    expect(report.domains.map((row) => [row.watts, row.idleWatts])).toEqual([
      [40, 10],
      [5, 2],
    ]);
    const watts = report.processes.reduce(
      (sum, row) => sum + (addKnown(row.packageWatts, row.dramWatts) ?? NaN),
      0,
    );
    expect(watts).toBeCloseTo(33, 6);
    const cpuRatio = report.processes.reduce((sum, row) => sum + row.cpuRatio, 0);
    expect(cpuRatio).toBeCloseTo(4.9, 9);
  });
});

describe('the 450 J trace with hardware counters', () => {
  /** Over 10 s: misses A 1e9, B 4e9, C 1e8; A runs at 2 instructions per cycle, B at 0.2, C at 1.5. */
  const FEATURES: Readonly<Record<string, { ipc: number; missesPerSecond: number }>> = {
    A: { ipc: 2, missesPerSecond: 1e9 / 40 },
    B: { ipc: 0.2, missesPerSecond: 4e9 / 5 },
    C: { ipc: 1.5, missesPerSecond: 1e8 / 4 },
  };

  const counted = (task: TaskSample): TaskSample => {
    const { ipc, missesPerSecond } = FEATURES[task.processComm] ?? { ipc: 1, missesPerSecond: 0 };
    const cycles = task.runtimeNanos * 3;
    return {
      ...task,
      uncountedNanos: windowNanos(0),
      cycles,
      instructions: cycles * ipc,
      phiCycles: cycles,
      phiInstructions: cycles * ipc,
      llcMisses: (task.runtimeNanos * missesPerSecond) / SECOND_NANOS,
      uncountedPhiCycles: 0,
      packageOnNanos: windowNanos(task.runtimeNanos / 5),
    };
  };

  it('gives B at least 70 % of the memory energy, charges every C, and loses nothing', () => {
    const { ledger } = run((window) => ({ ...window, tasks: window.tasks.map(counted) }));
    expect(ledger.verify()).toEqual([]);
    const [pkg, dram] = ledger.domains();
    expect([pkg?.split, dram?.split, dram?.countedShare]).toEqual(['counters', 'counters', 1]);
    const [a, b, c] = ['A', 'B', 'C'].map((name) => byName(ledger, name).energy);
    expect((a?.dram ?? 0n) + (b?.dram ?? 0n) + (c?.dram ?? 0n)).toBe(30_000_000n);
    expect((a?.package ?? 0n) + (b?.package ?? 0n) + (c?.package ?? 0n)).toBe(300_000_000n);
    expect(Number(b?.dram) / 30e6).toBeGreaterThan(0.7);
    expect(Number(b?.dram) / 30e6).toBeCloseTo(4 / 5.1, 5);
    // Without its misses it would be below its 5 of 49 CPU seconds: it runs few instructions.
    expect(Number(b?.package) / 300e6).toBeGreaterThan(5 / 49);
    const ended = [...ledger.processes()].filter(({ identity }) => identity.name === 'C');
    expect(ended).toHaveLength(200);
    for (const { energy } of ended) expect(energy.package).toBeGreaterThan(0n);
  });
});
