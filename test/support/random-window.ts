// SPDX-License-Identifier: Apache-2.0
/**
 * Random but consistent histories of a machine for law tests: processes with threads that are born,
 * move between packages and cgroups, rename themselves and die; slots that are returned and taken
 * again; task time without a slot; slices with and without hardware counters; energy that advances, is
 * rejected or cannot be read, with the parts that a client package shows of itself.
 */
import fc from 'fast-check';
import type { ActivityWindow, OverflowSample, TaskSample } from '../../receiver/model/activity.js';
import type { HostTopology } from '../../receiver/model/host-topology.js';
import { watts } from '../../receiver/model/units.js';
import type { Watts } from '../../receiver/model/units.js';
import type { DomainReading, DomainStep } from '../../receiver/model/window.js';
import {
  activityWindow,
  advancedReading,
  cpuSample,
  dramDomain,
  overflowSample,
  packageDomain,
  platformDomain,
  taskSample,
  topologyOf,
} from './windows.js';

export interface HistoryStep {
  readonly window: ActivityWindow;
  readonly readings: readonly DomainReading[];
}

export interface History {
  readonly topology: HostTopology;
  readonly idleFloors: ReadonlyMap<string, Watts | undefined>;
  readonly steps: readonly HistoryStep[];
}

const WINDOW_NANOS = 1_000_000_000;

/** Task time of one row: nothing, a blink, or up to the whole window. */
const runtime = fc.oneof(
  fc.constant(0),
  fc.integer({ min: 1, max: 20 }),
  fc.integer({ min: 1_000, max: WINDOW_NANOS }),
);

/** Hardware counters of one row: none, some slices, or all. */
const counted = fc.record({
  ratio: fc.constantFrom(0, 0.5, 1),
  cyclesPerNano: fc.integer({ min: 1, max: 5 }),
  instructionsPerCycle: fc.integer({ min: 0, max: 4 }),
  missesPerThousand: fc.integer({ min: 0, max: 100 }),
});
export type CountedTurn = typeof counted extends fc.Arbitrary<infer T> ? T : never;

/** What one process does in one window. */
const processTurn = fc.record({
  isBorn: fc.integer({ min: 0, max: 3 }).map((n) => n === 0),
  isEnding: fc.integer({ min: 0, max: 4 }).map((n) => n === 0),
  threads: fc.array(
    fc.record({ runtime, overlapRatio: fc.double({ min: 0, max: 1, noNaN: true }), counted }),
    {
      minLength: 1,
      maxLength: 3,
    },
  ),
  cpuDomain: fc.nat(1),
  cgroup: fc.nat(4),
  name: fc.nat(3),
  uid: fc.nat(2),
});
export type ProcessTurn = typeof processTurn extends fc.Arbitrary<infer T> ? T : never;

const energyDelta = fc.oneof(
  fc.constant(0),
  fc.integer({ min: 1, max: 100 }),
  fc.integer({ min: 1_000, max: 500_000_000 }),
);

