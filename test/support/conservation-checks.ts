// SPDX-License-Identifier: Apache-2.0
/** What must hold of every window of a conservation run, to the microjoule. */
import type { AgentReport, DomainRow, EnergyRow } from '../../receiver/model/agent-report.js';

const bucketsOf = (row: DomainRow): readonly bigint[] =>
  [
    row.entitiesMicrojoules,
    row.idleMicrojoules,
    row.irqMicrojoules,
    row.igpuMicrojoules ?? '0',
    row.unattributedMicrojoules,
  ].map((part) => BigInt(part ?? 0));

const sumOf = (values: readonly bigint[]): bigint => values.reduce((a, b) => a + b, 0n);

/** Windows and domains in which the buckets do not add up to what was accepted. */
export const openBalances = (reports: readonly AgentReport[]): readonly string[] =>
  reports.flatMap(({ window, domains }) =>
    domains
      .filter((row) => row.kind === 'package' || row.kind === 'dram')
      .filter((row) => sumOf(bucketsOf(row)) !== BigInt(row.acceptedMicrojoules))
      .map((row) => `window ${window.index}: ${row.id} does not close`),
  );

/** Every total of every domain, process and cgroup that was lower than a window before. */
export const decreases = (reports: readonly AgentReport[]): readonly string[] => {
  const last = new Map<string, number | bigint>();
  const found: string[] = [];
  const rising = (key: string, value: number | bigint | null, index: string): void => {
    const before = last.get(key);
    if (before !== undefined && (value === null || value < before))
      found.push(`window ${index}: ${key} fell from ${String(before)} to ${String(value)}`);
    if (value !== null) last.set(key, value);
  };
  for (const { window, domains, processes, cgroups } of reports) {
    for (const row of domains) {
      rising(`${row.id} accepted`, BigInt(row.acceptedMicrojoules), window.index);
      for (const [at, bucket] of bucketsOf(row).entries())
        rising(`${row.id} bucket ${String(at)}`, bucket, window.index);
    }
    for (const row of processes) {
      const key = `process ${String(row.pid)} since ${String(row.startUnixMillis)}`;
      rising(`${key} package`, row.packageJoules, window.index);
      rising(`${key} dram`, row.dramJoules, window.index);
      rising(`${key} cpu`, row.cpuSeconds, window.index);
    }
    for (const row of cgroups) {
      rising(`cgroup ${row.id} package`, row.packageJoules, window.index);
      rising(`cgroup ${row.id} dram`, row.dramJoules, window.index);
    }
  }
  return found;
};

/** Σ of what the entity rows hold, in joules, per kind: processes on one side, cgroups on the other. */
export const entitySums = (
  report: AgentReport,
): { readonly processes: number; readonly cgroups: number; readonly entities: number } => {
  const joulesIn = (rows: readonly EnergyRow[]): number =>
    rows.reduce((sum, row) => sum + (row.packageJoules ?? 0) + (row.dramJoules ?? 0), 0);
  const entities = report.domains
    .filter((row) => row.kind === 'package' || row.kind === 'dram')
    .reduce((sum, row) => sum + Number(row.entitiesMicrojoules) / 1e6, 0);
  return {
    processes: joulesIn([...report.processes, report.exitedProcesses, report.overflowProcesses]),
    cgroups: joulesIn([...report.cgroups, report.overflowCgroups]),
    entities,
  };
};
