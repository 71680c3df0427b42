// SPDX-License-Identifier: Apache-2.0
/** Windows as lines, for pipes, files and scripts: text blocks or JSON, endless or one. */
import type { AgentReport } from '../../model/agent-report.js';
import type { CommandIo } from '../io.js';
import { FINE, type Outcome } from '../outcome.js';
import type { ReportSource } from '../report-source.js';
import { endingOf } from './end.js';
import { jsonLine } from './json.js';
import type { TopOptions } from './options.js';
import { plainBlock } from './plain.js';
import { rowsOf } from './rows.js';
import { spanSummer } from './spans.js';

/** Of a terminal that stays where it is (`--once`); undefined: a pipe or a file. */
export interface StreamSize {
  readonly columns: number;
  readonly rows: number;
}

/** Lines that a block has besides its rows, and the prompt after it. */
const LINES_AROUND_ROWS = 9;

const textOfReport = (
  report: AgentReport,
  options: TopOptions,
  size: StreamSize | undefined,
  context: Parameters<typeof plainBlock>[3],
): string => {
  if (options.json) return `${jsonLine(report, options, context)}\n`;
  const rows = rowsOf(report, { ...options, isReversed: false });
  const fitting = size === undefined ? rows.length : Math.max(5, size.rows - LINES_AROUND_ROWS);
  const shown = rows.slice(0, options.maxRows ?? fitting);
  const lines = plainBlock(report, shown, options, context, size?.columns);
  // A blank line between blocks, none after the only one.
  return `${lines.join('\n')}\n${options.once ? '' : '\n'}`;
};

/** The first reading of a counter is a baseline: a window of nothing but these has no power yet. */
const hasPower = ({ domains }: AgentReport): boolean => {
  const attributed = domains.filter(({ split }) => split !== null);
  return attributed.length === 0 || attributed.some(({ state }) => state !== 'first');
};

/**
 * Whether a report is the one that `--once` waits for: it has power, the threads asked for (kept
 * only since we asked, so the second window has them if the first has not), and spans the interval.
 */
const onceFilter = (options: TopOptions): ((report: AgentReport) => boolean) => {
  let windowsSeen = 0;
  return (report) => {
    if (!hasPower(report)) return false;
    windowsSeen++;
    if (options.threadsOf === undefined) return true;
    return report.threads.length > 0 || windowsSeen > 2;
  };
};

/** Resolves after one window (`--once`), at a signal, or when reader or source are gone. */
export const streamReports = async (
  source: ReportSource,
  options: TopOptions,
  { stdout, clock }: CommandIo,
  size: StreamSize | undefined,
): Promise<Outcome> => {
  const summer = spanSummer(options.intervalSeconds);
  const isWanted = options.once ? onceFilter(options) : () => true;
  let isBlocked = false;
  let skippedWindows = 0;
  let isFirst = true;
  const onDrain = (): void => {
    isBlocked = false;
  };
  stdout.on('drain', onDrain);
  const ending = endingOf(source, stdout, () => stdout.removeListener('drain', onDrain));
  const write = (report: AgentReport): void => {
    const nowUnixMillis = clock.unixMillis();
    const context = { origin: source.origin, nowUnixMillis, skippedWindows };
    const text = textOfReport(report, options, size, context);
    if (options.once) {
      stdout.write(text, () => {
        ending.finish(FINE);
      });
      unsubscribe();
    } else {
      isBlocked = !stdout.write(text);
    }
  };
  const take = (report: AgentReport, skipped: number): void => {
    skippedWindows += skipped;
    if (!isWanted(report)) return;
    const isBaseline = isFirst && options.once && options.intervalSeconds !== undefined;
    isFirst = false;
    const due = summer.add(report);
    const { intervalSeconds } = options;
    const isWholeInterval = report.window.durationSeconds >= (intervalSeconds ?? 0) * 0.75;
    if (due === undefined || (isBaseline && !isWholeInterval)) return;
    // A reader that is slow gets fewer windows, not a growing backlog.
    if (isBlocked) skippedWindows++;
    else write(due);
  };
  let unsubscribe: () => void = () => undefined;
  const latest = source.latest();
  // A joined agent's last window serves `--once` at once, unless threads have yet to be asked for.
  if (latest !== undefined && options.threadsOf === undefined) take(latest, 0);
  const isDone = options.once && latest !== undefined && hasPower(latest) && !needsMore(options);
  if (!isDone) unsubscribe = source.subscribe(take);
  return ending.outcome;
};

const needsMore = ({ threadsOf, intervalSeconds }: TopOptions): boolean =>
  threadsOf !== undefined || intervalSeconds !== undefined;