const domainStep: fc.Arbitrary<number | DomainStep> = fc.oneof(
  { weight: 8, arbitrary: energyDelta },
  { weight: 1, arbitrary: fc.constant<DomainStep>({ _tag: 'First' }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<DomainStep>(
      { _tag: 'Rejected', reason: 'reset', detail: 'counter went back' },
      { _tag: 'Rejected', reason: 'implausible', detail: '260 kW' },
      { _tag: 'Failed', reason: 'permission', detail: 'EACCES' },
      { _tag: 'Failed', reason: 'not-a-number', detail: 'x' },
    ),
  },
);

const MAX_PROCESSES = 8;

const turn = fc.record({
  processes: fc.array(processTurn, { maxLength: MAX_PROCESSES }),
  overflow: fc.array(fc.record({ cgroup: fc.nat(4), cpuDomain: fc.nat(1), runtime }), {
    maxLength: 3,
  }),
  hiddenOverflow: runtime,
  unslotted: fc.tuple(runtime, runtime),
  irq: fc.option(fc.tuple(runtime, runtime), { nil: undefined }),
  energy: fc.array(domainStep, { minLength: 9, maxLength: 9 }),
});
export type Turn = typeof turn extends fc.Arbitrary<infer T> ? T : never;

const featuresOf = (runtimeNanos: number, counted: CountedTurn | undefined) => {
  if (counted === undefined) return {};
  const countedNanos = Math.floor(runtimeNanos * counted.ratio);
  const cycles = countedNanos * counted.cyclesPerNano;
  const instructions = cycles * counted.instructionsPerCycle;
  return {
    uncountedNanos: runtimeNanos - countedNanos,
    cycles,
    instructions,
    phiCycles: Math.floor(cycles * 0.9),
    phiInstructions: Math.floor(instructions * 0.9),
    llcMisses: Math.floor((instructions * counted.missesPerThousand) / 1_000),
    packageOnNanos: Math.floor(runtimeNanos / 2),
  };
};

/** Keeps pids, slots and sequences consistent while random turns are played. */
class Machine {
  private readonly generations = Array.from({ length: MAX_PROCESSES }, () => 0);
  private readonly isAlive = Array.from({ length: MAX_PROCESSES }, () => false);

  public constructor(private readonly packageCount: number) {}

  /** Rows of the process at `at`; its pid is re-used by each generation. */
  public rowsOf(at: number, process: ProcessTurn): readonly TaskSample[] {
    if (!(this.isAlive[at] ?? false)) {
      if (!process.isBorn) return [];
      this.generations[at] = (this.generations[at] ?? 0) + 1;
      this.isAlive[at] = true;
    }
    const generation = this.generations[at] ?? 0;
    if (process.isEnding) this.isAlive[at] = false;
    // An ending process reports all its slots dead, whether they ran in this window or not.
    const threadCount = process.isEnding ? 3 : process.threads.length;
    const domains = process.isEnding
      ? Array.from({ length: this.packageCount }, (_, domain) => domain)
      : [process.cpuDomain % this.packageCount];
    return domains.flatMap((cpuDomain) =>
      Array.from({ length: threadCount }, (_, thread) =>
        this.row(at, generation, process, cpuDomain, thread),
      ),
    );
  }

  private row(
    at: number,
    generation: number,
    process: ProcessTurn,
    cpuDomain: number,
    thread: number,
  ): TaskSample {
    const part = process.threads[thread];
    const runtimeNanos = part?.runtime ?? 0;
    return taskSample({
      slot: 1 + at * 6 + thread * 2 + cpuDomain,
      sequence: generation,
      tgid: 100 + at * 10,
      tid: 100 + at * 10 + thread,
      processStartBoottimeNanos: BigInt(generation * 1_000 + at),
      cpuDomain,
      cgroupId: BigInt(10 + process.cgroup),
      processComm: `name${String(process.name)}`,
      uid: process.uid,
      runtimeNanos,
      overlapNanos: Math.floor(runtimeNanos * (part?.overlapRatio ?? 0)),
      ...featuresOf(runtimeNanos, part?.counted),
      isDead: process.isEnding,
      isGroupDead: process.isEnding,
    });
  }
}

const overflowOf = ({ overflow }: Turn, packageCount: number): readonly OverflowSample[] =>
  overflow.map((sample) =>
    overflowSample({
      cgroupId: BigInt(10 + sample.cgroup),
      cpuDomain: sample.cpuDomain % packageCount,
      runtimeNanos: sample.runtime,
    }),
  );

const windowOf = (machine: Machine, drawn: Turn, at: number, packageCount: number) => {
  const overflow = overflowOf(drawn, packageCount);
  const cpus = Array.from({ length: packageCount }, (_, cpuDomain) => {
    const known = overflow
      .filter((sample) => sample.cpuDomain === cpuDomain)
      .reduce((sum, sample) => sum + sample.runtimeNanos, 0);
    return cpuSample({
      cpu: cpuDomain,
      cpuDomain,
      unslottedNanos: drawn.unslotted[cpuDomain] ?? 0,
      overflowNanos: known + (cpuDomain === 0 ? drawn.hiddenOverflow : 0),
      irqNanos: drawn.irq?.[cpuDomain],
    });
  });
  const tasks = drawn.processes.flatMap((process, index) => machine.rowsOf(index, process));
  return activityWindow({ index: BigInt(at + 1), tasks, overflow, cpus });
};

/** Inside a package and attributed to nobody by themselves. */
const partsOf = (packageId: number) =>
  (['core', 'uncore'] as const).map((kind) =>
    packageDomain(packageId, {
      id: `intel-rapl:${String(packageId)}:${kind}`,
      kind,
      name: kind,
      parentId: `intel-rapl:${String(packageId)}`,
      isAttributed: false,
    }),
  );

const domainsOf = (packageCount: number) => [
  packageDomain(0),
  dramDomain(0),
  ...(packageCount > 1 ? [packageDomain(1), dramDomain(1)] : []),
  platformDomain(),
  ...Array.from({ length: packageCount }, (_, packageId) => partsOf(packageId)).flat(),
];

const readingsOf = (drawn: Turn, packageCount: number): readonly DomainReading[] =>
  domainsOf(packageCount).map((domain, at) => {
    const step = drawn.energy[at] ?? 0;
    return typeof step === 'number' ? advancedReading(domain, step) : { domain, step };
  });

const floor = fc.option(fc.double({ min: 0, max: 100, noNaN: true }), { nil: undefined });

/** One or two packages, up to `maxWindows` windows. */
export const history = (maxWindows = 12): fc.Arbitrary<History> =>
  fc
    .record({
      packageCount: fc.integer({ min: 1, max: 2 }),
      turns: fc.array(turn, { minLength: 1, maxLength: maxWindows }),
      floors: fc.array(floor, { minLength: 9, maxLength: 9 }),
    })
    .map(({ packageCount, turns, floors }) => {
      const machine = new Machine(packageCount);
      return {
        topology: topologyOf(packageCount),
        idleFloors: new Map(
          domainsOf(packageCount).map(({ id }, at) => {
            const floorWatts = floors[at];
            return [id, floorWatts === undefined ? undefined : watts(floorWatts)] as const;
          }),
        ),
        steps: turns.map((drawn, at) => ({
          window: windowOf(machine, drawn, at, packageCount),
          readings: readingsOf(drawn, packageCount),
        })),
      };
    });
