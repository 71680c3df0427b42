// SPDX-License-Identifier: Apache-2.0
/** What stands above the table: where the joules come from, and those that no row has. Pure. */
import type { AgentReport, DomainRow, MeterRow } from '../../model/agent-report.js';
import type { AttributedKind } from '../../model/energy-domain.js';
import { MILLIS_PER_SECOND } from '../../model/units.js';
import { span, type Line, type Style } from '../../terminal/line.js';
import { clipEnd, padEnd } from '../../terminal/width.js';
import type { SourceOrigin } from '../../model/report-source.js';
import { percentText, secondsText, wattsText } from './format.js';
import { lossText } from './losses.js';

export interface HeaderContext {
  readonly origin: SourceOrigin;
  readonly nowUnixMillis: number;
  /** Windows that this viewer was too slow for, since it began. */
  readonly skippedWindows: number;
}

const HOST_NAME_COLUMNS = 20;
const LABEL_COLUMNS = 8;
/** Below this part of the task time counted, the gaps are said. */
const WORTH_TELLING = 0.995;
/** An age of this many windows says that no window comes any more. */
const STALE_WINDOWS = 3;

export const originText = (origin: SourceOrigin): string =>
  origin._tag === 'Joined' ? `joined agent ${origin.agentPid}` : 'measuring itself';

export const ageSecondsOf = (report: AgentReport, nowUnixMillis: number): number =>
  Math.max(0, (nowUnixMillis - report.window.endUnixMillis) / MILLIS_PER_SECOND);

const titleLine = (report: AgentReport, context: HeaderContext): Line => {
  const { durationSeconds } = report.window;
  const ageSeconds = ageSecondsOf(report, context.nowUnixMillis);
  const isStale = ageSeconds > STALE_WINDOWS * Math.max(1, durationSeconds);
  return [
    span('wattfeed', 'strong'),
    span(` on ${clipEnd(report.agent.hostName, HOST_NAME_COLUMNS)}, `),
    span(originText(context.origin), 'good'),
    span(`, window ${secondsText(durationSeconds)}, `),
    span(`${secondsText(ageSeconds)} old`, isStale ? 'alarm' : 'plain'),
  ];
};

/** What of the split is worth a word: gaps in the counters, and coefficients of this very machine. */
const splitText = ({ source, domains, calibration = [] }: AgentReport): string => {
  if (source.split !== 'counters') return '';
  const counted = domains.flatMap(({ countedShare, kind }) =>
    kind === 'package' && countedShare !== undefined ? [countedShare] : [],
  );
  const least = Math.min(1, ...counted);
  const gaps = least < WORTH_TELLING ? ` (${percentText(least)} counted)` : '';
  const own = calibration.filter(({ label }) => label === 'calibrated');
  const errors = own.flatMap(({ nrmse }) => (nrmse === null ? [] : [nrmse]));
  if (own.length === 0) return `${gaps}, default coefficients`;
  const error = errors.length === 0 ? '' : `, error ${percentText(Math.max(...errors))}`;
  return `${gaps}, calibrated${error}`;
};

const sourceLine = (report: AgentReport): Line => [
  span(report.source.label, report.source.isGuess ? 'warning' : 'plain'),
  span(splitText(report)),
];

/** Attributed domains are disjoint: only these may be summed. */
const attributed = (report: AgentReport, kind: AttributedKind): readonly DomainRow[] =>
  report.domains.filter((row) => row.split !== null && (row.kind === 'dram') === (kind === 'dram'));

const sumOf = (
  rows: readonly DomainRow[],
  pick: (row: DomainRow) => number | null,
): number | undefined =>
  rows.every((row) => pick(row) !== null)
    ? rows.reduce((sum, row) => sum + (pick(row) ?? 0), 0)
    : undefined;

