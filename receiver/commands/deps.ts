// SPDX-License-Identifier: Apache-2.0
/** What the command line needs from the rest of the program. main.ts supplies it. */
import type * as TE from 'fp-ts/lib/TaskEither.js';
import type { Config } from '../config/config.js';
import type { Complaint } from '../model/errors.js';
import type { FeedOptions } from '../feed/run-feed.js';
import type { CommandIo } from './io.js';
import type { Outcome } from './outcome.js';
import type { ExaminedThread } from '../spin/examine.js';
import type { ReportSource } from '../model/report-source.js';

export interface MeasureOptions {
  readonly windowMillis: number;
}

export interface SpinOptions {
  readonly procfsRoot: string;
  readonly pid: number;
  readonly seconds: number;
  readonly pollers: readonly string[];
}

export interface CheckOptions {
  /** `--json`: one document instead of text. */
  readonly json: boolean;
}

/** The real actions; main.ts supplies them. */
export interface ProgramDeps {
  readonly version: string;
  readonly io: CommandIo;
  /** The agent. Resolves when it has ended in order (SIGTERM, SIGINT, SIGHUP). It owns its signals. */
  readonly run: (config: Config) => TE.TaskEither<Complaint, void>;
  /** Own measuring for a viewer. No window need be there yet when it resolves. */
  readonly measure: (
    config: Config,
    options: MeasureOptions,
  ) => TE.TaskEither<Complaint, ReportSource>;
  /** Samples the running threads of a process, and judges whether they only wait. */
  readonly examine: (options: SpinOptions) => TE.TaskEither<Complaint, readonly ExaminedThread[]>;
  /** Prints to `io.stdout` itself. True: this machine can be measured. */
  readonly check: (config: Config, options: CheckOptions) => TE.TaskEither<Complaint, boolean>;
  /** Prints to `io.stdout` itself. True: a scheduler would take the feed. */
  readonly feed: (config: Config, options: FeedOptions) => TE.TaskEither<Complaint, boolean>;
}

/** Called by a command's action when it has ended. */
export type Finish = (outcome: Outcome) => void;
