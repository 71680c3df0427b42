// SPDX-License-Identifier: Apache-2.0
/**
 * Several windows as one report, for a viewer whose interval is longer than the agent's window.
 * Energies are cumulative, so an entity's mean power is the difference of its joules over the time,
 * also across windows that the viewer missed. What is only said per window (remainders, meters,
 * ratios) is the mean of the windows seen, weighted by their length.
 */
import type { AgentReport, DomainRow, EnergyRow, MeterRow } from '../../model/agent-report.js';
import { MICROJOULES_PER_JOULE, nanos, secondsOf } from '../../model/units.js';

/** A window that ends this much of its length before the interval does still closes it: edges jitter. */
const EDGE_TOLERANCE = 0.25;

interface Weighted {
  readonly report: AgentReport;
  readonly seconds: number;
}

const mean = (
  windows: readonly Weighted[],
  pick: (report: AgentReport) => number | null | undefined,
): number | null => {
  let sum = 0;
  let seconds = 0;
  for (const window of windows) {
    const value = pick(window.report);
    if (value === null || value === undefined) continue;
    sum += value * window.seconds;
    seconds += window.seconds;
  }
  return seconds === 0 ? null : sum / seconds;
};

const secondsBetween = (from: AgentReport, to: AgentReport): number =>
  secondsOf(nanos(BigInt(to.window.endNanos) - BigInt(from.window.endNanos)));

/** Null: absent; or no energy came and the last window knows no power, so it is not a power of zero. */
const wattsOverSpan = (
  beforeJoules: number | null | undefined,
  afterJoules: number | null,
  lastWatts: number | null,
  seconds: number,
): number | null => {
  if (afterJoules === null) return null;
  const riseJoules = afterJoules - (beforeJoules ?? 0);
  return riseJoules === 0 && lastWatts === null ? null : riseJoules / seconds;
};

/** What was not there before has got all its energy since. */
const overSpan = <Row extends EnergyRow>(
  before: readonly Row[],
  after: readonly Row[],
  keyOf: (row: Row) => string,
  seconds: number,
): readonly Row[] => {
  const known = new Map(before.map((row) => [keyOf(row), row]));
  return after.map((row) => {
    const old = known.get(keyOf(row));
    return {
      ...row,
      packageWatts: wattsOverSpan(old?.packageJoules, row.packageJoules, row.packageWatts, seconds),
      dramWatts: wattsOverSpan(old?.dramJoules, row.dramJoules, row.dramWatts, seconds),
      cpuRatio: (row.cpuSeconds - (old?.cpuSeconds ?? 0)) / seconds,
    };
  });
};

const domainOverSpan = (
  before: DomainRow | undefined,
  after: DomainRow,
  seconds: number,
): DomainRow => {
  if (before === undefined) return after;
  const wattsOf = (from: string, to: string): number =>
    Number(BigInt(to) - BigInt(from)) / MICROJOULES_PER_JOULE / seconds;
  const partOf = (from: string | null, to: string | null): number | null =>
    from === null || to === null ? null : wattsOf(from, to);
  const watts = wattsOf(before.acceptedMicrojoules, after.acceptedMicrojoules);
  // Nothing accepted and no reading at the end: no power is known, not a power of zero.
  if (watts === 0 && after.watts === null) return after;
  return {
    ...after,
    watts,
    idleWatts: partOf(before.idleMicrojoules, after.idleMicrojoules),
    irqWatts: partOf(before.irqMicrojoules, after.irqMicrojoules),
    igpuWatts: partOf(before.igpuMicrojoules ?? null, after.igpuMicrojoules ?? null),
    unattributedWatts: partOf(before.unattributedMicrojoules, after.unattributedMicrojoules),
  };
};

