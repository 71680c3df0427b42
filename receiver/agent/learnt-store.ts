// SPDX-License-Identifier: Apache-2.0
/**
 * Keeps what was learnt in the state directory. A broken file is set aside once and said, never fatal.
 */
import { renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import * as E from 'fp-ts/lib/Either.js';
import type { SavedFit } from '../attribution/calibration/package-fit.js';
import { codeOf } from '../host/error-code.js';
import { readText } from '../host/files.js';
import { complaintText, type Complaint } from '../model/errors.js';
import { learntText, parseLearnt, type MachineKey } from './learnt-state.js';
import type { Logger } from './logger.js';
import { replaceStateFile } from './state-file.js';

export const LEARNT_FILE = 'coefficients.json';
/** A fit of 64 packages is below a megabyte; what is larger is not ours. */
const MAX_STATE_BYTES = 4 * 1024 * 1024;

const attempt = (act: () => void): E.Either<string, void> =>
  E.tryCatch(act, (error) => codeOf(error, String(error)));

const sizeOf = (path: string): number => {
  try {
    const status = statSync(path);
    return status.isFile() ? status.size : Infinity;
  } catch {
    return 0;
  }
};

export class LearntStore {
  readonly #path: string;
  #hasComplained = false;

  constructor(
    directory: string,
    private readonly machine: MachineKey,
    private readonly logger: Logger,
  ) {
    this.#path = join(directory, LEARNT_FILE);
  }

  /** Empty where nothing was kept, or nothing that is of use here. */
  load(): readonly SavedFit[] {
    if (sizeOf(this.#path) > MAX_STATE_BYTES) return this.#setAside('is no state file');
    const text = readText(this.#path);
    if (E.isLeft(text)) {
      if (text.left.code !== 'ENOENT') this.#say('read', text.left.code, 'begin anew');
      return [];
    }
    const learnt = parseLearnt(text.right, this.machine);
    if (E.isLeft(learnt)) return this.#setAside(learnt.left);
    if (learnt.right._tag === 'Learnt') return learnt.right.fits;
    this.logger.info('learnt coefficients not taken over', { reason: learnt.right.why });
    return [];
  }

  save(fits: readonly SavedFit[]): void {
    const text = learntText(this.machine, fits);
    const saved = replaceStateFile(this.#path, text, { isDurable: true });
    if (E.isLeft(saved))
      this.#say('write', saved.left, 'make it writable or set agent.state_directory');
    else this.#hasComplained = false;
  }

  #setAside(cause: string): readonly SavedFit[] {
    const broken = `${this.#path}.broken`;
    const moved = attempt(() => {
      renameSync(this.#path, broken);
    });
    const remedy = E.isRight(moved) ? `set aside as ${broken}; learning begins anew` : moved.left;
    this.#say('read', cause, remedy);
    return [];
  }

  /** Once until it works again: the agent measures without it. */
  #say(verb: 'read' | 'write', cause: string, remedy: string): void {
    if (this.#hasComplained) return;
    this.#hasComplained = true;
    const complaint: Complaint = { what: `${verb} ${this.#path}`, cause, remedy };
    this.logger.warn(complaintText(complaint));
  }
}
