// SPDX-License-Identifier: Apache-2.0
/** `wattfeed check`: the same survey that the agent makes, told to a person or a machine. */
import type { Writable } from 'node:stream';
import * as E from 'fp-ts/lib/Either.js';
import type * as TE from 'fp-ts/lib/TaskEither.js';
import * as layout from '../../native/layout.generated.js';
import { activityPort } from '../../native/index.js';
import { diagnose } from '../check/diagnose.js';
import { readCheckEnvironment } from '../check/environment.js';
import { renderCheck } from '../check/render.js';
import type { Config } from '../config/config.js';
import { systemClock } from '../host/clock.js';
import { EXIT_FINE, type Complaint } from '../model/errors.js';
import { surveyMachine } from './machine.js';

export interface CheckOptions {
  readonly json: boolean;
  readonly stdout: Writable;
}

/** Right(true): this machine can be measured. */
export const checkMachine =
  (config: Config, { json, stdout }: CheckOptions): TE.TaskEither<Complaint, boolean> =>
  async () => {
    const port = activityPort();
    const activity = E.isRight(port) ? port.right : undefined;
    const { facts, plan } = await surveyMachine(config, { activity, clock: systemClock });
    const result = diagnose({
      facts,
      plan,
      kernelFeatures: activity?.probeFeatures() ?? [],
      environment: readCheckEnvironment(config.roots),
      slots: { count: config.accounting.maxTasks, bytesEach: layout.slotRecord.sizeBytes },
      windowMillis: config.windowMillis,
    });
    stdout.write(json ? `${JSON.stringify(result, null, 2)}\n` : renderCheck(result));
    return E.right(result.exitCode === EXIT_FINE);
  };