const meterOverSpan = (windows: readonly Weighted[], meter: MeterRow): MeterRow => {
  const meterIn = (report: AgentReport) => report.meters.find(({ id }) => id === meter.id);
  return {
    ...meter,
    watts: mean(windows, (report) => meterIn(report)?.watts),
    restWatts: mean(windows, (report) => meterIn(report)?.restWatts),
  };
};

const remainderOverSpan = (
  windows: readonly Weighted[],
  pick: (report: AgentReport) => EnergyRow,
  last: AgentReport,
): EnergyRow => ({
  ...pick(last),
  packageWatts: mean(windows, (report) => pick(report).packageWatts),
  dramWatts: mean(windows, (report) => pick(report).dramWatts),
  cpuRatio: mean(windows, (report) => pick(report).cpuRatio) ?? 0,
});

/** One report over everything since `base`. `windows` are those seen after it, the last one included. */
export const reportOverSpan = (
  base: AgentReport,
  windows: readonly Weighted[],
  last: AgentReport,
): AgentReport => {
  const seconds = secondsBetween(base, last);
  const domains = new Map(base.domains.map((row) => [row.id, row]));
  return {
    ...last,
    window: {
      ...last.window,
      startNanos: base.window.endNanos,
      durationSeconds: seconds,
    },
    host: {
      ...last.host,
      busyRatio: mean(windows, ({ host }) => host.busyRatio) ?? last.host.busyRatio,
      stealRatio: mean(windows, ({ host }) => host.stealRatio),
    },
    domains: last.domains.map((row) => domainOverSpan(domains.get(row.id), row, seconds)),
    meters: last.meters.map((row) => meterOverSpan(windows, row)),
    processes: overSpan(
      base.processes,
      last.processes,
      ({ pid, startUnixMillis }) => `${pid} ${startUnixMillis}`,
      seconds,
    ),
    cgroups: overSpan(base.cgroups, last.cgroups, ({ id, path }) => `${id} ${path}`, seconds),
    threads: overSpan(base.threads, last.threads, ({ pid, tid }) => `${pid} ${tid}`, seconds),
    exitedProcesses: remainderOverSpan(windows, (report) => report.exitedProcesses, last),
    overflowProcesses: remainderOverSpan(windows, (report) => report.overflowProcesses, last),
    overflowCgroups: remainderOverSpan(windows, (report) => report.overflowCgroups, last),
  };
};

/** Small parts of windows are kept until the interval ends: not their thousands of rows. */
const withoutRows = (report: AgentReport): AgentReport => ({
  ...report,
  processes: [],
  cgroups: [],
  threads: [],
});

export interface SpanSummer {
  /** The report to show now; undefined while the interval is not over. */
  readonly add: (report: AgentReport) => AgentReport | undefined;
  readonly setInterval: (intervalSeconds: number | undefined) => void;
}

/** The first window is passed on at once, so that a long interval does not begin with an empty screen. */
export const spanSummer = (firstIntervalSeconds: number | undefined): SpanSummer => {
  let intervalSeconds = firstIntervalSeconds;
  let base: AgentReport | undefined;
  let windows: Weighted[] = [];
  const restart = (report: AgentReport): void => {
    base = report;
    windows = [];
  };
  return {
    setInterval: (seconds) => (intervalSeconds = seconds),
    add: (report) => {
      const from = base;
      const isSame = from?.agent.startedUnixMillis === report.agent.startedUnixMillis;
      if (from === undefined || intervalSeconds === undefined || !isSame) {
        restart(report);
        return report;
      }
      const { durationSeconds } = report.window;
      windows.push({ report: withoutRows(report), seconds: durationSeconds });
      const elapsed = secondsBetween(from, report);
      if (elapsed + durationSeconds * EDGE_TOLERANCE < intervalSeconds) return undefined;
      const isOneWindow = elapsed <= durationSeconds * (1 + EDGE_TOLERANCE);
      const summed = isOneWindow ? report : reportOverSpan(from, windows, report);
      restart(report);
      return summed;
    },
  };
};
