// SPDX-License-Identifier: Apache-2.0
/** Builders of the model's values with sensible defaults: a test names only what it is about. */
import { NO_STATS } from '../../receiver/attribution/window-report.js';
import type {
  ActivityWindow,
  CpuSample,
  OverflowSample,
  TaskSample,
} from '../../receiver/model/activity.js';
import type { EnergyDomain } from '../../receiver/model/energy-domain.js';
import type { HostCpu, HostTopology } from '../../receiver/model/host-topology.js';
import { microjoules, nanos, NANOS_PER_SECOND, windowNanos } from '../../receiver/model/units.js';
import type { DomainReading } from '../../receiver/model/window.js';

type Plain<T> = {
  [K in keyof T]?: T[K] extends bigint ? bigint : T[K] extends number ? number : T[K];
};

/** Boot was at this wall-clock time in every built window: 2026-01-01T00:00:00Z. */
export const BOOT_UNIX_MILLIS = 1_767_225_600_000;

export const taskSample = (fields: Plain<TaskSample> = {}): TaskSample => {
  const tgid = fields.tgid ?? 100;
  const start = fields.processStartBoottimeNanos ?? BigInt(tgid) * 1_000n;
  const runtime = fields.runtimeNanos ?? 0;
  const uncounted = fields.uncountedNanos ?? runtime;
  return {
    slot: fields.slot ?? tgid,
    sequence: fields.sequence ?? 1,
    tid: fields.tid ?? tgid,
    tgid,
    parentTgid: fields.parentTgid ?? 1,
    uid: fields.uid ?? 0,
    tag: fields.tag ?? 0,
    cpuDomain: fields.cpuDomain ?? 0,
    startBoottimeNanos: nanos(fields.startBoottimeNanos ?? start),
    processStartBoottimeNanos: nanos(start),
    cgroupId: fields.cgroupId ?? 1n,
    comm: fields.comm ?? fields.processComm ?? `p${String(tgid)}`,
    processComm: fields.processComm ?? `p${String(tgid)}`,
    runtimeNanos: windowNanos(runtime),
    sliceNanos: windowNanos(fields.sliceNanos ?? runtime),
    overlapNanos: windowNanos(fields.overlapNanos ?? 0),
    uncountedNanos: windowNanos(uncounted),
    uncountedOverlapNanos: windowNanos(
      fields.uncountedOverlapNanos ?? (uncounted > 0 ? (fields.overlapNanos ?? 0) : 0),
    ),
    cycles: fields.cycles ?? 0,
    instructions: fields.instructions ?? 0,
    llcMisses: fields.llcMisses ?? 0,
    vectorOps: fields.vectorOps ?? 0,
    phiCycles: fields.phiCycles ?? 0,
    phiInstructions: fields.phiInstructions ?? 0,
    phiVector: fields.phiVector ?? 0,
    uncountedPhiCycles: fields.uncountedPhiCycles ?? uncounted,
    packageOnNanos: windowNanos(fields.packageOnNanos ?? fields.sliceNanos ?? runtime),
    queueWaitNanos: windowNanos(fields.queueWaitNanos ?? 0),
    predictedCoreNanojoules: fields.predictedCoreNanojoules ?? 0,
    predictedNanojoules: fields.predictedNanojoules ?? 0,
    voluntarySwitches: fields.voluntarySwitches ?? 0,
    involuntarySwitches: fields.involuntarySwitches ?? 0,
    migrations: fields.migrations ?? 0,
    isKernelThread: fields.isKernelThread ?? false,
    isPreexisting: fields.isPreexisting ?? false,
    isFirst: fields.isFirst ?? false,
    isDead: fields.isDead ?? false,
    isGroupDead: fields.isGroupDead ?? false,
  };
};

export const overflowSample = (fields: Plain<OverflowSample> = {}): OverflowSample => ({
  cgroupId: fields.cgroupId ?? 1n,
  cpuDomain: fields.cpuDomain ?? 0,
  runtimeNanos: windowNanos(fields.runtimeNanos ?? 0),
});

export const cpuSample = (
  fields: Plain<Omit<CpuSample, 'irqNanos' | 'stealNanos' | 'frequencyKhz'>> & {
    irqNanos?: number | undefined;
    stealNanos?: number | undefined;
    frequencyKhz?: number | undefined;
  } = {},
): CpuSample => ({
  cpu: fields.cpu ?? 0,
  cpuDomain: fields.cpuDomain ?? 0,
  isOnline: fields.isOnline ?? true,
  taskNanos: windowNanos(fields.taskNanos ?? 0),
  busyNanos: windowNanos(fields.busyNanos ?? fields.taskNanos ?? 0),
  unslottedNanos: windowNanos(fields.unslottedNanos ?? 0),
  overflowNanos: windowNanos(fields.overflowNanos ?? 0),
  irqNanos: fields.irqNanos === undefined ? undefined : windowNanos(fields.irqNanos),
  stealNanos: fields.stealNanos === undefined ? undefined : windowNanos(fields.stealNanos),
  countedNanos: windowNanos(fields.countedNanos ?? 0),
  cycles: fields.cycles ?? 0,
  instructions: fields.instructions ?? 0,
  predictedCoreNanojoules: fields.predictedCoreNanojoules ?? 0,
  counterFailures: fields.counterFailures ?? 0,
  multiplexedNanos: windowNanos(fields.multiplexedNanos ?? 0),
  frequencyKhz: fields.frequencyKhz,
  isCounting: fields.isCounting ?? false,
  stats: fields.stats ?? NO_STATS,
});

