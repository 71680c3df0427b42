// SPDX-License-Identifier: Apache-2.0
/** Own measuring as a viewer sees it: the same face that a joined agent has. */
import * as E from 'fp-ts/lib/Either.js';
import type { ActivitySession } from '../activity/port.js';
import type { ReportListener, ReportSource, SourceOptions } from '../model/report-source.js';
import type { ThreadWatch } from './thread-watch.js';
import type { Logger } from './logger.js';
import type { Measurement } from './measurement.js';

export interface OwnSourceParts {
  readonly measurement: Measurement;
  readonly session: Pick<ActivitySession, 'setWindowMillis'>;
  readonly threads: ThreadWatch;
  readonly logger: Logger;
  readonly close: () => Promise<void>;
}

export const ownSource = (parts: OwnSourceParts): ReportSource => {
  const { measurement, session, threads, logger, close } = parts;
  let stopThreads: (() => void) | undefined;
  const setOptions = (options: SourceOptions): void => {
    if (options.intervalMillis !== undefined) {
      const changed = session.setWindowMillis(options.intervalMillis);
      if (E.isLeft(changed)) logger.warn('window not changed', { code: changed.left.code });
    }
    if ('threadsOf' in options) {
      stopThreads?.();
      stopThreads = options.threadsOf === undefined ? undefined : threads.watch(options.threadsOf);
    }
  };
  return {
    origin: { _tag: 'Own' },
    latest: measurement.latest,
    // Own windows come one by one: none is skipped.
    subscribe: (listener: ReportListener) =>
      measurement.subscribe((report) => {
        listener(report, 0);
      }),
    onEnd: () => () => undefined,
    setOptions,
    explain: measurement.explain,
    record: (sink) =>
      measurement.record(sink) === undefined
        ? { what: 'record', cause: 'others record already', remedy: 'end one of them' }
        : undefined,
    close,
  };
};
