// SPDX-License-Identifier: Apache-2.0
/**
 * Runs loads on a machine, millisecond by millisecond, and cuts the time into windows: what the kernel
 * side would report, what the energy counters read, and the truth beside it.
 */
import type { Job, InterruptLoad, Placement, Thread } from './load.js';
import type { Machine } from './machine.js';
import { Physics, TICK_NANOS, type CpuState } from './physics.js';
import type { Random } from './random.js';
import { Rapl } from './rapl.js';
import { Slice } from './slice.js';
import type { TaskRow } from './task-row.js';
import { TruthBooks, type Truth } from './truth.js';

/** Everything that runs in one mix. */
export interface Load {
  readonly jobs: readonly Job[];
  readonly placements: readonly Placement[];
  readonly interrupts: readonly InterruptLoad[];
  /** Hardware events share their counters: each group runs for one of so many 4 ms turns. */
  readonly multiplexing: number;
  /** 1, or 8 where the packages are behind the energy filter. */
  readonly raplUpdateMillis: number;
}

export interface ThreadRow {
  readonly thread: Thread;
  readonly cpuDomain: number;
  readonly row: TaskRow;
  readonly isFirst: boolean;
}

export interface CpuRow {
  taskNanos: number;
  busyNanos: number;
  interruptNanos: number;
  countedNanos: number;
  multiplexedNanos: number;
  cycles: number;
  instructions: number;
  /** The clock at the window's end. */
  gigahertz: number;
  switches: number;
}

export interface SimulatedWindow {
  readonly index: number;
  readonly startNanos: bigint;
  readonly endNanos: bigint;
  readonly load: Load;
  readonly rows: readonly ThreadRow[];
  readonly cpus: readonly CpuRow[];
  readonly packageMicrojoules: readonly bigint[];
  readonly memoryMicrojoules: readonly bigint[];
  readonly truth: Truth;
  /** Time that two threads shared a core. */
  readonly pairs: readonly CorePair[];
}

export interface CorePair {
  readonly a: Thread;
  readonly b: Thread;
  nanos: number;
}

export interface SimulatorOptions {
  /** φ of the agent's table: energy of a cycle by clock. */
  readonly phi: (coreType: string) => (gigahertz: number) => number;
}

const MULTIPLEX_TURN_MILLIS = 4;
const DRIFT_MILLIS = 100;
/** Of the data's energy: an AR(1) with 3 s and 3 %. */
const DRIFT_KEEP = Math.exp(-DRIFT_MILLIS / 3000);
const DRIFT_SIGMA = 0.03;

const emptyCpu = (): CpuRow => ({
  taskNanos: 0,
  busyNanos: 0,
  interruptNanos: 0,
  countedNanos: 0,
  multiplexedNanos: 0,
  cycles: 0,
  instructions: 0,
  gigahertz: 0,
  switches: 0,
});

export class Simulator {
  public readonly packageMeters: readonly Rapl[];
  public readonly memoryMeters: readonly Rapl[];
  public readonly physics: Physics;
  private millis = 0;
  private windowIndex = 0;
  private readonly cpus: CpuState[];
  private readonly slices: (Slice | undefined)[];
  private cpuRows: CpuRow[];
  private touched = new Set<Thread>();
  private pairs = new Map<Thread, Map<Thread, CorePair>>();
  private readonly seen = new WeakSet<Thread>();
  private readonly active: Float64Array;
  private readonly phi: readonly ((gigahertz: number) => number)[];

  public constructor(
    public readonly machine: Machine,
    options: SimulatorOptions,
    private readonly random: Random,
  ) {
    const { topology, meters } = machine;
    this.physics = new Physics(machine);
    this.active = new Float64Array(topology.packageIds.length);
    this.cpus = topology.cpus.map(() => ({
      thread: undefined,
      interruptRatio: 0,
      fixedGigahertz: undefined,
    }));
    this.slices = topology.cpus.map(() => undefined);
    this.cpuRows = topology.cpus.map(emptyCpu);
    this.phi = topology.cpuDomains.map(({ coreType }) => options.phi(coreType));
    const meter = (id: number, isMemory: boolean): Rapl =>
      new Rapl(
        {
          unitBits: isMemory ? 16 : 14,
          gain: isMemory ? meters.memoryGain : meters.packageGain,
          offsetWatts: isMemory ? meters.memoryOffsetWatts : 0,
          startRatio: (meters.startRatio + id * 0.37) % 1,
        },
        random.fork(100 + id + (isMemory ? 50 : 0)),
      );
    this.packageMeters = topology.packageIds.map((id) => meter(id, false));
    this.memoryMeters = topology.packageIds.map((id) => meter(id, true));
  }

