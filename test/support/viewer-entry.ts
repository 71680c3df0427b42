// SPDX-License-Identifier: Apache-2.0
/**
 * The real command line over an own measuring that a test can follow: window after window of the
 * same report, as fast as the interval. Run by tests as a process of its own.
 */
import { writeFileSync } from 'node:fs';
import * as TE from 'fp-ts/lib/TaskEither.js';
import { processIo } from '../../receiver/commands/io.js';
import { runProgram } from '../../receiver/commands/program.js';
import type { ReportListener, ReportSource } from '../../receiver/model/report-source.js';
import type { AgentReport } from '../../receiver/model/agent-report.js';
import { agentReport, energyRow, laterReport, processRow } from './agent-report.js';

const WINDOW_MILLIS = 100;

const fakeMeasuring = (): ReportSource => {
  let index = 0;
  let threadsOf: number | undefined;
  const listeners = new Set<ReportListener>();
  const reportNow = (): AgentReport => {
    const report = laterReport(agentReport(), index++);
    const threads =
      threadsOf === undefined
        ? []
        : [{ ...energyRow(1), tid: threadsOf + 1, pid: threadsOf, name: 'a-thread' }];
    const ended = process.env['FAKE_ENDS_AFTER'];
    const late = processRow(5000 + index, `window-${index}`, 0.001);
    if (ended !== undefined && index > Number(ended)) {
      for (const end of ends) {
        end({ what: 'follow agent 4242', cause: 'it ended without a word', remedy: 'see its log' });
      }
    }
    return {
      ...report,
      processes: [...report.processes, late],
      threads,
      window: { ...report.window, endUnixMillis: Date.now() },
    };
  };
  const ends = new Set<Parameters<ReportSource['onEnd']>[0]>();
  const timer = setInterval(() => {
    const report = reportNow();
    for (const listener of listeners) listener(report, 0);
  }, WINDOW_MILLIS);
  return {
    origin: { _tag: 'Own' },
    latest: () => undefined,
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    onEnd: (listener) => {
      ends.add(listener);
      return () => ends.delete(listener);
    },
    explain: async () => Promise.resolve(undefined),
    record: () => undefined,
    setOptions: (options) => {
      if ('threadsOf' in options) threadsOf = options.threadsOf;
    },
    close: async () => {
      clearInterval(timer);
      return Promise.resolve();
    },
  };
};

const pidFile = process.env['PID_FILE'];
if (pidFile !== undefined) writeFileSync(pidFile, String(process.pid));

process.exitCode = await runProgram(
  {
    version: '0.1.0-test',
    io: processIo(),
    run: () => TE.right(undefined),
    measure: () => TE.fromIO(fakeMeasuring),
    check: () => TE.right(true),
    feed: () => TE.right(true),
    examine: () => TE.right([]),
  },
  process.argv.slice(2),
);
