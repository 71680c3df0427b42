// SPDX-License-Identifier: Apache-2.0
/**
 * Windows to records. Who a task is, is told once per slot and again when it changes; zeros are left
 * out, so that a window of 600 processes is some ten kilobytes. One encoder per trace: it remembers
 * what its reader knows. Pure.
 */
import type {
  ActivityWindow,
  CpuSample,
  OverflowSample,
  RawReading,
  TaskSample,
} from '../model/activity.js';
import type { Surroundings } from '../agent/pipeline.js';
import type { Coefficients } from '../model/coefficients.js';
import type { DomainBalance, WindowShares } from '../model/window.js';
import type { WindowRecord, WireCpu, WireIdentity, WireReading, WireTask } from './wire.js';

/** Names of what the kernel only numbers. */
export interface TraceNames {
  readonly userName: (uid: number) => string;
  readonly cgroupPath: (id: bigint) => string;
}

/** What was read beside the window; and what the agent made of it, for replay to compare. */
export interface LiveResult {
  readonly balances?: readonly DomainBalance[];
  readonly shares?: WindowShares;
  /** Coefficients: the same array as long as nothing changes. */
  readonly input: Surroundings;
}

type NumberKey<T> = { [K in keyof T]-?: T[K] extends number ? K : never }[keyof T];
type IdentityNumber =
  'slot' | 'sequence' | 'tid' | 'tgid' | 'parentTgid' | 'uid' | 'tag' | 'cpuDomain';
type Amounts<Wire> = { -readonly [K in keyof Wire]?: number };

/** Every number of a task's window; a new field of TaskSample that is missing here does not compile. */
const TASK_AMOUNTS: Readonly<Record<Exclude<NumberKey<TaskSample>, IdentityNumber>, true>> = {
  runtimeNanos: true,
  sliceNanos: true,
  overlapNanos: true,
  uncountedNanos: true,
  uncountedOverlapNanos: true,
  cycles: true,
  instructions: true,
  llcMisses: true,
  vectorOps: true,
  phiCycles: true,
  phiInstructions: true,
  phiVector: true,
  uncountedPhiCycles: true,
  packageOnNanos: true,
  queueWaitNanos: true,
  predictedCoreNanojoules: true,
  predictedNanojoules: true,
  voluntarySwitches: true,
  involuntarySwitches: true,
  migrations: true,
};

const CPU_AMOUNTS: Readonly<Record<Exclude<NumberKey<CpuSample>, 'cpu' | 'cpuDomain'>, true>> = {
  taskNanos: true,
  busyNanos: true,
  unslottedNanos: true,
  overflowNanos: true,
  countedNanos: true,
  cycles: true,
  instructions: true,
  predictedCoreNanojoules: true,
  counterFailures: true,
  multiplexedNanos: true,
};

const keysOf = <K extends string>(table: Readonly<Record<K, true>>): readonly K[] => {
  const keys: K[] = [];
  for (const key in table) keys.push(key);
  return keys;
};
const TASK_KEYS = keysOf(TASK_AMOUNTS);
const CPU_KEYS = keysOf(CPU_AMOUNTS);

const amountsOf = <K extends string>(
  sample: Readonly<Record<K, number>>,
  keys: readonly K[],
): Amounts<Record<K, number>> => {
  const amounts: Amounts<Record<K, number>> = {};
  for (const key of keys) if (sample[key] !== 0) amounts[key] = sample[key];
  return amounts;
};

const taskRow = (task: TaskSample): WireTask => ({
  slot: task.slot,
  cpuDomain: task.cpuDomain,
  ...amountsOf(task, TASK_KEYS),
  // Not told means as long as the task time.
  ...(task.sliceNanos === 0 && task.runtimeNanos !== 0 ? { sliceNanos: 0 } : {}),
  ...(task.isFirst ? { first: true } : {}),
  ...(task.isDead ? { dead: true } : {}),
  ...(task.isGroupDead ? { groupDead: true } : {}),
});

