// SPDX-License-Identifier: Apache-2.0
/**
 * The hidden physics of one millisecond: who executes how much, what that costs, and whose it is.
 *
 * Nothing here has the form of the model it is to judge: voltage bends with the clock, leakage follows
 * temperature, data has its own energy, memory saturates, an SMT sibling slows by pressure, a waiting
 * core gates a part of its clock.
 */
import { CLASSES, IPC_GIGAHERTZ, type CodeClass } from './classes.js';
import type { Thread } from './load.js';
import type { CoreElectrics, Machine } from './machine.js';
import type { TruthBooks } from './truth.js';

export const TICK_NANOS = 1_000_000;
const CACHE_LINE_BYTES = 64;
const AMBIENT_CELSIUS = 35;
const LEAK_CELSIUS = 60;
const LEAK_VOLTS = 0.9;
/** Row misses grow with the load of the memory: other streams close the row first. */
const ROW_CONFLICT = 0.5;

/** Who sits on one CPU in this tick, and what it did. Kept and filled again: a tick allocates nothing. */
export class Occupant {
  public cpu = 0;
  public packageId = 0;
  public code: CodeClass = CLASSES.tiny;
  public thread: Thread | undefined;
  /** Row of the truth's books. */
  public owner = 0;
  public homeNode = 0;
  public dataFactor = 1;
  public nanos = 0;
  public instructions = 0;
  public lines = 0;
  public stallRatio = 0;
  public ownNanojoules = 0;
}

export interface CpuState {
  thread: Thread | undefined;
  interruptRatio: number;
  fixedGigahertz: number | undefined;
}

interface Core {
  readonly packageId: number;
  readonly cpus: readonly number[];
  readonly electrics: CoreElectrics;
  readonly present: Occupant[];
}

const turboAt = ({ turbo }: CoreElectrics, awakeCores: number): number => {
  for (const [most, gigahertz] of turbo) if (awakeCores <= most) return gigahertz;
  return turbo.at(-1)?.[1] ?? 0;
};

export const voltsAt = (core: CoreElectrics, gigahertz: number): number => {
  const above = Math.max(0, gigahertz - core.flatUntilGigahertz);
  return core.vMin + core.slopeVolts * above + core.bendVolts * above * above;
};

export class Physics {
  /** Of this tick. */
  public readonly occupants: Occupant[] = [];
  private readonly pool: Occupant[] = [];
  /** GHz of each CPU in this tick. */
  public readonly gigahertz: Float64Array;
  /** nJ since the start, idle floor included. */
  public readonly packageNanojoules: Float64Array;
  public readonly memoryNanojoules: Float64Array;
  private readonly cores: readonly Core[];
  private readonly celsius: Float64Array;
  private readonly idleCelsius: Float64Array;
  private readonly queueFactor: Float64Array;
  private readonly floorWatts: readonly number[];
  private readonly byCpu: Occupant[][];
  private readonly awakeCores: Core[] = [];
  private readonly awakeCount: Float64Array;
  private readonly heat: Float64Array;
  private readonly bytes: Float64Array;
  private readonly busiest: Float64Array;

  public constructor(private readonly machine: Machine) {
    const { topology, coreTypes, pkg } = machine;
    this.gigahertz = new Float64Array(topology.cpus.length);
    this.byCpu = topology.cpus.map(() => []);
    this.cores = topology.cpus
      .filter(({ cpu, smtSibling }) => smtSibling === undefined || cpu < smtSibling)
      .map(({ cpu, smtSibling, packageId, coreType }) => {
        const electrics = coreTypes[coreType];
        if (electrics === undefined) throw new Error(`no electrics for core type ${coreType}`);
        return {
          packageId,
          cpus: smtSibling === undefined ? [cpu] : [cpu, smtSibling],
          electrics,
          present: [],
        };
      });
    const count = topology.packageIds.length;
    this.packageNanojoules = new Float64Array(count);
    this.memoryNanojoules = new Float64Array(count);
    this.queueFactor = new Float64Array(count).fill(1);
    this.awakeCount = new Float64Array(count);
    this.heat = new Float64Array(count);
    this.bytes = new Float64Array(count);
    this.busiest = new Float64Array(count);
    this.floorWatts = topology.packageIds.map((id) =>
      this.cores
        .filter(({ packageId }) => packageId === id)
        .reduce((sum, { electrics }) => sum + electrics.idleWatts, pkg.floorWatts),
    );
    this.idleCelsius = Float64Array.from(
      this.floorWatts,
      (floor) => AMBIENT_CELSIUS + floor * pkg.kelvinPerWatt,
    );
    this.celsius = this.idleCelsius.slice();
  }

  /** True idle power of one package, at rest. */
  public idleWatts(packageId: number): number {
    return this.floorWatts[packageId] ?? 0;
  }

