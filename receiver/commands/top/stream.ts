// SPDX-License-Identifier: Apache-2.0
/** Windows as lines, for pipes, files and scripts: text blocks or JSON, endless or one. */
import type { AgentReport } from '../../model/agent-report.js';
import type { CommandIo } from '../io.js';
import { FINE, type Outcome } from '../outcome.js';
import type { ReportSource } from '../../model/report-source.js';
import { isAlive } from './empty-text.js';
import { endingOf, type Ending } from './end.js';
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

/** Threads that were asked for, of a process that can still have some. */
const isToCome = (report: AgentReport, threadsOf: number | undefined): boolean =>
  threadsOf !== undefined && report.threads.length === 0 && isAlive(report, threadsOf);

/** From each window to what is printed of it; undefined: nothing yet. */
type Choose = (report: AgentReport) => AgentReport | undefined;

/** A window that is this much of the interval is the interval. */
const WHOLE_INTERVAL = 0.75;

/**
 * The one report of `--once`: it has power, it spans the interval (then the first window is only
 * the baseline), and it has the threads asked for. These are kept only since we asked, so the
 * second window has them if the first has not; a process without threads has none in the third.
 */
const chooseOnce = ({ intervalSeconds, threadsOf }: TopOptions): Choose => {
  const summer = spanSummer(intervalSeconds);
  let windowsSeen = 0;
  return (report) => {
    if (!hasPower(report)) return undefined;
    windowsSeen++;
    if (windowsSeen < 3 && isToCome(report, threadsOf)) return undefined;
    const due = summer.add(report);
    const isShort = report.window.durationSeconds < (intervalSeconds ?? 0) * WHOLE_INTERVAL;
    return windowsSeen === 1 && isShort ? undefined : due;
  };
};

class ReportStream {
  #isBlocked = false;
  #isDone = false;
  #skippedWindows = 0;
  readonly #source: ReportSource;
  readonly #options: TopOptions;
  readonly #io: CommandIo;
  readonly #size: StreamSize | undefined;
  readonly #choose: Choose;
  readonly #ending: Ending;

  constructor(
    source: ReportSource,
    options: TopOptions,
    io: CommandIo,
    size: StreamSize | undefined,
  ) {
    this.#source = source;
    this.#options = options;
    this.#io = io;
    this.#size = size;
    this.#choose = options.once ? chooseOnce(options) : spanSummer(options.intervalSeconds).add;
    const onDrain = (): void => {
      this.#isBlocked = false;
    };
    io.stdout.on('drain', onDrain);
    this.#ending = endingOf(source, io.stdout, () => io.stdout.removeListener('drain', onDrain));
  }

  async follow(): Promise<Outcome> {
    const latest = this.#source.latest();
    // A joined agent's last window serves at once; threads have yet to be asked for.
    if (latest !== undefined && this.#options.threadsOf === undefined) this.#take(latest, 0);
    this.#source.subscribe((report, skipped) => {
      this.#take(report, skipped);
    });
    return this.#ending.outcome;
  }

  #take(report: AgentReport, skippedWindows: number): void {
    this.#skippedWindows += skippedWindows;
    const due = this.#isDone ? undefined : this.#choose(report);
    if (due === undefined) return;
    // A reader that is slow gets fewer windows, not a growing backlog.
    if (this.#isBlocked) this.#skippedWindows++;
    else this.#write(due);
  }

  #write(report: AgentReport): void {
    const text = textOfReport(report, this.#options, this.#size, {
      origin: this.#source.origin,
      nowUnixMillis: this.#io.clock.unixMillis(),
      skippedWindows: this.#skippedWindows,
    });
    if (!this.#options.once) {
      this.#isBlocked = !this.#io.stdout.write(text);
      return;
    }
    this.#isDone = true;
    this.#io.stdout.write(text, () => {
      this.#ending.finish(FINE);
    });
  }
}

/** Resolves after one window (`--once`), at a signal, or when reader or source are gone. */
export const streamReports = async (
  source: ReportSource,
  options: TopOptions,
  io: CommandIo,
  size: StreamSize | undefined,
): Promise<Outcome> => new ReportStream(source, options, io, size).follow();
