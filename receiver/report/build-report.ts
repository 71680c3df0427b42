// SPDX-License-Identifier: Apache-2.0
/** The last window and the ledger as the one report that every viewer gets. Pure. */
import {
  AGENT_REPORT_SCHEMA,
  type AgentReport,
  type ProcessRow,
  type ThreadRow,
} from '../model/agent-report.js';
import type { ExplainedCalibration } from '../model/explanation.js';
import { addEnergyRows } from '../model/energy-row.js';
import type { EnergyOrigin, EnergySourceKind, SplitMethod } from '../model/energy-domain.js';
import type { DomainTotals, RatedLedgerView } from '../model/ledger-view.js';
import type { SpinKind, SpinningThread } from '../model/spin.js';
import { nanos, NANOS_PER_MILLISECOND, secondsOf } from '../model/units.js';
import type { Nanos } from '../model/units.js';
import type { WindowReport } from '../model/window.js';
import { domainRows, meterRows, perSecond } from './domain-rows.js';
import {
  cgroupRow,
  energyRow,
  nameRow,
  processRow,
  rowWindow,
  threadRow,
  userRow,
  type RowWindow,
} from './energy-rows.js';
import { workloadParts } from './workload-rows.js';

/** How the joules come about, as the energy plan says it. */
export interface ReportSource {
  readonly origin: EnergyOrigin;
  readonly kinds: readonly EnergySourceKind[];
  readonly isGuess: boolean;
  /** e.g. `measured (powercap)`, `modelled (guess: set energy.model, see wattfeed check)`. */
  readonly text: string;
}

export interface ReportInput {
  readonly window: WindowReport;
  readonly ledger: RatedLedgerView;
  /** Processes whose threads somebody wants to see; undefined: all whose threads the ledger keeps. */
  readonly threadsOf?: ReadonlySet<number>;
  readonly agent: AgentReport['agent'];
  readonly source: ReportSource;
  readonly cpuCount: number;
  /** Bytes of one slot in the kernel's table. */
  readonly slotBytes: number;
  /** Losses outside the ledger, e.g. of the decoder or the exporter. */
  readonly losses: Readonly<Record<string, number>>;
  readonly calibration?: readonly ExplainedCalibration[];
  /** Threads that were found to run and do nothing. */
  readonly spinning?: readonly SpinningThread[];
}

const SPLIT_WORDS: Readonly<Record<SplitMethod, string>> = {
  time: 'CPU time',
  counters: 'counters',
  seed: "the seed's formula",
  rss: 'resident memory',
};

const splitOf = (domains: readonly DomainTotals[], kind: 'dram' | 'cpu'): SplitMethod | undefined =>
  domains.find(
    ({ domain }) => domain.isAttributed && (domain.kind === 'dram') === (kind === 'dram'),
  )?.split;

/** As `top` shows it. A guess says what to do about it and nothing else. */
export const labelOf = (source: ReportSource, domains: readonly DomainTotals[]): string => {
  const cpu = splitOf(domains, 'cpu');
  const dram = splitOf(domains, 'dram');
  if (source.isGuess || source.kinds.length === 0) return source.text;
  const words = SPLIT_WORDS[cpu ?? dram ?? 'time'];
  const memory =
    dram !== undefined && cpu !== undefined && dram !== cpu
      ? `, memory by ${SPLIT_WORDS[dram]}`
      : '';
  return `${source.text}, split by ${words}${memory}`;
};

const stealRatio = ({ window, cpuCount }: ReportInput, spanNanos: Nanos): number | null =>
  window.stealNanos === undefined || spanNanos <= 0n || cpuCount === 0
    ? null
    : window.stealNanos / (cpuCount * Number(spanNanos));

export const windowPart = (
  window: WindowReport,
  spanNanos: Nanos = nanos(window.endNanos - window.startNanos),
): AgentReport['window'] => ({
  index: String(window.index),
  startNanos: String(window.startNanos),
  endNanos: String(window.endNanos),
  endUnixMillis: Math.floor(Number(window.realtimeNanos) / NANOS_PER_MILLISECOND),
  durationSeconds: secondsOf(spanNanos),
  lateMillis: window.lateNanos / NANOS_PER_MILLISECOND,
});

