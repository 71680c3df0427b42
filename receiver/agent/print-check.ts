// SPDX-License-Identifier: Apache-2.0
/** `wattfeed check` on the real machine: asks, and prints the answer for a person or a program. */
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import * as E from 'fp-ts/lib/Either.js';
import type * as TE from 'fp-ts/lib/TaskEither.js';
import * as layout from '../../native/layout.generated.js';
import { activityPort } from '../../native/index.js';
import { checkMachine } from '../check/check-machine.js';
import { learntFindings } from '../check/learnt-findings.js';
import { renderCheck } from '../check/render.js';
import type { Config } from '../config/config.js';
import { systemClock } from '../host/clock.js';
import { readCpuModel } from '../host/cpu-model.js';
import { readText } from '../host/files.js';
import { readHostIdentity } from '../host/identity.js';
import { EXIT_FINE, type Complaint } from '../model/errors.js';
import { parseLearnt } from './learnt-state.js';
import { LEARNT_FILE } from './learnt-store.js';
import { energyConfig, probePorts } from './machine.js';

export interface CheckOutput {
  readonly json: boolean;
  readonly stdout: Writable;
}

/** As an agent would find it; nothing is set aside by looking. */
const readLearnt = ({ agent, roots }: Config): ReturnType<typeof parseLearnt> | undefined => {
  const text = readText(join(agent.stateDirectory, LEARNT_FILE));
  if (E.isLeft(text)) return undefined;
  return parseLearnt(text.right, {
    machineId: readHostIdentity(roots).machineId ?? '',
    cpuName: readCpuModel(roots).name,
  });
};

/** Right(true): this machine can be measured. */
export const printCheck =
  (config: Config, { json, stdout }: CheckOutput): TE.TaskEither<Complaint, boolean> =>
  async () => {
    const port = activityPort();
    const activity = E.isRight(port) ? port.right : undefined;
    const checked = await checkMachine(
      {
        roots: config.roots,
        energy: energyConfig(config),
        slots: { count: config.accounting.maxTasks, bytesEach: layout.slotRecord.sizeBytes },
        windowMillis: config.windowMillis,
        counters: config.accounting.counters,
      },
      activity,
      probePorts(activity, systemClock),
    );
    const learnt = learntFindings(readLearnt(config));
    const result = { ...checked, findings: [...checked.findings, ...learnt] };
    stdout.write(json ? `${JSON.stringify(result, null, 2)}\n` : renderCheck(result));
    return E.right(result.exitCode === EXIT_FINE);
  };