  public tick(cpus: readonly CpuState[], books: TruthBooks): void {
    this.seat(cpus, books.interruptOwner);
    this.clock(cpus);
    this.execute();
    this.spendMemory(books);
    this.spendCores(books);
  }

  private seat(cpus: readonly CpuState[], interruptOwner: number): void {
    this.occupants.length = 0;
    for (let cpu = 0; cpu < cpus.length; cpu++) {
      const state = cpus[cpu];
      const seats = this.byCpu[cpu];
      if (state === undefined || seats === undefined) continue;
      seats.length = 0;
      const { thread, interruptRatio } = state;
      if (thread !== undefined) {
        const occupant = this.sit(cpu, seats, TICK_NANOS * (1 - interruptRatio));
        occupant.thread = thread;
        occupant.code = thread.code;
        occupant.owner = thread.job.index;
        occupant.homeNode = thread.job.homeNode ?? occupant.homeNode;
        occupant.dataFactor = thread.job.dataFactor;
      }
      if (interruptRatio > 0) {
        const occupant = this.sit(cpu, seats, TICK_NANOS * interruptRatio);
        occupant.thread = undefined;
        occupant.code = CLASSES.interrupt;
        occupant.owner = interruptOwner;
        occupant.dataFactor = 1;
      }
    }
  }

  private sit(cpu: number, seats: Occupant[], nanos: number): Occupant {
    const at = this.occupants.length;
    const occupant = (this.pool[at] ??= new Occupant());
    const place = this.machine.topology.cpus[cpu];
    occupant.cpu = cpu;
    occupant.packageId = place?.packageId ?? 0;
    occupant.homeNode = place?.nodeId ?? 0;
    occupant.nanos = nanos;
    occupant.ownNanojoules = 0;
    this.occupants.push(occupant);
    seats.push(occupant);
    return occupant;
  }

  /** Turbo by the number of awake cores of the package; wide vectors and cpufreq hold it down. */
  private clock(cpus: readonly CpuState[]): void {
    this.awakeCores.length = 0;
    this.awakeCount.fill(0);
    for (const core of this.cores) {
      let seats = 0;
      for (const cpu of core.cpus) seats += this.byCpu[cpu]?.length ?? 0;
      if (seats === 0) continue;
      this.awakeCores.push(core);
      this.awakeCount[core.packageId] = (this.awakeCount[core.packageId] ?? 0) + 1;
    }
    for (const { packageId, cpus: threads, electrics } of this.awakeCores) {
      let gigahertz = turboAt(electrics, this.awakeCount[packageId] ?? 0);
      for (const cpu of threads) {
        gigahertz = Math.min(gigahertz, cpus[cpu]?.fixedGigahertz ?? Infinity);
        for (const { code } of this.byCpu[cpu] ?? [])
          gigahertz = Math.min(gigahertz, code.maxGigahertz);
      }
      for (const cpu of threads) this.gigahertz[cpu] = gigahertz;
    }
  }

  private execute(): void {
    const { topology, coreTypes, smtSlowdown, memory } = this.machine;
    for (const occupant of this.occupants) {
      const { cpu, code, homeNode, nanos } = occupant;
      const place = topology.cpus[cpu];
      if (place === undefined) continue;
      const electrics = coreTypes[place.coreType];
      let pressure = 0;
      if (place.smtSibling !== undefined)
        for (const other of this.byCpu[place.smtSibling] ?? [])
          pressure += (other.code.smtPressure * other.nanos) / TICK_NANOS;
      const speed = 1 - smtSlowdown * pressure * code.smtSensitivity;
      const gigahertz = this.gigahertz[cpu] ?? 0;
      const ipc = code.soloIpc * (electrics?.ipcFactor ?? 1);
      const computeNanos = (1 - code.stallRatio) / (ipc * gigahertz * speed);
      const distance = homeNode === place.nodeId ? 1 : memory.remoteLatencyFactor;
      const stallNanos =
        (code.stallRatio / (code.soloIpc * IPC_GIGAHERTZ)) *
        distance *
        (this.queueFactor[homeNode] ?? 1);
      occupant.instructions = nanos / (computeNanos + stallNanos);
      occupant.stallRatio = stallNanos / (computeNanos + stallNanos);
      occupant.lines = (occupant.instructions * code.linesPerKiloinstr) / 1000;
    }
  }

