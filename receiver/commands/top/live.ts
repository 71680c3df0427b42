// SPDX-License-Identifier: Apache-2.0
/** The table that refreshes in place. */
import type { WriteStream } from 'node:tty';
import type { AgentReport } from '../../model/agent-report.js';
import { MILLIS_PER_SECOND } from '../../model/units.js';
import type { Key } from '../../terminal/keys.js';
import { painterOf } from '../../terminal/line.js';
import { Screen } from '../../terminal/screen.js';
import type { CommandIo } from '../io.js';
import { FINE, type Outcome } from '../outcome.js';
import type { ReportSource } from '../../model/report-source.js';
import { endingOf } from './end.js';
import { frameOf, waitingLines } from './frame.js';
import { firstViewState, type TopOptions } from './options.js';
import type { ViewRow } from './row.js';
import { rowsOf } from './rows.js';
import { spanSummer } from './spans.js';
import { stepOfKey, type Effect, type ViewState } from './view-state.js';

/** The window's age in the title goes on between windows. */
const AGE_MILLIS = 1000;

export interface LiveRequest {
  readonly source: ReportSource;
  readonly options: TopOptions;
  /** Own measuring is not asked for longer windows: longer intervals are summed up here. */
  readonly longestWindowMillis: number;
  readonly io: CommandIo;
}

class LiveTable {
  #state: ViewState;
  #report: AgentReport | undefined;
  #rows: readonly ViewRow[] = [];
  #pageRows = 1;
  #skippedWindows = 0;
  readonly #options: TopOptions;
  readonly #longestWindowMillis: number;
  readonly #source: ReportSource;
  readonly #io: CommandIo;
  readonly #summer;
  readonly screen: Screen;
  onQuit: () => void = () => undefined;

  constructor({ source, options, longestWindowMillis, io }: LiveRequest, stdout: WriteStream) {
    this.#state = firstViewState(options);
    this.#options = options;
    this.#longestWindowMillis = longestWindowMillis;
    this.#source = source;
    this.#io = io;
    this.#summer = spanSummer(options.intervalSeconds);
    this.screen = new Screen({
      stdin: io.stdin,
      stdout,
      paint: painterOf(io.env['NO_COLOR'] === undefined || io.env['NO_COLOR'] === ''),
      onKey: (key) => {
        this.#press(key);
      },
      onResize: () => {
        this.draw();
      },
    });
  }

  take(report: AgentReport, skippedWindows: number): void {
    this.#skippedWindows += skippedWindows;
    const due = this.#summer.add(report);
    if (due === undefined) return;
    this.#report = due;
    this.#refresh();
  }

  draw(): void {
    const viewport = this.screen.viewport();
    if (this.#report === undefined) {
      this.screen.draw(waitingLines(this.#source.origin, viewport));
      return;
    }
    const { lines, pageRows } = frameOf(this.#report, this.#rows, this.#state, viewport, {
      origin: this.#source.origin,
      nowUnixMillis: this.#io.clock.unixMillis(),
      skippedWindows: this.#skippedWindows,
    });
    this.#pageRows = pageRows;
    this.screen.draw(lines);
  }

  /** Rows are made when something changed, not when only the clock did. */
  #refresh(): void {
    if (this.#report !== undefined) {
      const rows = rowsOf(this.#report, { ...this.#state, threadsOf: this.#state.threads?.pid });
      const live = rows.filter(({ kind, cpuRatio }) => kind !== 'exited' || cpuRatio > 0);
      this.#rows = live.slice(0, this.#options.maxRows ?? live.length);
    }
    this.draw();
  }

  #press(key: Key): void {
    const { state, effect } = stepOfKey(this.#state, key, {
      rows: this.#rows,
      pageRows: this.#pageRows,
      windowSeconds: this.#report?.window.durationSeconds ?? 1,
    });
    const before = this.#state;
    this.#state = state;
    if (state.threads?.pid !== before.threads?.pid) {
      this.#source.setOptions({ threadsOf: state.threads?.pid });
    }
    if (state.intervalSeconds !== before.intervalSeconds && state.intervalSeconds !== undefined) {
      this.#summer.setInterval(state.intervalSeconds);
      const intervalMillis = state.intervalSeconds * MILLIS_PER_SECOND;
      this.#source.setOptions({
        intervalMillis: Math.min(intervalMillis, this.#longestWindowMillis),
      });
    }
    this.#carryOut(effect);
  }

  #carryOut(effect: Effect): void {
    switch (effect) {
      case 'quit':
        this.onQuit();
        return;
      case 'redraw':
        this.screen.invalidate();
        this.draw();
        return;
      case 'suspend':
        this.screen.leave();
        // The whole group, as the terminal itself does: a shell sees its job stop.
        process.kill(0, 'SIGTSTP');
        setImmediate(() => {
          this.resume();
        });
        return;
      case 'none':
        this.#refresh();
    }
  }

  /** Also after a SIGSTOP: whoever ran meanwhile has left the terminal otherwise. */
  resume(): void {
    this.screen.leave();
    this.screen.enter();
    this.draw();
  }
}

/** Resolves when the user quits, a signal arrives or the source ends; the terminal is restored. */
export const showLive = async (request: LiveRequest, stdout: WriteStream): Promise<Outcome> => {
  const { source } = request;
  const table = new LiveTable(request, stdout);
  const timer = setInterval(() => {
    table.draw();
  }, AGE_MILLIS);
  const onContinue = (): void => {
    table.resume();
  };
  process.on('SIGCONT', onContinue);
  const ending = endingOf(source, stdout, () => {
    clearInterval(timer);
    process.removeListener('SIGCONT', onContinue);
    table.screen.leave();
  });
  table.onQuit = () => {
    ending.finish(FINE);
  };
  table.screen.enter();
  table.draw();
  const latest = source.latest();
  if (latest !== undefined) table.take(latest, 0);
  source.subscribe((report, skipped) => {
    table.take(report, skipped);
  });
  return ending.outcome;
};
