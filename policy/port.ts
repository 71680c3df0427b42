// SPDX-License-Identifier: Apache-2.0
/** What the policy needs of the feed's pinned maps; `native/index.ts` is the real instance. */
import type * as E from 'fp-ts/lib/Either.js';
import type { NativeError } from '../receiver/activity/port.js';

/** One generation as the records of power_feed.h: whole halves, one behind the other. */
export interface FeedHalves {
  readonly state: Uint8Array;
  readonly packages: Uint8Array;
  readonly cpus: Uint8Array;
  readonly cgroups: Uint8Array;
}

export interface FeedPublisher {
  /** Resolves to the number of the generation. */
  readonly publish: (halves: FeedHalves) => E.Either<NativeError, bigint>;
  /** Expired from now on; the pins stay. */
  readonly withdraw: () => E.Either<NativeError, void>;
  /** Simulation only: sets the entry of a thread, or with tid 0 of a process's threads; returns how many. */
  readonly setTask: (tid: number, tgid: number, entry: Uint8Array) => E.Either<NativeError, number>;
  readonly close: () => void;
}

export interface OpenedPublisher {
  readonly publisher: FeedPublisher;
  /** Pins of a dead agent that were kept, and such that did not fit and were replaced. */
  readonly adopted: readonly string[];
  readonly replaced: readonly string[];
}

/** A look at the feed, through the readers of power_feed.h. `status`: enum power_feed_status. */
export interface FeedLook extends FeedHalves {
  readonly status: number;
  readonly nowNanos: bigint;
}

/** One task's entry as a scheduler reads it at this moment. */
export interface FeedTask {
  readonly status: number;
  readonly tid: number;
  readonly tgid: number;
  readonly cgroupId: bigint;
  readonly comm: Uint8Array;
  readonly flags: number;
  readonly ageNanos: number;
  readonly energyNanojoules: number;
  readonly runNanos: number;
  readonly runMicrowatts: number;
  readonly fastMicrowatts: number;
  readonly slowMicrowatts: number;
  readonly dramMicrowatts: number;
  readonly queueWaitNanos: number;
  readonly classId: number;
  readonly spinPermille: number;
  readonly frequencySensitivityPermille: number;
  readonly smtPenaltyPermille: number;
  readonly energyPerInstructionPicojoules: number;
}

export interface FeedReader {
  readonly read: () => E.Either<NativeError, FeedLook>;
  readonly tasks: () => E.Either<NativeError, readonly FeedTask[]>;
  readonly close: () => void;
}

/** A scheduler's pinned task hint map; hints 0 to 1024. Each call returns how many threads there still were. */
export interface HintMap {
  readonly set: (tids: readonly number[], hint: number) => E.Either<NativeError, number>;
  readonly clear: (tids: readonly number[]) => E.Either<NativeError, number>;
  readonly close: () => void;
}

export interface FeedPort {
  /** ENOENT: the scheduler has not pinned it yet. EPROTO: it is another kind of map. */
  readonly openHintMap: (path: string) => E.Either<NativeError, HintMap>;
  /**
   * `directory` is the versioned one. The caller holds the lock of its parent: then pins found there belong
   * to nobody who lives.
   */
  readonly openPublisher: (
    directory: string,
    simulates: boolean,
  ) => E.Either<NativeError, OpenedPublisher>;
  /** ENOENT: nobody has published here. EPROTO: another version's pins. */
  readonly openReader: (directory: string) => E.Either<NativeError, FeedReader>;
}

/** Below the pin directory; a new major version gets a new name. */
export const FEED_VERSION_DIRECTORY = 'v1';
