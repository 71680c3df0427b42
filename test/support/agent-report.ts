// SPDX-License-Identifier: Apache-2.0
/** Reports for tests of viewers. Figures are chosen so that sums close; nothing here was measured. */
import type {
  AgentReport,
  CgroupRow,
  DomainRow,
  EnergyRow,
  ProcessRow,
  WorkloadPart,
  WorkloadRow,
} from '../../receiver/model/agent-report.js';

export const energyRow = (packageWatts: number, over: Partial<EnergyRow> = {}): EnergyRow => ({
  packageWatts,
  dramWatts: packageWatts / 10,
  packageJoules: packageWatts * 100,
  dramJoules: packageWatts * 10,
  cpuRatio: packageWatts / 10,
  cpuSeconds: packageWatts * 10,
  ...over,
});

export const processRow = (
  pid: number,
  name: string,
  packageWatts: number,
  over: Partial<ProcessRow> = {},
): ProcessRow => ({
  ...energyRow(packageWatts),
  pid,
  parentPid: 1,
  startUnixMillis: 1_700_000_000_000 + pid,
  name,
  user: 'root',
  uid: 0,
  cgroup: '/system.slice/some.service',
  threadCount: 1,
  isKernelThread: false,
  isExited: false,
  ...over,
});

export const cgroupRow = (path: string, packageWatts: number): CgroupRow => ({
  ...energyRow(packageWatts),
  id: String(path.length),
  path,
});

export const domainRow = (
  kind: DomainRow['kind'],
  wattsMeasured: number | null,
  over: Partial<DomainRow> = {},
): DomainRow => ({
  id: kind === 'dram' ? 'intel-rapl:0:1' : 'intel-rapl:0',
  kind,
  name: kind === 'package' ? 'package-0' : kind,
  packageId: 0,
  parentId: null,
  source: 'powercap',
  origin: 'measured',
  split: 'time',
  state: 'ok',
  watts: wattsMeasured,
  idleWatts: wattsMeasured === null ? null : wattsMeasured / 4,
  irqWatts: wattsMeasured === null ? null : 0.5,
  unattributedWatts: wattsMeasured === null ? null : 0.25,
  acceptedMicrojoules: '4000000000',
  entitiesMicrojoules: '2925000000',
  idleMicrojoules: '1000000000',
  irqMicrojoules: '50000000',
  unattributedMicrojoules: '25000000',
  ...over,
});

/** What a machine without DRAM domain says of each entity. */
export const NO_DRAM = { dramWatts: null, dramJoules: null } as const;

export const WINDOW_END_UNIX_MILLIS = 1_700_000_100_000;

const PROCESSES: readonly ProcessRow[] = [
  processRow(1, 'systemd', 0.01, { cgroup: '/init.scope', parentPid: 0 }),
  processRow(812, 'postgres', 6.5, {
    user: 'postgres',
    cgroup: '/system.slice/postgresql.service',
  }),
  processRow(900, 'stress-ng', 0.2, { user: 'alice', cgroup: '/user.slice/user-1000.slice' }),
  processRow(901, 'stress-ng-cpu', 12.25, {
    parentPid: 900,
    user: 'alice',
    cgroup: '/user.slice/user-1000.slice',
  }),
  processRow(902, 'stress-ng-cpu', 11.75, {
    parentPid: 900,
    user: 'alice',
    cgroup: '/user.slice/user-1000.slice',
  }),
  processRow(17, 'kworker/0:1', 0.04, { cgroup: '/', parentPid: 2, isKernelThread: true }),
];

export const agentReport = (over: Partial<AgentReport> = {}): AgentReport => ({
  schema: 1,
  agent: {
    pid: 4242,
    version: '0.1.0',
    startedUnixMillis: 1_700_000_000_000,
    hostName: 'node-7',
  },
  window: {
    index: '99',
    startNanos: '99000000000',
    endNanos: '100000000000',
    endUnixMillis: WINDOW_END_UNIX_MILLIS,
    durationSeconds: 1,
    lateMillis: 0,
  },
  source: {
    origin: 'measured',
    kinds: ['powercap'],
    split: 'time',
    isGuess: false,
    label: 'measured (powercap), split by CPU time',
  },
  host: { cpuCount: 4, busyRatio: 0.77, stealRatio: 0.012 },
  domains: [domainRow('package', 41.5), domainRow('dram', 4)],
  meters: [],
  processes: PROCESSES,
  cgroups: [
    cgroupRow('/', 0.04),
    cgroupRow('/init.scope', 0.01),
    cgroupRow('/system.slice/postgresql.service', 6.5),
    cgroupRow('/user.slice/user-1000.slice', 24.2),
  ],
  threads: [],
  exitedProcesses: energyRow(0.5),
  overflowProcesses: energyRow(0),
  overflowCgroups: energyRow(0),
  accounting: {
    slotsUsed: 312,
    slotsLimit: 65_536,
    slotBytes: 128,
    switchesPerSecond: 5210,
    losses: { storageMisses: 0, slotsExhausted: 0 },
  },
  ...over,
});

export const workloadRow = (
  id: string,
  packageWatts: number,
  over: Partial<WorkloadRow> = {},
): WorkloadRow => ({
  ...energyRow(packageWatts),
  id,
  name: null,
  system: null,
  within: null,
  owner: null,
  processCount: 1,
  ...over,
});

/** A level of workloads; the rest of the machine is in none. */
export const workloadPart = (
  rows: readonly WorkloadRow[] = [],
  over: Partial<WorkloadPart> = {},
): WorkloadPart => ({
  rows,
  exited: energyRow(0),
  overflow: energyRow(0),
  none: energyRow(1),
  ...over,
});

/** The same machine one or more windows later. */
export const laterReport = (report: AgentReport, windows: number): AgentReport => ({
  ...report,
  window: {
    ...report.window,
    index: String(Number(report.window.index) + windows),
    endUnixMillis: report.window.endUnixMillis + windows * 1000,
  },
});