  public get nowMillis(): number {
    return this.millis;
  }

  /** Runs a load for a while; all its threads are gone at the end. */
  public *run(load: Load, seconds: number, windowMillis: number): Generator<SimulatedWindow> {
    const books = new TruthBooks(load.jobs.length + 1, load.jobs.length);
    const interruptRatio = new Map(load.interrupts.map(({ cpu, ratio }) => [cpu, ratio]));
    this.cpus.forEach((cpu, at) => {
      cpu.interruptRatio = interruptRatio.get(at) ?? 0;
      cpu.fixedGigahertz = load.placements.find((place) => place.cpu === at)?.fixedGigahertz;
    });
    for (const meter of this.packageMeters) meter.updateMillis = load.raplUpdateMillis;
    const begin = this.millis;
    const end = begin + Math.round(seconds * 1000);
    let windowBegin = begin;
    while (this.millis < end) {
      this.assign(load, this.millis - begin);
      this.physics.tick(this.cpus, books);
      this.account(load);
      this.millis += 1;
      if ((this.millis - begin) % DRIFT_MILLIS === 0) this.drift(load);
      if (this.millis - windowBegin < windowMillis && this.millis < end) continue;
      if (this.millis === end) this.finish();
      yield this.cut(load, books, windowBegin);
      windowBegin = this.millis;
    }
  }

  private assign({ placements }: Load, atMillis: number): void {
    for (const { cpu, lane } of placements) {
      const state = this.cpus[cpu];
      if (state === undefined) continue;
      const next = lane(atMillis);
      const former = state.thread;
      if (next === former) continue;
      this.close(cpu, next === undefined ? 'sleep' : 'switch');
      // An exit is told even where the last slice was told already.
      if (former?.isDead === true) this.touch(former, cpu);
      state.thread = next;
      const row = this.cpuRows[cpu];
      if (row !== undefined) row.switches += 1;
    }
  }

  /** Adds the tick to the slices that run. */
  private account({ multiplexing }: Load): void {
    const { topology } = this.machine;
    const { active } = this;
    active.fill(0);
    for (const { thread, packageId } of this.physics.occupants)
      if (thread !== undefined) active[packageId] = (active[packageId] ?? 0) + 1;
    const isCounting =
      multiplexing <= 1 || Math.floor(this.millis / MULTIPLEX_TURN_MILLIS) % multiplexing === 0;
    for (const occupant of this.physics.occupants) {
      const { cpu, code, nanos, instructions, lines } = occupant;
      const row = this.cpuRows[cpu];
      const thread = this.cpus[cpu]?.thread;
      const gigahertz = this.physics.gigahertz[cpu] ?? 0;
      if (row === undefined) continue;
      row.gigahertz = gigahertz;
      if (occupant.thread === undefined) row.interruptNanos += nanos;
      if (thread === undefined) continue;
      // What an interrupt does while a task is current is in that task's counters, not in its time.
      const slice = (this.slices[cpu] ??= new Slice(thread));
      const place = topology.cpus[cpu];
      const isShared =
        place?.smtSibling !== undefined && this.cpus[place.smtSibling]?.thread !== undefined;
      const cycles = gigahertz * nanos;
      slice.nanos += nanos;
      if (occupant.thread !== undefined) {
        slice.runtimeNanos += nanos;
        row.taskNanos += nanos;
      }
      row.busyNanos += nanos;
      if (isShared) slice.overlapNanos += nanos;
      slice.packageOnNanos += nanos / (active[place?.packageId ?? 0] ?? 1);
      slice.cycles += cycles;
      slice.accesses += instructions * code.accessesPerInstr;
      if (!isCounting) continue;
      slice.countedNanos += nanos;
      row.cycles += cycles;
      row.instructions += instructions;
      slice.rawCycles += cycles;
      if (isShared) slice.rawOverlapCycles += cycles;
      slice.rawInstructions += instructions;
      slice.rawMisses += lines * code.visibleMissRatio;
      slice.rawVectorOps += instructions * code.vectorPerInstr;
      slice.rawVector512Ops += instructions * code.vectorPerInstr * code.vector512Ratio;
    }
    this.pairUp();
    for (const id of topology.packageIds) {
      this.packageMeters[id]?.follow(this.physics.packageNanojoules[id] ?? 0);
      this.memoryMeters[id]?.follow(this.physics.memoryNanojoules[id] ?? 0);
    }
  }

