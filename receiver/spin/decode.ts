// SPDX-License-Identifier: Apache-2.0
/** `struct spin_record` to samples; pure. */
import {
  spinCallWord,
  spinCounter,
  spinLimit,
  spinPlace,
  spinProgramWord,
  spinRecord,
  spinSample,
} from '../../native/spin-layout.generated.js';
import { Words } from '../activity/words.js';
import type { ThreadCounters } from './counters.js';
import type { CallSample, ProgramSample, ThreadSamples } from './samples.js';
import { TIMESPEC_ARGUMENTS } from './system-calls.js';

const NO_TIMEOUT = 2n ** 64n - 1n;
const WORD_BITS = 64;
const NO_RESULT = -38n; // ENOSYS

const programOf = (words: Words, at: number): ProgramSample => {
  const word = (index: number): bigint =>
    words.u64(at + spinSample.offset.word + index * spinSample.widthBytes.word);
  return {
    address: words.u64(at + spinSample.offset.ip),
    registers: word(spinProgramWord.registersHash),
    memory: word(spinProgramWord.memoryHash),
    behindCall: word(spinProgramWord.behindCall),
    callResult: BigInt.asIntN(WORD_BITS, word(spinProgramWord.callResult)),
  };
};

const callOf = (words: Words, at: number): CallSample => {
  const word = (index: number): bigint =>
    words.u64(at + spinSample.offset.word + index * spinSample.widthBytes.word);
  const result = BigInt.asIntN(WORD_BITS, word(spinCallWord.result));
  const timeoutNanos = word(spinCallWord.timeoutNs);
  return {
    number: words.u32(at + spinSample.offset.call),
    returnAddress: words.u64(at + spinSample.offset.ip),
    callArguments: Array.from({ length: spinLimit.arguments }, (_, index) => word(index)),
    result: result === NO_RESULT ? undefined : result,
    timeoutNanos: timeoutNanos === NO_TIMEOUT ? undefined : timeoutNanos,
    content: word(spinCallWord.contentHash),
  };
};

const countersOf = (words: Words): ThreadCounters | undefined => {
  const { offset, widthBytes } = spinRecord;
  const counted = words.u32(offset.counted);
  const counter = (index: number): number | undefined =>
    (counted & (1 << index)) === 0
      ? undefined
      : Number(words.u64(offset.counter + index * widthBytes.counter));
  // Opened on a machine whose PMU is a facade, they count nothing.
  const instructions = counter(spinCounter.instructions);
  if (instructions === undefined || instructions === 0) return undefined;
  return {
    cycles: counter(spinCounter.cycles),
    instructions,
    cacheMisses: counter(spinCounter.cacheMisses),
    branches: counter(spinCounter.branches),
    branchMisses: counter(spinCounter.branchMisses),
  };
};

/** Undefined: not the bytes of one record. */
export const decodeSamples = (bytes: Uint8Array): ThreadSamples | undefined => {
  if (bytes.length !== spinRecord.sizeBytes) return undefined;
  const words = Words.over(bytes);
  const { offset } = spinRecord;
  const count = Math.min(words.u32(offset.count), spinLimit.samplesMax);
  const program: ProgramSample[] = [];
  const calls: CallSample[] = [];
  let otherCount = 0;
  for (let index = 0; index < count; index += 1) {
    const at = offset.sample + index * spinSample.sizeBytes;
    const place = words.u32(at + spinSample.offset.place);
    if (place === spinPlace.inProgram) program.push(programOf(words, at));
    else if (place === spinPlace.inCall) calls.push(callOf(words, at));
    else otherCount += 1;
  }
  const counters = countersOf(words);
  return {
    tid: words.u32(offset.tid),
    is32Bit: words.u32(offset.is32bit) !== 0,
    program,
    calls,
    otherCount,
    ...(counters === undefined ? {} : { counters }),
  };
};

/** For OpenSpinSampler. */
export const timespecTable = (): Uint8Array => {
  const table = new Uint8Array(Math.max(...TIMESPEC_ARGUMENTS.keys()) + 1);
  for (const [number, argument] of TIMESPEC_ARGUMENTS) table[number] = argument + 1;
  return table;
};