/** Where a domain's watts went. Idle, irq, graphics and unattributed are nobody's; the rest is in the rows. */
const partsText = (rows: readonly DomainRow[]): string => {
  const watts = sumOf(rows, (row) => row.watts);
  const idle = sumOf(rows, (row) => row.idleWatts);
  const irq = sumOf(rows, (row) => row.irqWatts);
  const igpu = sumOf(rows, (row) => row.igpuWatts ?? 0) ?? 0;
  const nobody = sumOf(rows, (row) => row.unattributedWatts);
  if (watts === undefined || idle === undefined || irq === undefined || nobody === undefined) {
    return '';
  }
  const shared = Math.max(0, watts - idle - irq - igpu - nobody);
  return (
    ` idle ${wattsText(idle)}, irq ${wattsText(irq)}, ` +
    (igpu > 0 ? `graphics ${wattsText(igpu)}, ` : '') +
    `unattributed ${wattsText(nobody)}, processes ${wattsText(shared)}`
  );
};

const isReading = ({ watts }: DomainRow): boolean => watts !== null;

const stateOf = (rows: readonly DomainRow[]): Line => {
  const silent = rows.filter((row) => !isReading(row));
  const first = silent[0];
  if (first === undefined) return [];
  const style: Style = first.state === 'first' ? 'plain' : 'warning';
  const text = first.state === 'first' ? 'first reading, no power yet' : first.state;
  const others = silent.length > 1 ? ` and ${silent.length - 1} more` : '';
  return [span(`; ${first.name} ${text}${others}`, style)];
};

/** Absent, failed and zero are three different lines. */
const domainLine = (report: AgentReport, kind: AttributedKind): Line => {
  const rows = attributed(report, kind);
  const label = span(padEnd(kind, LABEL_COLUMNS), 'strong');
  if (rows.length === 0) return [label, span(' not measured on this machine', 'faint')];
  const reading = rows.filter(isReading);
  if (reading.length === 0) {
    const [state] = stateOf(rows);
    return [label, span(` ${(state?.text ?? '').replace(/^; /, '')}`, state?.style ?? 'plain')];
  }
  const watts = sumOf(reading, (row) => row.watts) ?? 0;
  const several = rows.length > 1 ? ` (${reading.length} of ${rows.length})` : '';
  return [
    label,
    span(`${wattsText(watts).padStart(8)} W`, 'strong'),
    span(`${several} `),
    span(partsText(reading)),
    ...stateOf(rows),
  ];
};

const meterLine = ({ name, watts, restWatts }: MeterRow): Line => {
  const label = span(padEnd(name, LABEL_COLUMNS), 'strong');
  if (watts === null) return [label, span(' no reading in this window', 'warning')];
  const power = span(`${wattsText(watts).padStart(8)} W`, 'strong');
  if (restWatts === null) return [label, power];
  return restWatts < 0
    ? [
        label,
        power,
        span(`  rest of machine ${wattsText(restWatts)}: `, 'alarm'),
        span('contradiction, it reads less than its parts', 'alarm'),
      ]
    : [label, power, span(`  rest of machine ${wattsText(restWatts)} (nobody's)`)];
};

const hostLine = ({ host, accounting }: AgentReport): Line => [
  span(
    `cpu ${percentText(host.busyRatio)} of ${host.cpuCount}` +
      (host.stealRatio === null ? '' : `, steal ${percentText(host.stealRatio)}`) +
      `, ${Math.round(accounting.switchesPerSecond)} switches/s, ` +
      `slots ${accounting.slotsUsed} of ${accounting.slotsLimit}`,
  ),
];

const lossLine = ({ accounting }: AgentReport): readonly Line[] => {
  const text = lossText(accounting.losses);
  return text === undefined ? [] : [[span(text, 'warning')]];
};

export const headerLines = (report: AgentReport, context: HeaderContext): readonly Line[] => [
  titleLine(report, context),
  sourceLine(report),
  domainLine(report, 'package'),
  domainLine(report, 'dram'),
  ...report.meters.map(meterLine),
  hostLine(report),
  ...lossLine(report),
  ...(context.skippedWindows === 0
    ? []
    : [[span(`${context.skippedWindows} windows skipped: this viewer is too slow`, 'warning')]]),
];
