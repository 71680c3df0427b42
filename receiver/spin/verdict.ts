// SPDX-License-Identifier: Apache-2.0
/**
 * Samples of one thread -> does it spin? Each sample is work or one kind of waiting:
 *
 *   in the kernel   by the call and its arguments
 *   in the program  on the kernel's clock page: clock; on a loop with a pause: pause; where the registers
 *                   return to the same few states and the loop keeps nothing: flag; else work
 *
 * Pure. No name of a program or function is looked at.
 */
import { assertNever } from '../model/errors.js';
import type { SpinKind, SpinVerdict } from '../model/spin.js';
import type { LoopFeatures } from './loop-features.js';
import {
  sampleCount,
  type AddressSamples,
  type CallSamples,
  type ThreadSamples,
} from './samples.js';
import { callMeaning, callName } from './system-calls.js';

/** What was found at an address; undefined: its code could not be read or is on no loop. */
export type CodeAt = (address: bigint) => 'clock-page' | LoopFeatures | undefined;

export interface SpinInput {
  readonly samples: ThreadSamples;
  readonly codeAt: CodeAt;
  readonly isNonBlocking: (fd: number) => boolean;
}

/** Below this a share is known to ±0.14 at best. */
const MIN_SAMPLES = 50;
/** That much of a spinner's time must be waiting. */
const MIN_SPIN_SHARE = 0.85;
/** The rest of a loop on the clock compares and counts, as work does. */
const MIN_CLOCK_SHARE = 0.5;
/** Fewer results than this say nothing about a call. */
const MIN_RESULTS = 3;
const MIN_AGAIN_SHARE = 0.8;
/** From here on a waiting loop's own glue is not its kind. */
const MIN_NAMED_SHARE = 0.1;
/** Fewer samples at an address than this always look alike. */
const MIN_ADDRESS_SAMPLES = 4;

class Tally {
  readonly #counts = new Map<SpinKind, number>();

  add(kind: SpinKind, count: number): void {
    this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + count);
  }

  of(kind: SpinKind): number {
    return this.#counts.get(kind) ?? 0;
  }

  get sum(): number {
    return [...this.#counts.values()].reduce((all, count) => all + count, 0);
  }

  /** The commonest kind that names what is waited for; `flag` where nothing else is of weight. */
  kind(total: number): SpinKind {
    const [best] = [...this.#counts]
      .filter(([kind, count]) => kind !== 'flag' && count >= MIN_NAMED_SHARE * total)
      .toSorted(([, a], [, b]) => b - a);
    return best?.[0] ?? 'flag';
  }
}

const bringsNothing = ({ resultCount, againCount }: ThreadSamples): boolean =>
  resultCount >= MIN_RESULTS && againCount >= MIN_AGAIN_SHARE * resultCount;

const tallyCall = (call: CallSamples, input: SpinInput, tally: Tally): void => {
  const meaning = callMeaning(call, input.isNonBlocking);
  switch (meaning._tag) {
    case 'Spin':
      return tally.add(meaning.kind, call.sameArguments);
    case 'MaybePoll':
      if (bringsNothing(input.samples)) tally.add('poll', call.sameArguments);
      return;
    case 'Work':
      return;
    default:
      return assertNever(meaning);
  }
};

/** A round that leaves a trace in memory or in a vector register goes on, whatever the registers say. */
const keepsNothing = ({ changesMemory, accumulatesVector }: LoopFeatures): boolean =>
  !changesMemory && !accumulatesVector;

/** A loop that pauses and carries no more than a count of its rounds. */
const onlyPauses = ({ hasPause, carriedRegisters, counterRegisters }: LoopFeatures): boolean =>
  hasPause && carriedRegisters.length === counterRegisters.length;

const tallyAddress = (at: AddressSamples, { codeAt }: SpinInput, tally: Tally): void => {
  const code = codeAt(at.address);
  if (code === 'clock-page') return tally.add('clock', at.count);
  if (code !== undefined && onlyPauses(code)) return tally.add('pause', at.count);
  if (code !== undefined && !keepsNothing(code)) return;
  if (at.count >= MIN_ADDRESS_SAMPLES)
    tally.add(code?.hasPause === true ? 'pause' : 'flag', at.sameState);
};

const percent = (share: number): string => `${String(Math.round(100 * share))} %`;

const topCall = ({ calls }: ThreadSamples): CallSamples | undefined =>
  calls.toSorted((a, b) => b.count - a.count)[0];

const addressText = (address: bigint): string => `0x${address.toString(16)}`;

const evidenceOf = (kind: SpinKind, share: number, { samples }: SpinInput): string => {
  const total = sampleCount(samples);
  const call = topCall(samples);
  const hottest = samples.addresses.toSorted((a, b) => b.count - a.count)[0];
  const of = `${percent(share)} of ${String(total)} samples`;
  const at = hottest === undefined ? '' : ` at ${addressText(hottest.address)}`;
  switch (kind) {
    case 'pause':
      return `${of} in a loop that pauses${at}`;
    case 'flag':
      return `${of} in a loop that only looks again${at}`;
    case 'clock':
      return `${of} read the clock`;
    case 'yield':
    case 'poll':
    case 'syscall':
      return `${of} wait in ${call === undefined ? 'a system call' : callName(call.number)} that returns at once`;
    default:
      return assertNever(kind);
  }
};

/** The loop on the clock: what it does between two readings is little and looks like work. */
const clockShare = (tally: Tally, total: number): number =>
  tally.of('clock') >= MIN_CLOCK_SHARE * total ? Math.max(tally.sum, tally.of('clock')) / total : 0;

export const judgeSpin = (input: SpinInput): SpinVerdict => {
  const { samples } = input;
  const total = sampleCount(samples);
  if (total < MIN_SAMPLES)
    return { _tag: 'Unknown', evidence: `${String(total)} samples are too few` };
  const tally = new Tally();
  for (const call of samples.calls) tallyCall(call, input, tally);
  for (const at of samples.addresses) tallyAddress(at, input, tally);
  const share = tally.sum / total;
  const kind = tally.kind(total);
  const confidence = share >= MIN_SPIN_SHARE ? share : clockShare(tally, total);
  if (confidence === 0)
    return {
      _tag: 'Working',
      evidence: `${percent(1 - share)} of ${String(total)} samples differ`,
    };
  return {
    _tag: 'Spinning',
    kind,
    confidence: Math.min(1, confidence),
    evidence: evidenceOf(kind, confidence, input),
  };
};
