// SPDX-License-Identifier: Apache-2.0
/** A simulated window as the agent would have decoded it, and the energy plan it would have made. */
import type { EnergyPlan, PlannedDomain } from '../../../receiver/energy/plan-types.js';
import { NO_STATS } from '../../../receiver/attribution/window-report.js';
import type {
  ActivityWindow,
  CpuSample,
  RawReading,
  TaskSample,
} from '../../../receiver/model/activity.js';
import type { HostTopology } from '../../../receiver/model/host-topology.js';
import { nanos, windowNanos } from '../../../receiver/model/units.js';
import { MICROJOULE_UNIT } from '../../../receiver/energy/energy-unit.js';
import type { CpuRow, SimulatedWindow, Simulator, ThreadRow } from './simulator.js';

/** The simulated machine has been up for an hour; its wall clock began here. */
const UPTIME_NANOS = 3_600_000_000_000n;
const BOOT_UNIX_NANOS = 1_767_225_600_000_000_000n;
const READ_NANOS = 40_000n;
const KILOHERTZ_PER_GIGAHERTZ = 1e6;
const MAX_WATTS = 1000;
const SLOTS = 65_536;

const kilohertz = (gigahertz: number): number | undefined =>
  gigahertz > 0 ? Math.round(gigahertz * KILOHERTZ_PER_GIGAHERTZ) : undefined;

const taskOf = ({ thread, cpuDomain, row, isFirst }: ThreadRow, slot: number): TaskSample => ({
  slot,
  sequence: thread.tid,
  tid: thread.tid,
  tgid: thread.pid,
  parentTgid: 1,
  uid: 1000,
  tag: 0,
  cpuDomain,
  startBoottimeNanos: nanos(UPTIME_NANOS + BigInt(thread.tid)),
  processStartBoottimeNanos: nanos(UPTIME_NANOS + BigInt(thread.pid)),
  cgroupId: thread.job.cgroupId,
  comm: thread.name,
  processComm: thread.name,
  runtimeNanos: windowNanos(Math.round(row.runtimeNanos)),
  sliceNanos: windowNanos(Math.round(row.sliceNanos)),
  overlapNanos: windowNanos(Math.round(row.overlapNanos)),
  uncountedNanos: windowNanos(Math.round(row.uncountedNanos)),
  uncountedOverlapNanos: windowNanos(Math.round(row.uncountedOverlapNanos)),
  cycles: Math.round(row.cycles),
  instructions: Math.round(row.instructions),
  llcMisses: Math.round(row.llcMisses),
  vectorOps: Math.round(row.vectorOps),
  phiCycles: Math.round(row.phiCycles),
  phiInstructions: Math.round(row.phiInstructions),
  phiVector: Math.round(row.phiVector),
  uncountedPhiCycles: Math.round(row.uncountedPhiCycles),
  packageOnNanos: windowNanos(Math.round(row.packageOnNanos)),
  queueWaitNanos: windowNanos(0),
  predictedCoreNanojoules: 0,
  predictedNanojoules: 0,
  voluntarySwitches: row.voluntarySwitches,
  involuntarySwitches: row.involuntarySwitches,
  migrations: 0,
  isKernelThread: false,
  isPreexisting: false,
  isFirst,
  isDead: thread.isDead,
  isGroupDead: thread.isDead,
});

const cpuOf = (row: CpuRow, cpu: number, topology: HostTopology): CpuSample => ({
  cpu,
  cpuDomain: topology.cpus[cpu]?.cpuDomain ?? 0,
  isOnline: true,
  taskNanos: windowNanos(Math.round(row.taskNanos)),
  busyNanos: windowNanos(Math.round(row.busyNanos)),
  unslottedNanos: windowNanos(0),
  overflowNanos: windowNanos(0),
  irqNanos: windowNanos(Math.round(row.interruptNanos)),
  stealNanos: windowNanos(0),
  countedNanos: windowNanos(Math.round(row.countedNanos)),
  cycles: Math.round(row.cycles),
  instructions: Math.round(row.instructions),
  predictedCoreNanojoules: 0,
  counterFailures: 0,
  multiplexedNanos: windowNanos(Math.round(row.multiplexedNanos)),
  frequencyKhz: kilohertz(row.gigahertz),
  isCounting: true,
  stats: { ...NO_STATS, switches: row.switches },
});

