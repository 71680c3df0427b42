// SPDX-License-Identifier: Apache-2.0
/** The ledger's entries as rows of a report: watts of the last window beside totals since start. */
import type {
  CgroupRow,
  EnergyRow,
  NameRow,
  ProcessRow,
  ThreadRow,
  UserRow,
} from '../model/agent-report.js';
import type {
  CgroupTotals,
  NameTotals,
  ProcessTotals,
  Rated,
  Remainder,
  ThreadTotals,
  UserTotals,
} from '../model/ledger-view.js';
import { joulesOf, meanWatts, secondsOf } from '../model/units.js';
import type { Nanos } from '../model/units.js';

/** `spanNanos`: length of the last window, over which its energy is a power. */
export const energyRow = (totals: Rated<Remainder>, spanNanos: Nanos): EnergyRow => {
  const { energy, cpuNanos, lastWindow } = totals;
  return {
    packageWatts: meanWatts(lastWindow.energy.package, spanNanos),
    dramWatts: meanWatts(lastWindow.energy.dram, spanNanos),
    packageJoules: joulesOf(energy.package),
    dramJoules: joulesOf(energy.dram),
    cpuRatio: spanNanos > 0n ? lastWindow.cpuNanos / Number(spanNanos) : 0,
    cpuSeconds: secondsOf(cpuNanos),
  };
};

export const addEnergyRows = (a: EnergyRow, b: EnergyRow): EnergyRow => ({
  packageWatts: a.packageWatts + b.packageWatts,
  dramWatts: a.dramWatts + b.dramWatts,
  packageJoules: a.packageJoules + b.packageJoules,
  dramJoules: a.dramJoules + b.dramJoules,
  cpuRatio: a.cpuRatio + b.cpuRatio,
  cpuSeconds: a.cpuSeconds + b.cpuSeconds,
});

export const processRow = (process: Rated<ProcessTotals>, spanNanos: Nanos): ProcessRow => {
  const { identity } = process;
  return {
    ...energyRow(process, spanNanos),
    pid: identity.pid,
    parentPid: identity.parentPid,
    startUnixMillis: identity.startUnixMillis,
    name: identity.name,
    user: identity.user,
    uid: identity.uid,
    cgroup: identity.cgroupPath,
    threadCount: process.threadCount,
    isKernelThread: identity.isKernelThread,
    isExited: process.isExited,
  };
};

export const cgroupRow = (cgroup: Rated<CgroupTotals>, spanNanos: Nanos): CgroupRow => ({
  ...energyRow(cgroup, spanNanos),
  id: String(cgroup.id),
  path: cgroup.path,
});

export const threadRow = (thread: Rated<ThreadTotals>, spanNanos: Nanos): ThreadRow => ({
  ...energyRow(thread, spanNanos),
  tid: thread.tid,
  pid: thread.pid,
  name: thread.name,
});

export const nameRow = (totals: Rated<NameTotals>, spanNanos: Nanos): NameRow => ({
  ...energyRow(totals, spanNanos),
  name: totals.name,
});

export const userRow = (totals: Rated<UserTotals>, spanNanos: Nanos): UserRow => ({
  ...energyRow(totals, spanNanos),
  uid: totals.uid,
  user: totals.user,
});
