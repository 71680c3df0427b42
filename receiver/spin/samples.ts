// SPDX-License-Identifier: Apache-2.0
/** Where one thread was met, sampled by the clock while it ran. */

/** A place in the program. */
export interface AddressSamples {
  readonly address: bigint;
  readonly count: number;
  /**
   * Samples with one of the first few states of the registers seen here. A loop that waits returns to the
   * same states for ever; one that works does not.
   */
  readonly sameState: number;
}

/** In the kernel, by system call. */
export interface CallSamples {
  readonly number: number;
  readonly count: number;
  /** Samples with the arguments of the first. */
  readonly sameArguments: number;
  /** Of the first sample. */
  readonly callArguments: readonly bigint[];
  /** The time to wait that an argument points to, where it could be read; undefined: none, or not read. */
  readonly timeoutNanos: bigint | undefined;
}

export interface ThreadSamples {
  readonly tid: number;
  readonly is32Bit: boolean;
  readonly userCount: number;
  readonly kernelCount: number;
  /** User samples at addresses for which there was no room. */
  readonly elsewhereCount: number;
  readonly addresses: readonly AddressSamples[];
  readonly calls: readonly CallSamples[];
  /** Samples right behind a system call, whose result is still in its register. */
  readonly resultCount: number;
  /** Of these, those with EAGAIN. */
  readonly againCount: number;
}

export const sampleCount = ({ userCount, kernelCount }: ThreadSamples): number =>
  userCount + kernelCount;
