// SPDX-License-Identifier: Apache-2.0
/** What examining threads needs of the kernel side. `native/index.ts` is the real instance. */
import type * as E from 'fp-ts/lib/Either.js';
import type { NativeError } from '../activity/port.js';

export interface SpinSampler {
  /** Clears record `number` and fills it from now on. Left ESRCH: the thread is gone. */
  begin(number: number, tid: number, hertz: number): E.Either<NativeError, void>;
  /** In record `number` so far; those without room count too. */
  sampleCount(number: number): E.Either<NativeError, number>;
  /** Ends it; the bytes of `struct spin_record`. */
  end(number: number): E.Either<NativeError, Uint8Array>;
  /** Unloads the sampler. Twice is fine. */
  close(): void;
}

/**
 * `timespecArguments`: by call number, the argument that points to a timespec, plus one; 0: none.
 * `recordCount`: threads at a time, up to MAX_EXAMINED; each takes 40 KiB while the sampler is open.
 */
export type OpenSpinSampler = (
  timespecArguments: Uint8Array,
  recordCount: number,
) => E.Either<NativeError, SpinSampler>;

/** Threads that can be examined at a time: SPIN_RECORDS_MAX of spin.h. */
export const MAX_EXAMINED = 64;
