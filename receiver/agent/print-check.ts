// SPDX-License-Identifier: Apache-2.0
/** `wattfeed check` on the real machine: asks, and prints the answer for a person or a program. */
import type { Writable } from 'node:stream';
import * as E from 'fp-ts/lib/Either.js';
import type * as TE from 'fp-ts/lib/TaskEither.js';
import * as layout from '../../native/layout.generated.js';
import { activityPort } from '../../native/index.js';
import { checkMachine } from '../check/check-machine.js';
import { renderCheck } from '../check/render.js';
import type { Config } from '../config/config.js';
import { systemClock } from '../host/clock.js';
import { EXIT_FINE, type Complaint } from '../model/errors.js';
import { probePorts } from './machine.js';

export interface CheckOutput {
  readonly json: boolean;
  readonly stdout: Writable;
}

/** Right(true): this machine can be measured. */
export const printCheck =
  (config: Config, { json, stdout }: CheckOutput): TE.TaskEither<Complaint, boolean> =>
  async () => {
    const port = activityPort();
    const activity = E.isRight(port) ? port.right : undefined;
    const result = await checkMachine(
      {
        roots: config.roots,
        energy: config.energy,
        slots: { count: config.accounting.maxTasks, bytesEach: layout.slotRecord.sizeBytes },
        windowMillis: config.windowMillis,
        counters: config.accounting.counters,
      },
      activity,
      probePorts(activity, systemClock),
    );
    stdout.write(json ? `${JSON.stringify(result, null, 2)}\n` : renderCheck(result));
    return E.right(result.exitCode === EXIT_FINE);
  };