  private spendMemory(books: TruthBooks): void {
    const { memory, pkg } = this.machine;
    const { bytes } = this;
    bytes.fill(0);
    for (const { lines, code, homeNode } of this.occupants)
      bytes[homeNode] =
        (bytes[homeNode] ?? 0) + lines * (1 + code.writebackRatio) * CACHE_LINE_BYTES;
    const background = memory.backgroundWatts * TICK_NANOS;
    for (let node = 0; node < bytes.length; node++) {
      const load = (bytes[node] ?? 0) / TICK_NANOS / memory.roofGigabytes;
      const wanted = load * (this.queueFactor[node] ?? 1);
      const target = (1 + wanted ** 4) ** 0.25;
      const queue = this.queueFactor[node] ?? 1;
      this.queueFactor[node] = queue + 0.3 * (target - queue);
      this.memoryNanojoules[node] = (this.memoryNanojoules[node] ?? 0) + background;
      bytes[node] = load;
    }
    for (const occupant of this.occupants) {
      const { lines, code, homeNode, packageId, owner } = occupant;
      if (lines === 0) continue;
      const written = lines * code.writebackRatio;
      const rows =
        (lines + written) * code.rowMissRatio * (1 + ROW_CONFLICT * (bytes[homeNode] ?? 0));
      const dram =
        lines * memory.readNanojoules +
        written * memory.writeNanojoules +
        rows * memory.rowNanojoules;
      this.memoryNanojoules[homeNode] = (this.memoryNanojoules[homeNode] ?? 0) + dram;
      books.addMemory(owner, dram);
      const mesh = (lines + written) * pkg.lineNanojoules;
      this.addPackage(homeNode, mesh * pkg.lineHomeRatio);
      this.addPackage(packageId, mesh * (1 - pkg.lineHomeRatio));
      occupant.ownNanojoules += mesh;
      books.addOwn(owner, mesh);
    }
  }

  private spendCores(books: TruthBooks): void {
    const { pkg, topology } = this.machine;
    this.heat.fill(0);
    this.busiest.fill(0);
    for (const core of this.awakeCores) {
      const spent = this.spendCore(core, books);
      this.heat[core.packageId] = (this.heat[core.packageId] ?? 0) + spent;
      this.addPackage(core.packageId, spent);
    }
    for (const packageId of topology.packageIds) {
      const floor = (this.floorWatts[packageId] ?? 0) * TICK_NANOS;
      const kelvin = (this.celsius[packageId] ?? 0) - (this.idleCelsius[packageId] ?? 0);
      const warm = pkg.floorWatts * pkg.floorPerKelvin * kelvin * TICK_NANOS;
      const busiest = this.busiest[packageId] ?? 0;
      const awake = pkg.onWatts * busiest + warm;
      if (busiest > 0) books.addShared(this.occupants, awake, packageId);
      else books.addIdle(awake);
      books.addIdle(floor);
      this.addPackage(packageId, floor + awake);
      const watts = ((this.heat[packageId] ?? 0) + floor + awake) / TICK_NANOS;
      const target = AMBIENT_CELSIUS + watts * pkg.kelvinPerWatt;
      const step = TICK_NANOS / 1e9 / pkg.heatSeconds;
      this.celsius[packageId] = (this.celsius[packageId] ?? 0) * (1 - step) + target * step;
    }
  }

  /** nJ of one core in this tick beyond its idle power, booked to its occupants. */
  private spendCore(core: Core, books: TruthBooks): number {
    const { electrics, cpus, packageId, present } = core;
    present.length = 0;
    const gigahertz = this.gigahertz[cpus[0] ?? 0] ?? 0;
    const volts = voltsAt(electrics, gigahertz);
    const square = volts * volts;
    let own = 0;
    let stalled = 0;
    let nanos = 0;
    let busy = 0;
    let least = Infinity;
    for (const cpu of cpus) {
      let time = 0;
      for (const occupant of this.byCpu[cpu] ?? []) {
        present.push(occupant);
        const spent =
          square *
          electrics.instrNanofarad *
          occupant.code.energyFactor *
          occupant.dataFactor *
          occupant.instructions;
        occupant.ownNanojoules += spent;
        books.addOwn(occupant.owner, spent);
        own += spent;
        stalled += occupant.stallRatio * occupant.nanos;
        time += occupant.nanos;
      }
      nanos += time;
      busy = Math.max(busy, time);
      least = Math.min(least, time);
    }
    this.busiest[packageId] = Math.max(this.busiest[packageId] ?? 0, busy);
    const both = cpus.length > 1 ? least : 0;
    const clock =
      electrics.clockNanofarad * (1 - (electrics.stallGating * stalled) / nanos) * busy +
      electrics.secondThreadNanofarad * both;
    const celsius = this.celsius[core.packageId] ?? AMBIENT_CELSIUS;
    const leak =
      electrics.leakWatts *
        (volts / LEAK_VOLTS) ** 2 *
        Math.exp((celsius - LEAK_CELSIUS) / this.machine.pkg.leakKelvin) -
      electrics.idleWatts;
    const shared = square * clock * gigahertz + Math.max(0, leak) * busy;
    books.addShared(present, shared);
    return own + shared;
  }

  private addPackage(packageId: number, nanojoules: number): void {
    this.packageNanojoules[packageId] = (this.packageNanojoules[packageId] ?? 0) + nanojoules;
  }
}