  private pairUp(): void {
    for (const { cpu } of this.physics.occupants) {
      const smtSibling = this.machine.topology.cpus[cpu]?.smtSibling;
      if (smtSibling === undefined || smtSibling < cpu) continue;
      const a = this.cpus[cpu]?.thread;
      const b = this.cpus[smtSibling]?.thread;
      if (a === undefined || b === undefined) continue;
      const partners = this.pairs.get(a) ?? new Map<Thread, CorePair>();
      this.pairs.set(a, partners);
      const pair = partners.get(b) ?? { a, b, nanos: 0 };
      partners.set(b, pair);
      pair.nanos += TICK_NANOS;
    }
  }

  private close(cpu: number, endedBy: 'switch' | 'sleep' | 'flush'): void {
    const slice = this.slices[cpu];
    const domain = this.machine.topology.cpus[cpu]?.cpuDomain ?? 0;
    const row = this.cpuRows[cpu];
    const phi = this.phi[domain];
    this.slices[cpu] = undefined;
    if (slice === undefined || row === undefined || phi === undefined) return;
    slice.close(domain, phi, this.machine.baseGigahertz, endedBy);
    row.countedNanos += slice.runtimeNanos * slice.countedRatio;
    row.multiplexedNanos += slice.runtimeNanos * (1 - slice.countedRatio);
    this.touched.add(slice.thread);
  }

  private touch(thread: Thread, cpu: number): void {
    thread.rowOn(this.machine.topology.cpus[cpu]?.cpuDomain ?? 0);
    this.touched.add(thread);
  }

  private drift({ jobs }: Load): void {
    const shake = DRIFT_SIGMA * Math.sqrt(1 - DRIFT_KEEP * DRIFT_KEEP);
    for (const job of jobs) {
      const off = job.dataFactor / job.meanDataFactor - 1;
      job.dataFactor = job.meanDataFactor * (1 + off * DRIFT_KEEP + shake * this.random.normal());
    }
  }

  /** The load ends: its threads exit. */
  private finish(): void {
    this.cpus.forEach((state, cpu) => {
      this.close(cpu, 'switch');
      if (state.thread !== undefined) {
        state.thread.isDead = true;
        state.thread.endedWithLoad = true;
        this.touch(state.thread, cpu);
      }
      state.thread = undefined;
    });
  }

  private cut(load: Load, books: TruthBooks, windowBegin: number): SimulatedWindow {
    this.cpus.forEach((_, cpu) => this.close(cpu, 'flush'));
    const rows: ThreadRow[] = [];
    for (const thread of this.touched) {
      const isFirst = !this.seen.has(thread);
      this.seen.add(thread);
      for (const [cpuDomain, row] of thread.rows)
        if (row.hasRun || thread.isDead) rows.push({ thread, cpuDomain, row, isFirst });
      thread.rows.clear();
    }
    this.touched = new Set();
    const pairs = [...this.pairs.values()].flatMap((partners) => [...partners.values()]);
    this.pairs = new Map();
    const cpus = this.cpuRows;
    this.cpuRows = cpus.map(emptyCpu);
    this.windowIndex += 1;
    return {
      index: this.windowIndex,
      startNanos: BigInt(windowBegin) * BigInt(TICK_NANOS),
      endNanos: BigInt(this.millis) * BigInt(TICK_NANOS),
      load,
      rows,
      cpus,
      packageMicrojoules: this.packageMeters.map((meter) => meter.readMicrojoules()),
      memoryMicrojoules: this.memoryMeters.map((meter) => meter.readMicrojoules()),
      truth: books.take(),
      pairs,
    };
  }
}