const identityRow = (task: TaskSample): WireIdentity => ({
  slot: task.slot,
  sequence: task.sequence,
  tid: task.tid,
  tgid: task.tgid,
  parentTgid: task.parentTgid,
  uid: task.uid,
  tag: task.tag,
  startBoottimeNanos: String(task.startBoottimeNanos),
  processStartBoottimeNanos: String(task.processStartBoottimeNanos),
  cgroupId: String(task.cgroupId),
  comm: task.comm,
  processComm: task.processComm,
  ...(task.isKernelThread ? { kernelThread: true } : {}),
  ...(task.isPreexisting ? { preexisting: true } : {}),
});

const isSameIdentity = (a: TaskSample, b: TaskSample): boolean =>
  a.sequence === b.sequence &&
  a.tid === b.tid &&
  a.tgid === b.tgid &&
  a.parentTgid === b.parentTgid &&
  a.uid === b.uid &&
  a.tag === b.tag &&
  a.startBoottimeNanos === b.startBoottimeNanos &&
  a.processStartBoottimeNanos === b.processStartBoottimeNanos &&
  a.cgroupId === b.cgroupId &&
  a.comm === b.comm &&
  a.processComm === b.processComm &&
  a.isKernelThread === b.isKernelThread &&
  a.isPreexisting === b.isPreexisting;

const cpuRow = (cpu: CpuSample): WireCpu => ({
  cpu: cpu.cpu,
  cpuDomain: cpu.cpuDomain,
  online: cpu.isOnline,
  ...amountsOf(cpu, CPU_KEYS),
  // Not told means as long as its task time.
  ...(cpu.busyNanos === 0 && cpu.taskNanos !== 0 ? { busyNanos: 0 } : {}),
  ...(cpu.irqNanos === undefined ? {} : { irqNanos: cpu.irqNanos }),
  ...(cpu.stealNanos === undefined ? {} : { stealNanos: cpu.stealNanos }),
  ...(cpu.frequencyKhz === undefined ? {} : { frequencyKhz: cpu.frequencyKhz }),
  ...(cpu.isCounting ? { counting: true } : {}),
  stats: Object.fromEntries(Object.entries(cpu.stats).filter(([, events]) => events !== 0)),
});

const readingRow = (reading: RawReading): WireReading => {
  const times = {
    ...(reading.errno === 0 ? {} : { errno: reading.errno }),
    beforeNanos: String(reading.beforeNanos),
    afterNanos: String(reading.afterNanos),
  };
  if (reading._tag === 'FileReading')
    return {
      text: reading.text,
      ...(reading.textLength === reading.text.length ? {} : { textLength: reading.textLength }),
      ...times,
    };
  return {
    value: String(reading.value),
    enabledNanos: String(reading.enabledNanos),
    runningNanos: String(reading.runningNanos),
    ...times,
  };
};

const overflowRow = ({ cgroupId, cpuDomain, runtimeNanos }: OverflowSample) => ({
  cgroupId: String(cgroupId),
  cpuDomain,
  runtimeNanos,
});

const liveOf = (
  balances: readonly DomainBalance[],
  shares: WindowShares,
): NonNullable<WindowRecord['live']> => ({
  zones: balances.map((balance) => ({
    id: balance.domain.id,
    deltaMicrojoules: String(balance.deltaMicrojoules),
    entitiesMicrojoules: String(balance.entitiesMicrojoules),
    idleMicrojoules: String(balance.idleMicrojoules),
    irqMicrojoules: String(balance.irqMicrojoules),
    igpuMicrojoules: String(balance.igpuMicrojoules),
    unattributedMicrojoules: String(
      [...balance.unattributed.values()].reduce<bigint>((sum, energy) => sum + energy, 0n),
    ),
  })),
  tasks: { package: Array.from(shares.tasks.package), dram: Array.from(shares.tasks.dram) },
});

/** Who everybody is, is told again now and then: of a damaged file, what follows is whole again. */
const RETELL_WINDOWS = 60;

