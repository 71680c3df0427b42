// SPDX-License-Identifier: Apache-2.0
/** One measurer, many viewers: joins the agent if one runs here, else measures. */
import * as TE from 'fp-ts/lib/TaskEither.js';
import { pipe } from 'fp-ts/lib/function.js';
import type { Config } from '../config/config.js';
import type { Complaint } from '../model/errors.js';
import { joinAgent, type JoinError } from '../socket/client.js';
import type { ProgramDeps } from './deps.js';
import type { ReportSource } from '../model/report-source.js';

/** A live agent answers within milliseconds; one that is stopped or swapped out may take seconds. */
const JOIN_TIMEOUT_MILLIS = 5000;

export interface OpenOptions {
  /** `--socket` was given: its agent or none. */
  readonly isJoinRequired: boolean;
  readonly windowMillis: number;
}

export const openSource = (
  config: Config,
  { isJoinRequired, windowMillis }: OpenOptions,
  { measure }: Pick<ProgramDeps, 'measure'>,
): TE.TaskEither<Complaint, ReportSource> =>
  pipe(
    joinAgent({ path: config.agent.socketPath, timeoutMillis: JOIN_TIMEOUT_MILLIS }),
    TE.orElse((error: JoinError) =>
      error._tag === 'NoAgent' && !isJoinRequired
        ? measure(config, { windowMillis })
        : TE.left(error.complaint),
    ),
  );
