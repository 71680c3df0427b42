// SPDX-License-Identifier: Apache-2.0
/** Puts together what one window measured and to whom it was given. */
import type { AccountingStats, ActivityWindow, CpuSample } from '../model/activity.js';
import { windowNanos } from '../model/units.js';
import type { WindowNanos } from '../model/units.js';
import type { DomainReading, MeterBalance, WindowReport } from '../model/window.js';
import type { WindowAttribution } from './attribute.js';

export const NO_STATS: AccountingStats = {
  switches: 0,
  storageMisses: 0,
  slotsExhausted: 0,
  discontinuities: 0,
  storageFailed: 0,
  forks: 0,
  exits: 0,
  flushes: 0,
  cgroupMoves: 0,
  overflowCgroupFull: 0,
};

export const addStats = (a: AccountingStats, b: AccountingStats): AccountingStats => ({
  switches: a.switches + b.switches,
  storageMisses: a.storageMisses + b.storageMisses,
  slotsExhausted: a.slotsExhausted + b.slotsExhausted,
  discontinuities: a.discontinuities + b.discontinuities,
  storageFailed: a.storageFailed + b.storageFailed,
  forks: a.forks + b.forks,
  exits: a.exits + b.exits,
  flushes: a.flushes + b.flushes,
  cgroupMoves: a.cgroupMoves + b.cgroupMoves,
  overflowCgroupFull: a.overflowCgroupFull + b.overflowCgroupFull,
});

/** Undefined only if no CPU says anything: one that does not say is not a zero. */
const sumKnown = (values: readonly (WindowNanos | undefined)[]): WindowNanos | undefined => {
  const known = values.filter((value) => value !== undefined);
  return known.length === 0 ? undefined : windowNanos(known.reduce((a, b) => a + b, 0));
};

/** Busy wall time of the online CPUs / (their number x length of the window), at most 1. */
const busyRatioOf = (cpus: readonly CpuSample[], spanNanos: number): number => {
  const online = cpus.filter(({ isOnline }) => isOnline);
  if (online.length === 0 || spanNanos <= 0) return 0;
  const busyNanos = online.reduce((sum, cpu) => sum + cpu.busyNanos, 0);
  return Math.min(1, busyNanos / (online.length * spanNanos));
};

/** The window's flush began after it was due by this long; a forced window is never late. */
const lateNanosOf = (window: ActivityWindow): WindowNanos => {
  const flushStart = Number(window.endNanos - window.dueNanos) - window.flushNanos;
  return windowNanos(window.isForced || window.isFinal ? 0 : Math.max(0, flushStart));
};

export const windowReport = (
  window: ActivityWindow,
  readings: readonly DomainReading[],
  attribution: WindowAttribution,
  meters: readonly MeterBalance[],
): WindowReport => ({
  index: window.index,
  startNanos: window.startNanos,
  endNanos: window.endNanos,
  realtimeNanos: window.realtimeNanos,
  lateNanos: lateNanosOf(window),
  readings,
  balances: attribution.balances,
  meters,
  busyRatio: busyRatioOf(window.cpus, Number(window.endNanos - window.startNanos)),
  stealNanos: sumKnown(window.cpus.map(({ stealNanos }) => stealNanos)),
  stats: window.cpus.reduce((sum, { stats }) => addStats(sum, stats), NO_STATS),
  slotsUsed: window.slotsUsed,
  slotsLimit: window.slotsLimit,
});
