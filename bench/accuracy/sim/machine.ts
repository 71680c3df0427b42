// SPDX-License-Identifier: Apache-2.0
/** Random machines: what hardware it is, and what nobody outside can know of it. */
import type { HostCpu, HostTopology } from '../../../receiver/model/host-topology.js';
import type { Random } from './random.js';

/** Electrical constants of one core type. */
export interface CoreElectrics {
  /** V(f) = vMin + slope x + bend x^2, x = GHz above `flatUntilGigahertz`: not a straight line. */
  readonly vMin: number;
  readonly flatUntilGigahertz: number;
  readonly slopeVolts: number;
  readonly bendVolts: number;
  /** nF: clock and shared front end per cycle, and what a second thread adds. */
  readonly clockNanofarad: number;
  readonly secondThreadNanofarad: number;
  /** nJ/V^2 of one plain instruction. */
  readonly instrNanofarad: number;
  /** Part of the clock that is gated while the core waits for memory. */
  readonly stallGating: number;
  /** W at 0.9 V and 60 C. */
  readonly leakWatts: number;
  readonly idleWatts: number;
  /** Solo IPC beside the classes' own. */
  readonly ipcFactor: number;
  /** Highest clock by number of active cores: [cores, GHz], rising in cores. */
  readonly turbo: readonly (readonly [number, number])[];
}

export interface PackageElectrics {
  readonly floorWatts: number;
  /** Uncore and mesh awake while any CPU of the package is busy. */
  readonly onWatts: number;
  readonly lineNanojoules: number;
  /** Part of a line's package energy that is spent where the memory is. */
  readonly lineHomeRatio: number;
  /** Leakage grows by e per so many kelvin; the floor by this part per kelvin. */
  readonly leakKelvin: number;
  readonly floorPerKelvin: number;
  readonly kelvinPerWatt: number;
  readonly heatSeconds: number;
}

export interface MemoryElectrics {
  readonly backgroundWatts: number;
  readonly readNanojoules: number;
  readonly writeNanojoules: number;
  readonly rowNanojoules: number;
  readonly roofGigabytes: number;
  readonly remoteLatencyFactor: number;
}

export interface Meters {
  readonly packageGain: number;
  readonly memoryGain: number;
  /** Constant offset of the DRAM meter. */
  readonly memoryOffsetWatts: number;
  /** Where the 32-bit counters stand at the start, as a part of their range. */
  readonly startRatio: number;
}

export interface Machine {
  readonly topology: HostTopology;
  readonly coreTypes: Readonly<Record<string, CoreElectrics>>;
  readonly pkg: PackageElectrics;
  readonly memory: MemoryElectrics;
  readonly meters: Meters;
  readonly smtSlowdown: number;
  readonly baseGigahertz: number;
}

export interface MachineShape {
  readonly packages: number;
  readonly cores: number;
  /** E-cores after the P-cores of each package, without SMT. */
  readonly efficientCores: number;
}

export const SERVER: MachineShape = { packages: 2, cores: 8, efficientCores: 0 };
export const HYBRID: MachineShape = { packages: 1, cores: 6, efficientCores: 8 };

