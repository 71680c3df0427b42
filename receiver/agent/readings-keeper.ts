// SPDX-License-Identifier: Apache-2.0
/**
 * Keeps each counter's last reading over restarts. What is kept is the reading up to which the
 * collector has the joules, so that after a crash nothing is missing and nothing is counted twice; where
 * nobody exports it is simply the last one.
 */
import { join } from 'node:path';
import * as E from 'fp-ts/lib/Either.js';
import type { CounterState } from '../energy/counter-state.js';
import type { Clock } from '../host/clock.js';
import { namedFileCause, readNamedFile } from '../host/regular-file.js';
import { complaintText } from '../model/errors.js';
import type { Logger } from './logger.js';
import { parseReadings, readingsText } from './readings-state.js';
import { replaceStateFile } from './state-file.js';

export const READINGS_FILE = 'readings.json';

/** A thousand domains are a quarter of it. */
const MAX_STATE_BYTES = 1024 * 1024;
const KEEP_EVERY_NANOS = 10_000_000_000n;

export interface ReadingsKeeperParts {
  readonly directory: string;
  readonly bootId: string;
  readonly counters: () => ReadonlyMap<string, CounterState>;
  readonly clock: Clock;
  readonly logger: Logger;
}

export class ReadingsKeeper {
  readonly #path: string;
  #snapshot: ReadonlyMap<string, CounterState> | undefined;
  #keptNanos: bigint | undefined;
  #hasComplained = false;

  constructor(private readonly parts: ReadingsKeeperParts) {
    this.#path = join(parts.directory, READINGS_FILE);
  }

  /** Readings of an agent before this one in this boot. */
  load(): ReadonlyMap<string, CounterState> {
    // The agent must start whatever lies there: to read a pipe would be to wait for ever.
    const text = readNamedFile(this.#path, MAX_STATE_BYTES);
    if (E.isLeft(text)) {
      const cause = namedFileCause(text.left);
      if (cause !== 'ENOENT') this.#say('read', cause);
      return new Map();
    }
    const { bootId, clock } = this.parts;
    const parsed = parseReadings(text.right, bootId, clock.monotonicNanos());
    if (E.isRight(parsed)) return parsed.right;
    this.#say('read', parsed.left);
    return new Map();
  }

  /** An export begins: it will carry the joules up to the counters' readings of now. */
  readonly begin = (): void => {
    this.#snapshot = this.parts.counters();
  };

  /** It has arrived. */
  readonly commit = (): void => {
    if (this.#snapshot !== undefined) this.#write(this.#snapshot);
    this.#snapshot = undefined;
  };

  /** Where nobody exports. */
  readonly keep = (): void => {
    this.#keptNanos = this.parts.clock.monotonicNanos();
    this.#write(this.parts.counters());
  };

  /** The same, to be called with each window. */
  readonly keepNowAndThen = (): void => {
    const now = this.parts.clock.monotonicNanos();
    if (this.#keptNanos === undefined || now - this.#keptNanos >= KEEP_EVERY_NANOS) this.keep();
  };

  #write(counters: ReadonlyMap<string, CounterState>): void {
    // After a crash of the machine it is of no use: no fsync.
    const text = readingsText(this.parts.bootId, counters);
    const written = replaceStateFile(this.#path, text, { isDurable: false });
    if (E.isLeft(written)) this.#say('write', written.left);
    else this.#hasComplained = false;
  }

  /** Once until it works again: the agent measures without it. */
  #say(verb: 'read' | 'write', cause: string): void {
    if (this.#hasComplained) return;
    this.#hasComplained = true;
    this.parts.logger.warn(
      complaintText({
        what: `${verb} ${this.#path}`,
        cause,
        remedy:
          'what is burned while no agent runs is not accounted for; make it writable or set agent.state_directory',
      }),
    );
  }
}