const readingOf = (microjoules: bigint, endNanos: bigint): RawReading => {
  const text = `${microjoules.toString()}\n`;
  return {
    _tag: 'FileReading',
    text,
    textLength: text.length,
    errno: 0,
    beforeNanos: nanos(UPTIME_NANOS + endNanos),
    afterNanos: nanos(UPTIME_NANOS + endNanos + READ_NANOS),
  };
};

/** `slotOf`: each (thread, CPU domain) keeps its slot. */
export const toActivityWindow = (
  window: SimulatedWindow,
  topology: HostTopology,
  slotOf: (row: ThreadRow) => number,
): ActivityWindow => {
  const { startNanos, endNanos } = window;
  return {
    index: BigInt(window.index),
    startNanos: nanos(UPTIME_NANOS + startNanos),
    endNanos: nanos(UPTIME_NANOS + endNanos),
    dueNanos: nanos(UPTIME_NANOS + endNanos),
    flushNanos: windowNanos(0),
    energyReadNanos: windowNanos(Number(READ_NANOS)),
    scanNanos: windowNanos(0),
    threadCpuNanos: windowNanos(0),
    boottimeOffsetNanos: nanos(0n),
    realtimeNanos: nanos(BOOT_UNIX_NANOS + UPTIME_NANOS + endNanos),
    slotsUsed: window.rows.length,
    slotsLimit: SLOTS,
    flushedCpus: topology.cpus.length,
    isFinal: false,
    isReseeded: false,
    isForced: false,
    cpus: window.cpus.map((row, cpu) => cpuOf(row, cpu, topology)),
    readings: [...window.packageMicrojoules, ...window.memoryMicrojoules].map((value) =>
      readingOf(value, endNanos),
    ),
    overflow: [],
    tasks: window.rows.map((row) => taskOf(row, slotOf(row))),
  };
};

const plannedDomain = (
  packageId: number,
  isMemory: boolean,
  rangeMicrojoules: bigint,
): PlannedDomain => ({
  domain: {
    id: isMemory ? `intel-rapl:${packageId.toString()}:0` : `intel-rapl:${packageId.toString()}`,
    kind: isMemory ? 'dram' : 'package',
    name: isMemory ? 'dram' : `package-${packageId.toString()}`,
    packageId,
    parentId: undefined,
    source: 'powercap',
    origin: 'measured',
    isAttributed: true,
  },
  measure: {
    _tag: 'Counter',
    shape: {
      unit: MICROJOULE_UNIT,
      maxRaw: rangeMicrojoules,
      maxWatts: MAX_WATTS,
      mustMove: !isMemory,
    },
  },
  specs: [{ kind: 'file', path: 'simulated' }],
  evidence: 'simulated',
  isFailing: false,
});

/** Packages first, then the memory of each. */
export const planOf = ({ packageMeters, memoryMeters }: Simulator): EnergyPlan => ({
  domains: [
    ...packageMeters.map((meter, id) => plannedDomain(id, false, meter.rangeMicrojoules)),
    ...memoryMeters.map((meter, id) => plannedDomain(id, true, meter.rangeMicrojoules)),
  ],
  dropped: [],
  model: undefined,
  notes: [],
  longestWindowMillis: undefined,
});

/** The same window on a machine without hardware counters. */
export const withoutCounters = (
  window: ActivityWindow,
  { rows }: SimulatedWindow,
): ActivityWindow => ({
  ...window,
  cpus: window.cpus.map((cpu) => ({
    ...cpu,
    countedNanos: windowNanos(0),
    multiplexedNanos: windowNanos(0),
    cycles: 0,
    instructions: 0,
    isCounting: false,
  })),
  tasks: window.tasks.map((task, at) => ({
    ...task,
    uncountedNanos: task.runtimeNanos,
    uncountedOverlapNanos: task.overlapNanos,
    cycles: 0,
    instructions: 0,
    llcMisses: 0,
    vectorOps: 0,
    phiCycles: 0,
    phiInstructions: 0,
    phiVector: 0,
    uncountedPhiCycles: Math.round(rows[at]?.row.clockPhiCycles ?? 0),
  })),
});