/** Linux's usual order: first threads of all packages, then the second threads. */
export const topologyOfShape = ({
  packages,
  cores,
  efficientCores,
}: MachineShape): HostTopology => {
  const big = packages * cores;
  const isHybrid = efficientCores > 0;
  const cpus: HostCpu[] = [];
  const domainOf = (packageId: number, isBig: boolean): number =>
    isHybrid ? packageId * 2 + (isBig ? 0 : 1) : packageId;
  const add = (cpu: number, packageId: number, coreId: number, sibling: number | undefined) => {
    const isBig = sibling !== undefined;
    cpus.push({
      cpu,
      packageId,
      dieId: 0,
      coreId,
      nodeId: packageId,
      coreType: isHybrid ? (isBig ? 'core' : 'atom') : 'cpu',
      smtSibling: sibling,
      isOnline: true,
      cpuDomain: domainOf(packageId, isBig),
    });
  };
  for (let thread = 0; thread < 2; thread++) {
    for (let core = 0; core < big; core++) {
      const cpu = thread * big + core;
      add(cpu, Math.floor(core / cores), core % cores, (1 - thread) * big + core);
    }
  }
  for (let e = 0; e < packages * efficientCores; e++)
    add(2 * big + e, Math.floor(e / efficientCores), cores + (e % efficientCores), undefined);
  const packageIds = Array.from({ length: packages }, (_, id) => id);
  const types = isHybrid ? ['core', 'atom'] : ['cpu'];
  const cpuDomains = packageIds.flatMap((packageId) =>
    types.map((coreType, at) => ({
      index: packageId * types.length + at,
      packageId,
      coreType,
      nodeId: packageId,
    })),
  );
  return { cpus, cpuDomains, packageIds };
};

const bigCore = (random: Random, spread: number): CoreElectrics => ({
  vMin: 0.7 * random.lognormal(spread * 0.15),
  flatUntilGigahertz: 1.2,
  slopeVolts: 0.08 * random.lognormal(spread),
  bendVolts: 0.022 * random.lognormal(spread),
  clockNanofarad: 0.65 * random.lognormal(spread),
  secondThreadNanofarad: 0.05 * random.lognormal(spread),
  instrNanofarad: 0.45 * random.lognormal(spread),
  stallGating: 0.15,
  leakWatts: 0.6 * random.lognormal(spread),
  idleWatts: 0.08,
  ipcFactor: 1,
  turbo: [
    [2, 3.5],
    [8, 3.2],
    [Infinity, 2.9],
  ],
});

/** Smaller, slower, frugal: about a third of the energy of a cycle. */
const smallCore = (random: Random, spread: number): CoreElectrics => ({
  ...bigCore(random, spread),
  clockNanofarad: 0.22 * random.lognormal(spread),
  instrNanofarad: 0.2 * random.lognormal(spread),
  leakWatts: 0.25 * random.lognormal(spread),
  idleWatts: 0.04,
  ipcFactor: 0.7,
  turbo: [
    [4, 3.1],
    [Infinity, 2.8],
  ],
});

/** `spread` 0.25: every electrical constant is off its usual value by about +-25 %. */
export const randomMachine = (random: Random, shape: MachineShape, spread: number): Machine => ({
  topology: topologyOfShape(shape),
  coreTypes:
    shape.efficientCores > 0
      ? { core: bigCore(random, spread), atom: smallCore(random, spread) }
      : { cpu: bigCore(random, spread) },
  pkg: {
    floorWatts: (shape.packages > 1 ? 13 : 7) * random.lognormal(spread),
    onWatts: (shape.packages > 1 ? 9 : 4) * random.lognormal(spread),
    lineNanojoules: 4 * random.lognormal(spread),
    lineHomeRatio: 0.4,
    leakKelvin: 45,
    floorPerKelvin: 0.003,
    kelvinPerWatt: 0.35,
    heatSeconds: 20,
  },
  memory: {
    backgroundWatts: 8 * random.lognormal(spread),
    readNanojoules: 10 * random.lognormal(spread),
    writeNanojoules: 12 * random.lognormal(spread),
    rowNanojoules: 8 * random.lognormal(spread),
    roofGigabytes: 80 * random.lognormal(spread * 0.5),
    remoteLatencyFactor: 1.6,
  },
  meters: {
    packageGain: 1 + 0.01 * random.normal(),
    memoryGain: 1 + 0.03 * random.normal(),
    memoryOffsetWatts: 0.2 * random.normal(),
    startRatio: random.uniform(),
  },
  smtSlowdown: 0.4 * random.lognormal(spread * 0.4),
  baseGigahertz: 2.4,
});
