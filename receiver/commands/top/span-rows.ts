// SPDX-License-Identifier: Apache-2.0
/** Rows of several windows as rows of the time that they span. Pure. */
import type { AgentReport, EnergyRow } from '../../model/agent-report.js';

export interface Weighted {
  readonly report: AgentReport;
  readonly seconds: number;
}

/** Over the windows that know the value, weighted by their length. */
export const mean = (
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
export const overSpan = <Row extends EnergyRow>(
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

export const remainderOverSpan = (
  windows: readonly Weighted[],
  pick: (report: AgentReport) => EnergyRow,
  last: AgentReport,
): EnergyRow => ({
  ...pick(last),
  packageWatts: mean(windows, (report) => pick(report).packageWatts),
  dramWatts: mean(windows, (report) => pick(report).dramWatts),
  cpuRatio: mean(windows, (report) => pick(report).cpuRatio) ?? 0,
});
