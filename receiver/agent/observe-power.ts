// SPDX-License-Identifier: Apache-2.0
/** One window as the policy sees it: cgroups, packages and CPUs with their powers. Pure. */
import type {
  CgroupObservation,
  Observation,
  PackageObservation,
} from '../../policy/observation.js';
import type { CpuObservation, PlacementCost } from '../../policy/observation.js';
import { attributedKind } from '../attribution/attribute.js';
import type { ActivityWindow, CpuSample, TaskSample } from '../model/activity.js';
import type { Coefficients } from '../model/coefficients.js';
import type { HostTopology } from '../model/host-topology.js';
import { meanWatts, NANOS_PER_SECOND, MICROJOULES_PER_JOULE } from '../model/units.js';
import type { WindowReport, WindowShares } from '../model/window.js';

export interface PowerObserver {
  readonly topology: HostTopology;
  /** By CPU domain. */
  readonly coefficients: readonly Coefficients[];
  readonly cgroupPath: (id: bigint) => string;
  /** Id of the cgroup at a path below the hierarchy's root; undefined: there is none. */
  readonly cgroupIdAt: (path: string) => bigint | undefined;
  readonly limitWatts: ReadonlyMap<number, number>;
  /** Undefined: nobody looks for threads that spin. */
  readonly isSpinning?: ((task: TaskSample) => boolean) | undefined;
}

/** An average thread, for placement: what it retires per cycle, and at which clock where none is known. */
const AVERAGE_IPC = 1.5;
const NOMINAL_GIGAHERTZ = 2;
const KILOHERTZ_PER_GIGAHERTZ = 1e6;

interface Sums {
  energyMicrojoules: number;
  spinMicrojoules: number;
  dramMicrojoules: number;
  runtimeNanos: number;
  instructions: number;
  llcMisses: number;
  countedNanos: number;
  queueWaitNanos: number;
  voluntarySwitches: number;
  involuntarySwitches: number;
}

const emptySums = (): Sums => ({
  energyMicrojoules: 0,
  spinMicrojoules: 0,
  dramMicrojoules: 0,
  runtimeNanos: 0,
  instructions: 0,
  llcMisses: 0,
  countedNanos: 0,
  queueWaitNanos: 0,
  voluntarySwitches: 0,
  involuntarySwitches: 0,
});

const addTask = (sums: Sums, task: TaskSample, shares: WindowShares, row: number): void => {
  sums.energyMicrojoules += shares.tasks.package[row] ?? 0;
  sums.dramMicrojoules += shares.tasks.dram[row] ?? 0;
  sums.runtimeNanos += task.runtimeNanos;
  sums.instructions += task.instructions;
  sums.llcMisses += task.llcMisses;
  sums.countedNanos += task.runtimeNanos - task.uncountedNanos;
  sums.queueWaitNanos += task.queueWaitNanos;
  sums.voluntarySwitches += task.voluntarySwitches;
  sums.involuntarySwitches += task.involuntarySwitches;
};

const observationOf = (
  id: bigint,
  path: string,
  sums: Sums,
  { windowSeconds, isJudged }: { readonly windowSeconds: number; readonly isJudged: boolean },
): CgroupObservation => ({
  id,
  path,
  packageWatts: sums.energyMicrojoules / MICROJOULES_PER_JOULE / windowSeconds,
  dramWatts: sums.dramMicrojoules / MICROJOULES_PER_JOULE / windowSeconds,
  cpuRatio: sums.runtimeNanos / NANOS_PER_SECOND / windowSeconds,
  instructions: sums.instructions,
  llcMisses: sums.llcMisses,
  countedSeconds: sums.countedNanos / NANOS_PER_SECOND,
  queueWaitSeconds: sums.queueWaitNanos / NANOS_PER_SECOND,
  voluntarySwitches: sums.voluntarySwitches,
  involuntarySwitches: sums.involuntarySwitches,
  spinRatio:
    isJudged && sums.energyMicrojoules > 0
      ? sums.spinMicrojoules / sums.energyMicrojoules
      : undefined,
});

/** Those that ran, and all above them: a budget is often on a slice that has no task of its own. */
const observeCgroups = (
  { tasks }: ActivityWindow,
  shares: WindowShares,
  observer: PowerObserver,
  windowSeconds: number,
): readonly CgroupObservation[] => {
  const byId = new Map<bigint, Sums>();
  tasks.forEach((task, row) => {
    const sums = byId.get(task.cgroupId) ?? emptySums();
    byId.set(task.cgroupId, sums);
    addTask(sums, task, shares, row);
    if (observer.isSpinning?.(task) === true)
      sums.spinMicrojoules += shares.tasks.package[row] ?? 0;
  });
  const seenIn = { windowSeconds, isJudged: observer.isSpinning !== undefined };
  const seen = [...byId].map(([id, sums]) =>
    observationOf(id, observer.cgroupPath(id), sums, seenIn),
  );
  const paths = new Set(seen.map(({ path }) => path));
  const above = new Set(
    [...paths].flatMap((path) => ancestorsOf(path)).filter((path) => !paths.has(path)),
  );
  const added = [...above].flatMap((path) => {
    const id = observer.cgroupIdAt(path);
    return id === undefined || byId.has(id) ? [] : [observationOf(id, path, emptySums(), seenIn)];
  });
  return [...seen, ...added];
};

