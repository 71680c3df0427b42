// SPDX-License-Identifier: Apache-2.0
/** Samples in system calls: which of them wait for nothing, by arguments and results. Pure. */
import { assertNever } from '../model/errors.js';
import type { SpinKind } from '../model/spin.js';
import type { CallMeaning } from './call-meaning.js';
import {
  isRightBehind,
  sampleCount,
  type CallSample,
  type ProgramSample,
  type ThreadSamples,
} from './samples.js';
import { callMeaning } from './system-calls.js';
import type { Tally } from './tally.js';

/** Fewer results than this say nothing about a call. */
const MIN_RESULTS = 3;
const MIN_FAILED_SHARE = 0.8;
const MAX_BRINGING_SHARE = 0.5;
/** Where the CPU is emulated, the clock's own interrupts were met at up to 0.4. */
const MAX_INTERRUPTED_SHARE = 0.5;
/** Linux returns errors as -1 … -4095; from 512 on they are the kernel's own. */
const LAST_ERROR = -511n;

const hasFailed = (result: bigint): boolean => result < 0n && result >= LAST_ERROR;

/** Of the samples in the call, and of those right behind it. */
const resultsOf = (
  calls: readonly CallSample[],
  program: readonly ProgramSample[],
): readonly bigint[] => {
  const behind = new Set(calls.map(({ returnAddress }) => returnAddress));
  const known = calls.flatMap(({ result }) => (result === undefined ? [] : [result]));
  const seen = program.flatMap((sample) =>
    behind.has(sample.behindCall) && isRightBehind(sample) ? [sample.callResult] : [],
  );
  return [...known, ...seen];
};

/** Whoever asks for a time or lets others run may name another time each time. */
const hasContent = (call: CallSample, is32Bit: boolean): boolean => {
  const { _tag } = callMeaning(call, is32Bit);
  return _tag !== 'Idle' && _tag !== 'Ask';
};

/** Calls that come again as they were; what differs from time to time is work. */
const repeated = (calls: readonly CallSample[], is32Bit: boolean): readonly CallSample[] => {
  const keyOf = (call: CallSample): string =>
    [...call.callArguments, hasContent(call, is32Bit) ? call.content : 0n].join();
  const counts = new Map<string, number>();
  for (const call of calls) counts.set(keyOf(call), (counts.get(keyOf(call)) ?? 0) + 1);
  return calls.filter((call) => (counts.get(keyOf(call)) ?? 0) > 1);
};

const share = (results: readonly bigint[], holds: (result: bigint) => boolean): number =>
  results.filter(holds).length / Math.max(1, results.length);

/** So much of what a call points to is in its hash, up to a zero. */
const MAX_HASHED_BYTES = 127n;

/** The same few bytes again: all of them are in the hash. Of more nobody knows. */
const readsTheSame = (calls: readonly CallSample[], results: readonly bigint[]): boolean =>
  results.length >= MIN_RESULTS &&
  share(results, (result) => result === results[0]) >= MIN_FAILED_SHARE &&
  results.every((result) => result <= MAX_HASHED_BYTES) &&
  new Set(calls.map(({ content }) => content)).size === 1;

/** What is known of the thread's other calls. */
interface Others {
  /** It goes back to a file's beginning, and that brings nothing new. */
  readonly rewinds: boolean;
}

const waitsInVain = (
  meaning: CallMeaning,
  calls: readonly CallSample[],
  results: readonly bigint[],
  { rewinds }: Others,
): boolean => {
  const mostly = (holds: (result: bigint) => boolean): boolean =>
    results.length >= MIN_RESULTS && share(results, holds) >= MIN_FAILED_SHARE;
  switch (meaning._tag) {
    case 'Idle':
      return true;
    case 'Ask':
      return share(results, (result) => result > 0n) <= MAX_BRINGING_SHARE;
    case 'Take':
      return (
        mostly((result) => result === 0n || hasFailed(result)) ||
        ((meaning.isPlaced || rewinds) && readsTheSame(calls, results))
      );
    case 'Rewind':
    case 'Query':
      return mostly((result) => result === results[0]);
    case 'Try':
      return mostly(hasFailed);
    case 'Close':
      return rewinds;
    default:
      return assertNever(meaning);
  }
};

/** Where calls that wait for nothing return to, and how they wait. */
export type IdleReturns = ReadonlyMap<bigint, SpinKind>;

/** What others depend on comes first. */
const ORDER: readonly CallMeaning['_tag'][] = ['Rewind', 'Take', 'Close'];

/** Counts the samples in calls. */
export const tallyCalls = (samples: ThreadSamples, tally: Tally): IdleReturns => {
  const returns = new Map<bigint, SpinKind>();
  // Interrupts say nothing of the thread; more of it are exceptions, which its own work brings.
  if (samples.otherCount > MAX_INTERRUPTED_SHARE * sampleCount(samples))
    tally.work += samples.otherCount;
  const byNumber = [...new Set(samples.calls.map(({ number }) => number))].map((number) =>
    samples.calls.filter((call) => call.number === number),
  );
  const rankOf = ([first]: readonly CallSample[]): number =>
    first === undefined ? 0 : ORDER.indexOf(callMeaning(first, samples.is32Bit)._tag);
  const ranked = byNumber.toSorted((a, b) => rankOf(a) - rankOf(b));
  let rewinds = false;
  for (const calls of ranked) {
    const results = resultsOf(calls, samples.program);
    const again = repeated(calls, samples.is32Bit);
    const waiting = again.flatMap((call) => {
      const meaning = callMeaning(call, samples.is32Bit);
      const waits = waitsInVain(meaning, again, results, { rewinds });
      if (waits) returns.set(call.returnAddress, meaning.kind);
      return waits ? [meaning] : [];
    });
    rewinds ||= waiting.some(({ _tag }) => _tag === 'Rewind');
    for (const { kind } of waiting) tally.add(kind, 1);
    tally.work += calls.length - waiting.length;
  }
  return returns;
};
