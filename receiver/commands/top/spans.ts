// SPDX-License-Identifier: Apache-2.0
/**
 * Several windows as one report, for a viewer whose interval is longer than the agent's window.
 * Energies are cumulative, so an entity's mean power is the difference of its joules over the time,
 * also across windows that the viewer missed. What is only said per window (remainders, meters,
 * ratios) is the mean of the windows seen, weighted by their length.
 */
import type { AgentReport, DomainRow, MeterRow } from '../../model/agent-report.js';
import { MICROJOULES_PER_JOULE, nanos, secondsOf } from '../../model/units.js';
import { namesOverSpan, withoutRows, workloadsOverSpan } from './span-levels.js';
import { mean, overSpan, remainderOverSpan, type Weighted } from './span-rows.js';

/** A window that ends this much of its length before the interval does still closes it: edges jitter. */
const EDGE_TOLERANCE = 0.25;

const secondsBetween = (from: AgentReport, to: AgentReport): number =>
  secondsOf(nanos(BigInt(to.window.endNanos) - BigInt(from.window.endNanos)));

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
    ...namesOverSpan(base, windows, last, seconds),
    ...workloadsOverSpan(base, windows, last, seconds),
    exitedProcesses: remainderOverSpan(windows, (report) => report.exitedProcesses, last),
    overflowProcesses: remainderOverSpan(windows, (report) => report.overflowProcesses, last),
    overflowCgroups: remainderOverSpan(windows, (report) => report.overflowCgroups, last),
  };
};

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
