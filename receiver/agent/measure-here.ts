// SPDX-License-Identifier: Apache-2.0
/** Own measuring for a viewer that found no agent to join. */
import * as E from 'fp-ts/lib/Either.js';
import type * as TE from 'fp-ts/lib/TaskEither.js';
import type { ReportSource } from '../model/report-source.js';
import type { Config } from '../config/config.js';
import type { Complaint } from '../model/errors.js';
import { ownSource } from './own-source.js';
import { startMeasurement, type StartOptions } from './start-measurement.js';

export const measureHere =
  (config: Config, options: StartOptions): TE.TaskEither<Complaint, ReportSource> =>
  async () => {
    const started = await startMeasurement(config, options);
    if (E.isLeft(started)) return started;
    const { measurement, session, threads, close } = started.right;
    return E.right(ownSource({ measurement, session, threads, logger: options.logger, close }));
  };