type SpinKinds = ReadonlyMap<number, SpinKind>;

const kindsBy = (
  spinning: readonly SpinningThread[],
  keyOf: (thread: SpinningThread) => number,
): SpinKinds =>
  new Map(
    spinning.filter(({ isActive }) => isActive).map((thread) => [keyOf(thread), thread.kind]),
  );

const withSpin = <Row extends ProcessRow | ThreadRow>(
  row: Row,
  spins: SpinKind | undefined,
): Row => (spins === undefined ? row : { ...row, spins });

/**
 * A process that ended is shown in the window of its last activity. After that the ledger may still
 * hold it for the exporter, thousands of them in a fork storm; viewers get their sum.
 */
const processPart = (
  { ledger, spinning = [] }: ReportInput,
  rows: RowWindow,
): Pick<AgentReport, 'processes' | 'exitedProcesses'> => {
  const kinds = kindsBy(spinning, ({ pid }) => pid);
  const processes: ProcessRow[] = [];
  let exitedProcesses = energyRow(ledger.exitedProcesses(), rows);
  for (const entry of ledger.processes()) {
    const row = withSpin(processRow(entry, rows), kinds.get(entry.identity.pid));
    if (row.isExited && row.cpuRatio === 0) exitedProcesses = addEnergyRows(exitedProcesses, row);
    else processes.push(row);
  }
  return { processes, exitedProcesses };
};

/** An ended thread is shown, as an ended process is, in the window of its last activity. */
const threadPart = (
  { ledger, threadsOf, spinning = [] }: ReportInput,
  window: RowWindow,
): AgentReport['threads'] => {
  const kinds = kindsBy(spinning, ({ tid }) => tid);
  const rows: ThreadRow[] = [];
  for (const entry of ledger.threads()) {
    if (threadsOf?.has(entry.identity.pid) === false) continue;
    const row = withSpin(threadRow(entry, window), kinds.get(entry.identity.tid));
    if (!entry.isExited || row.cpuRatio > 0) rows.push(row);
  }
  return rows;
};

/** Rows stand in the ledger's order; viewers sort. Cost: one pass over all entries. */
export const buildReport = (input: ReportInput): AgentReport => {
  const { window, ledger, source } = input;
  const domains = ledger.domains();
  const rows = rowWindow(window, domains);
  const { spanNanos } = rows;
  const overflow = ledger.overflow();
  return {
    schema: AGENT_REPORT_SCHEMA,
    agent: input.agent,
    window: windowPart(window, spanNanos),
    source: {
      origin: source.origin,
      kinds: source.kinds,
      split: splitOf(domains, 'cpu') ?? splitOf(domains, 'dram') ?? 'time',
      isGuess: source.isGuess,
      label: labelOf(source, domains),
    },
    host: {
      cpuCount: input.cpuCount,
      busyRatio: window.busyRatio,
      stealRatio: stealRatio(input, spanNanos),
    },
    ...(input.calibration === undefined ? {} : { calibration: input.calibration }),
    domains: domainRows(window, domains),
    meters: meterRows(window, domains),
    ...processPart(input, rows),
    cgroups: Array.from(ledger.cgroups(), (entry) => cgroupRow(entry, rows)),
    threads: threadPart(input, rows),
    overflowProcesses: energyRow(overflow.processes, rows),
    overflowCgroups: energyRow(overflow.cgroups, rows),
    exitedCgroups: energyRow(ledger.exitedCgroups(), rows),
    names: Array.from(ledger.names(), (entry) => nameRow(entry, rows)),
    overflowNames: energyRow(ledger.namesOverflow(), rows),
    users: Array.from(ledger.users(), (entry) => userRow(entry, rows)),
    overflowUsers: energyRow(ledger.usersOverflow(), rows),
    workloads: workloadParts(ledger, rows),
    accounting: {
      slotsUsed: window.slotsUsed,
      slotsLimit: window.slotsLimit,
      slotBytes: input.slotBytes,
      switchesPerSecond: perSecond(window.stats.switches, spanNanos),
      losses: { ...ledger.losses(), ...input.losses },
    },
  };
};