const ancestorsOf = (path: string): readonly string[] => {
  const names = path.split('/').filter((name) => name !== '');
  if (!path.startsWith('/') || names.length === 0) return [];
  return names.map((_, depth) => (depth === 0 ? '/' : `/${names.slice(0, depth).join('/')}`));
};

const placementCost = (
  coefficients: Coefficients | undefined,
  frequencyKhz: number | undefined,
): PlacementCost => {
  if (coefficients === undefined) return { siblingWatts: 0, coreWatts: 0, packageWatts: 0 };
  const gigahertz =
    frequencyKhz === undefined ? NOMINAL_GIGAHERTZ : frequencyKhz / KILOHERTZ_PER_GIGAHERTZ;
  // nJ per event x events per ns = W
  const siblingWatts = coefficients.instructionNanojoules * AVERAGE_IPC * gigahertz;
  const coreWatts =
    siblingWatts + coefficients.coreWatts + coefficients.cycleNanojoules * gigahertz;
  return { siblingWatts, coreWatts, packageWatts: coreWatts + coefficients.packageOnWatts };
};

const observeCpu = (
  sample: CpuSample,
  observer: PowerObserver,
  windowSeconds: number,
): CpuObservation => ({
  cpu: sample.cpu,
  packageId: observer.topology.cpuDomains[sample.cpuDomain]?.packageId ?? 0,
  busyRatio: Math.min(1, sample.busyNanos / NANOS_PER_SECOND / windowSeconds),
  frequencyKhz: sample.frequencyKhz,
  coreWatts:
    sample.predictedCoreNanojoules > 0
      ? sample.predictedCoreNanojoules / NANOS_PER_SECOND / windowSeconds
      : undefined,
  placement: placementCost(observer.coefficients[sample.cpuDomain], sample.frequencyKhz),
});

/** Sum over the domains of one kind that advanced; undefined where none did. */
const wattsOf = (
  report: WindowReport,
  packageId: number,
  isWanted: (kind: string, isAttributed: boolean) => boolean,
): number | undefined => {
  const known = report.readings.flatMap(({ domain, step }) =>
    step._tag === 'Advanced' &&
    (domain.packageId ?? 0) === packageId &&
    isWanted(domain.kind, domain.isAttributed)
      ? [meanWatts(step.deltaMicrojoules, step.spanNanos)]
      : [],
  );
  return known.length === 0 ? undefined : known.reduce<number>((sum, one) => sum + one, 0);
};

const observePackage = (
  packageId: number,
  window: ActivityWindow,
  report: WindowReport,
  observer: PowerObserver,
  windowSeconds: number,
): PackageObservation => {
  const domains = new Set(
    observer.topology.cpuDomains
      .filter((domain) => domain.packageId === packageId)
      .map(({ index }) => index),
  );
  const cpus = window.cpus.filter((cpu) => cpu.isOnline && domains.has(cpu.cpuDomain));
  const busyNanos = cpus.reduce((sum, cpu) => sum + cpu.busyNanos, 0);
  const predicted = window.tasks.reduce(
    (sum, task) => (domains.has(task.cpuDomain) ? sum + task.predictedNanojoules : sum),
    0,
  );
  const balances = report.balances.filter(
    ({ domain }) => (domain.packageId ?? 0) === packageId && attributedKind(domain) === 'package',
  );
  const floors = balances.flatMap(({ idleFloorWatts }) => idleFloorWatts ?? []);
  return {
    packageId,
    watts: wattsOf(report, packageId, (kind, is) => is && kind !== 'dram'),
    limitWatts: observer.limitWatts.get(packageId),
    idleFloorWatts:
      floors.length === 0 ? undefined : floors.reduce<number>((sum, one) => sum + one, 0),
    coreWatts: wattsOf(report, packageId, (kind) => kind === 'core'),
    dramWatts: wattsOf(report, packageId, (kind, is) => is && kind === 'dram'),
    origin: balances.every(({ domain }) => domain.origin === 'measured') ? 'measured' : 'modelled',
    busyRatio:
      cpus.length === 0
        ? 0
        : Math.min(1, busyNanos / NANOS_PER_SECOND / windowSeconds / cpus.length),
    cpuCount: cpus.length,
    predictedWatts: predicted / NANOS_PER_SECOND / windowSeconds,
  };
};

/** Undefined for a window without length. Measured only if every package's energy was. */
export const observePower = (
  window: ActivityWindow,
  report: WindowReport,
  shares: WindowShares,
  observer: PowerObserver,
): Observation | undefined => {
  const windowSeconds = Number(window.endNanos - window.startNanos) / NANOS_PER_SECOND;
  if (!(windowSeconds > 0)) return undefined;
  const packages = observer.topology.packageIds.map((packageId) =>
    observePackage(packageId, window, report, observer, windowSeconds),
  );
  const known = report.balances.filter(({ domain }) => attributedKind(domain) === 'package');
  const isMeasured = known.length > 0 && known.every(({ domain }) => domain.origin === 'measured');
  return {
    windowSeconds,
    origin: isMeasured ? 'measured' : 'modelled',
    split: known[0]?.split ?? 'time',
    cgroups: observeCgroups(window, shares, observer, windowSeconds),
    packages,
    cpus: window.cpus
      .filter(({ isOnline }) => isOnline)
      .map((cpu) => observeCpu(cpu, observer, windowSeconds)),
  };
};
