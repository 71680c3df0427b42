// SPDX-License-Identifier: Apache-2.0
/** Decides and publishes window after window, and withdraws the feed at the end. Owns the publisher. */
import * as E from 'fp-ts/lib/Either.js';
import type { NativeError } from '../receiver/activity/port.js';
import { decide, INITIAL_STATE, type DecideState } from './decide.js';
import { encodePolicy } from './encode.js';
import type { Observation } from './observation.js';
import type { Policy, PolicySettings } from './policy.js';
import type { FeedPublisher } from './port.js';
import { CgroupSlots } from './slots.js';

export interface PublisherOptions {
  readonly settings: PolicySettings;
  /** A generation holds for this many windows after its own: one may be late, two say that nobody is left. */
  readonly validityWindows: number;
  readonly hasTasks: boolean;
  readonly monotonicNanos: () => bigint;
}

const NANOS_PER_SECOND = 1e9;

export class PolicyPublisher {
  readonly #publisher: FeedPublisher;
  readonly #options: PublisherOptions;
  readonly #slots: CgroupSlots;
  #state: DecideState = INITIAL_STATE;
  #isClosed = false;

  constructor(publisher: FeedPublisher, options: PublisherOptions) {
    this.#publisher = publisher;
    this.#options = options;
    this.#slots = new CgroupSlots(options.settings.maxCgroups);
  }

  /** Left: this window was not published; readers still have the last one, which expires. */
  publish(observation: Observation): E.Either<NativeError, Policy> {
    const { settings, validityWindows, hasTasks, monotonicNanos } = this.#options;
    const { policy, state } = decide(this.#state, observation, settings);
    this.#state = state;
    const nowNanos = monotonicNanos();
    const validNanos = observation.windowSeconds * validityWindows * NANOS_PER_SECOND;
    const slots = this.#slots.assign(policy.cgroups.map(({ id }) => id));
    const halves = encodePolicy(policy, slots, {
      nowNanos,
      validUntilNanos: nowNanos + BigInt(Math.round(validNanos)),
      hasTasks,
    });
    return E.map(() => policy)(this.#publisher.publish(halves));
  }

  /** Withdraws and closes. Twice is fine. */
  close(): E.Either<NativeError, void> {
    if (this.#isClosed) return E.right(undefined);
    this.#isClosed = true;
    const withdrawn = this.#publisher.withdraw();
    this.#publisher.close();
    return withdrawn;
  }
}