const surroundingsOf = ({
  memory,
  reservations,
  hasCoreScales,
}: Surroundings): Partial<Pick<WindowRecord, 'memory' | 'reservations' | 'hasCoreScales'>> => ({
  ...(memory === undefined
    ? {}
    : {
        memory: {
          nodeShares: [...memory.nodeSharesOfCgroup].map(([cgroupId, shares]) => ({
            cgroupId: String(cgroupId),
            shares: [...shares],
          })),
          residentBytes: [...memory.residentBytesOfProcess].map(([pid, bytes]) => ({ pid, bytes })),
        },
      }),
  ...(reservations === undefined
    ? {}
    : {
        reservations: [...reservations].map(([cgroupId, cpus]) => ({
          cgroupId: String(cgroupId),
          cpus,
        })),
      }),
  ...(hasCoreScales === undefined ? {} : { hasCoreScales }),
});

export class WindowEncoder {
  private windows = 0;
  private toldCoefficients: readonly Coefficients[] | undefined;
  private readonly told = new Map<number, TaskSample>();
  private readonly toldPaths = new Map<bigint, string>();
  private readonly toldUsers = new Map<number, string>();

  public constructor(private readonly names: TraceNames) {}

  public encode(window: ActivityWindow, live?: LiveResult): WindowRecord {
    const { tasks, overflow } = window;
    if (this.windows % RETELL_WINDOWS === 0) {
      this.told.clear();
      this.toldPaths.clear();
      this.toldUsers.clear();
      this.toldCoefficients = undefined;
    }
    this.windows += 1;
    const record: WindowRecord = {
      type: 'window',
      index: String(window.index),
      startNanos: String(window.startNanos),
      endNanos: String(window.endNanos),
      dueNanos: String(window.dueNanos),
      flushNanos: window.flushNanos,
      energyReadNanos: window.energyReadNanos,
      scanNanos: window.scanNanos,
      threadCpuNanos: window.threadCpuNanos,
      boottimeOffsetNanos: String(window.boottimeOffsetNanos),
      realtimeNanos: String(window.realtimeNanos),
      slotsUsed: window.slotsUsed,
      slotsLimit: window.slotsLimit,
      flushedCpus: window.flushedCpus,
      ...(window.isFinal ? { final: true } : {}),
      ...(window.isReseeded ? { reseeded: true } : {}),
      ...(window.isForced ? { forced: true } : {}),
      readings: window.readings.map(readingRow),
      cpus: window.cpus.map(cpuRow),
      identities: tasks.flatMap((task) => this.identityIfNew(task)),
      cgroups: [
        ...tasks.flatMap((task) => this.cgroupIfNew(task.cgroupId)),
        ...overflow.flatMap((sample) => this.cgroupIfNew(sample.cgroupId)),
      ],
      users: tasks.flatMap((task) => this.userIfNew(task.uid)),
      tasks: tasks.map(taskRow),
      overflow: overflow.map(overflowRow),
      ...surroundingsOf(live?.input ?? {}),
      ...this.coefficientsIfNew(live?.input.coefficients),
      ...(live?.balances && live.shares ? { live: liveOf(live.balances, live.shares) } : {}),
    };
    for (const task of tasks) if (task.isDead) this.told.delete(task.slot);
    return record;
  }

  private coefficientsIfNew(
    coefficients: readonly Coefficients[] | undefined,
  ): Partial<Pick<WindowRecord, 'coefficients'>> {
    if (coefficients === undefined || coefficients === this.toldCoefficients) return {};
    this.toldCoefficients = coefficients;
    return { coefficients: coefficients.map((one) => ({ ...one })) };
  }

  private identityIfNew(task: TaskSample): readonly WireIdentity[] {
    const known = this.told.get(task.slot);
    if (known !== undefined && isSameIdentity(known, task)) return [];
    // a copy: the agent writes its rows over
    this.told.set(task.slot, { ...task });
    return [identityRow(task)];
  }

  private cgroupIfNew(id: bigint): WindowRecord['cgroups'] {
    const path = this.names.cgroupPath(id);
    if (this.toldPaths.get(id) === path) return [];
    this.toldPaths.set(id, path);
    return [{ id: String(id), path }];
  }

  private userIfNew(uid: number): WindowRecord['users'] {
    const name = this.names.userName(uid);
    if (this.toldUsers.get(uid) === name) return [];
    this.toldUsers.set(uid, name);
    return [{ uid, name }];
  }
}
