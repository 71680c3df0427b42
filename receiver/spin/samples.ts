// SPDX-License-Identifier: Apache-2.0
/** Where one thread was met, sampled by the clock while it ran. */
import type { ThreadCounters } from './counters.js';

/** In the program. */
export interface ProgramSample {
  readonly address: bigint;
  /** Hash of all general registers: a loop that waits returns to the same ones, one that works does not. */
  readonly registers: bigint;
  /** Hash of what they point to. */
  readonly memory: bigint;
  /** Where the last system call returned to, if a register still says so, and what may be its result. */
  readonly behindCall: bigint;
  readonly callResult: bigint;
}

/** In the kernel, asked by the program. */
export interface CallSample {
  readonly number: number;
  readonly returnAddress: bigint;
  readonly callArguments: readonly bigint[];
  /** Undefined: there was none yet. */
  readonly result: bigint | undefined;
  /** The time to wait that an argument points to, where it could be read; undefined: none, or not read. */
  readonly timeoutNanos: bigint | undefined;
  /** Hash of what the first two arguments point to: a path, a set of files. */
  readonly content: bigint;
}

export interface ThreadSamples {
  readonly tid: number;
  readonly is32Bit: boolean;
  readonly program: readonly ProgramSample[];
  readonly calls: readonly CallSample[];
  /** In the kernel without having asked for it: exceptions, interrupts. */
  readonly otherCount: number;
  /** Of the thread alone, meanwhile; absent where nothing was counted. */
  readonly counters?: ThreadCounters;
}

/** Bytes of the C library's wrapper in which the result is still in its register. */
const WRAPPER_BYTES = 32n;

/** On the way out of a system call. */
export const isRightBehind = ({ address, behindCall }: ProgramSample): boolean =>
  address >= behindCall && address - behindCall < WRAPPER_BYTES;

export const sampleCount = ({ program, calls, otherCount }: ThreadSamples): number =>
  program.length + calls.length + otherCount;

export const kernelShare = (samples: ThreadSamples): number =>
  (samples.calls.length + samples.otherCount) / Math.max(1, sampleCount(samples));

/** Program samples by address, the most frequent first. */
export const byAddress = ({
  program,
}: ThreadSamples): readonly (readonly [bigint, readonly ProgramSample[]])[] => {
  const groups = new Map<bigint, ProgramSample[]>();
  for (const sample of program) {
    const group = groups.get(sample.address);
    if (group === undefined) groups.set(sample.address, [sample]);
    else group.push(sample);
  }
  return [...groups].sort(([, a], [, b]) => b.length - a.length);
};