/** The n-th window of one second; CPUs default to one idle CPU per CPU domain that is used. */
export const activityWindow = (fields: Plain<ActivityWindow> = {}): ActivityWindow => {
  const index = fields.index ?? 1n;
  const start = fields.startNanos ?? index * BigInt(NANOS_PER_SECOND);
  const end = fields.endNanos ?? start + BigInt(NANOS_PER_SECOND);
  const tasks = fields.tasks ?? [];
  const used = new Set([0, ...tasks.map(({ cpuDomain }) => cpuDomain)]);
  return {
    index,
    startNanos: nanos(start),
    endNanos: nanos(end),
    dueNanos: nanos(fields.dueNanos ?? end),
    flushNanos: windowNanos(fields.flushNanos ?? 0),
    energyReadNanos: windowNanos(fields.energyReadNanos ?? 0),
    scanNanos: windowNanos(fields.scanNanos ?? 0),
    threadCpuNanos: windowNanos(fields.threadCpuNanos ?? 0),
    boottimeOffsetNanos: nanos(fields.boottimeOffsetNanos ?? 0n),
    realtimeNanos: nanos(fields.realtimeNanos ?? BigInt(BOOT_UNIX_MILLIS) * 1_000_000n + end),
    slotsUsed: fields.slotsUsed ?? tasks.length,
    slotsLimit: fields.slotsLimit ?? 65_536,
    flushedCpus: fields.flushedCpus ?? 0,
    isFinal: fields.isFinal ?? false,
    isReseeded: fields.isReseeded ?? false,
    isForced: fields.isForced ?? false,
    cpus: fields.cpus ?? [...used].map((cpuDomain) => cpuSample({ cpu: cpuDomain, cpuDomain })),
    readings: fields.readings ?? [],
    overflow: fields.overflow ?? [],
    tasks,
  };
};

/** `packageCount` packages with `cpusPerPackage` CPUs each; CPU domain = package. */
export const topologyOf = (packageCount = 1, cpusPerPackage = 1): HostTopology => {
  const packageIds = Array.from({ length: packageCount }, (_, packageId) => packageId);
  const cpuOf = (packageId: number, at: number): HostCpu => ({
    cpu: packageId * cpusPerPackage + at,
    packageId,
    dieId: 0,
    coreId: at,
    nodeId: packageId,
    coreType: 'cpu',
    smtSibling: undefined,
    isOnline: true,
    cpuDomain: packageId,
  });
  return {
    packageIds,
    cpuDomains: packageIds.map((packageId) => ({
      index: packageId,
      packageId,
      coreType: 'cpu',
      nodeId: packageId,
    })),
    cpus: packageIds.flatMap((packageId) =>
      Array.from({ length: cpusPerPackage }, (_, at) => cpuOf(packageId, at)),
    ),
  };
};

export const packageDomain = (packageId = 0, fields: Partial<EnergyDomain> = {}): EnergyDomain => ({
  id: `intel-rapl:${String(packageId)}`,
  kind: 'package',
  name: `package-${String(packageId)}`,
  packageId,
  parentId: undefined,
  source: 'powercap',
  origin: 'measured',
  isAttributed: true,
  ...fields,
});

export const dramDomain = (packageId = 0, fields: Partial<EnergyDomain> = {}): EnergyDomain =>
  packageDomain(packageId, {
    id: `intel-rapl:${String(packageId)}:0`,
    kind: 'dram',
    name: 'dram',
    ...fields,
  });

export const platformDomain = (fields: Partial<EnergyDomain> = {}): EnergyDomain => ({
  ...packageDomain(0),
  id: 'intel-rapl:psys',
  kind: 'platform',
  name: 'psys',
  packageId: undefined,
  isAttributed: false,
  ...fields,
});

export const advancedReading = (
  domain: EnergyDomain,
  deltaMicrojoules: number | bigint,
  spanNanos = NANOS_PER_SECOND,
  missedNanos = 0,
): DomainReading => ({
  domain,
  step: {
    _tag: 'Advanced',
    deltaMicrojoules: microjoules(BigInt(deltaMicrojoules)),
    spanNanos: nanos(BigInt(spanNanos)),
    ...(missedNanos > 0 ? { missedNanos: nanos(BigInt(missedNanos)) } : {}),
    wrapped: false,
  },
});
