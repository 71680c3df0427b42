// SPDX-License-Identifier: Apache-2.0
/**
 * Samples of one thread -> does it spin? Each sample is work or one kind of waiting:
 *
 *   in the kernel   by the call, its arguments and its results
 *   in the program  on the kernel's clock page: clock; on a loop with a pause: pause; on one that tests a
 *                   flag or comes back to the same states, and keeps nothing: flag; else work
 *
 * Pure. No name of a program or function is looked at.
 */
import { assertNever } from '../model/errors.js';
import type { SpinKind, SpinVerdict } from '../model/spin.js';
import { counterLikeness, counterText, type ThreadCounters } from './counters.js';
import { tallyCalls } from './judge-calls.js';
import {
  MIN_STATE_BESIDE,
  MIN_SURE_REGISTERS,
  tallyProgram,
  type CodeAt,
  type JudgedSpread,
} from './judge-program.js';
import { byAddress, sampleCount, type ThreadSamples } from './samples.js';
import { callName } from './system-calls.js';
import { Tally } from './tally.js';

export interface SpinInput {
  readonly samples: ThreadSamples;
  readonly codeAt: (address: bigint) => CodeAt;
}

/** Below this a share is known to ±0.14 at best. */
const MIN_SAMPLES = 50;
/** Of them, in the program or asked by it. */
const MIN_OWN_SAMPLES = 35;
/** That much of a spinner's time must be waiting. */
const MIN_SPIN_SHARE = 0.85;
/** The rest of a loop on the clock compares and counts, as work does; work that stamps each result came to 0.31. */
const MIN_CLOCK_SHARE = 0.4;
const MIN_INTERPRETED_CLOCK_SHARE = 0.12;
const MIN_SAME_REGISTERS = 0.4;
/** A call takes 0.3 to 1 us: between two of them there are 15 to 50 us at most. */
const MIN_ASKING_SHARE = 0.02;
const MIN_IDLE_CALLS = 0.85;
const MAX_OTHER_CALLS = 0.03;
/** Samples at one address. Who works between two askings does so in a loop. */
const MAX_HOT_WORK = 0.05;
/** Making a number of the time is the hottest place of an interpreter that reads it; met at up to 0.06. */
const MAX_HOT_CLOCK_WORK = 0.1;
/** Of pairs. Interpreters at work were met at up to 0.11 (registers alone: 0.43), waiting ones from 0.57 on. */
const MIN_SAME_STATE = 0.5;
/** More of it in the dark, and nothing can be said. */
const MAX_UNKNOWN_SHARE = 0.15;

const percent = (share: number): string => `${String(Math.round(100 * share))} %`;

/** The commonest, by number. */
const topCall = ({ calls, is32Bit }: ThreadSamples): string => {
  const counts = new Map<number, number>();
  for (const { number } of calls) counts.set(number, (counts.get(number) ?? 0) + 1);
  const [top] = [...counts].sort(([, a], [, b]) => b - a);
  return top === undefined ? 'a system call' : callName(top[0], is32Bit);
};

const addressText = (address: bigint): string => `0x${address.toString(16)}`;

const evidenceOf = (kind: SpinKind, share: number, samples: ThreadSamples): string => {
  const [hottest] = byAddress(samples);
  const of = `${percent(share)} of ${String(sampleCount(samples))} samples`;
  const at = hottest === undefined ? '' : ` at ${addressText(hottest[0])}`;
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
    case 'polling':
      return `${of} in ${topCall(samples)}, which returns at once, and around it`;
    default:
      return assertNever(kind);
  }
};

const NAMED_CALLS = ['poll', 'yield', 'syscall'] as const;

/** An event loop that is never idle, an interpreter that asks again: nothing but asking, and its own way there. */
const asksOnly = (tally: Tally, { calls }: ThreadSamples): boolean => {
  const idle = NAMED_CALLS.reduce((sum, kind) => sum + tally.of(kind), 0);
  return idle >= MIN_ASKING_SHARE * tally.total && idle >= MIN_IDLE_CALLS * calls.length;
};

/** A loop on the clock: what it does between two readings is little and looks like work. */
const readsClockOnly = (tally: Tally, { calls }: ThreadSamples, spread: JudgedSpread): boolean => {
  if (calls.length > MAX_OTHER_CALLS * tally.total) return false;
  const share = tally.of('clock') / tally.total;
  const isAlike =
    spread.sameRegistersRatio >= MIN_SAME_REGISTERS && isSpread(tally, spread, MAX_HOT_CLOCK_WORK);
  return share >= (isAlike ? MIN_INTERPRETED_CLOCK_SHARE : MIN_CLOCK_SHARE);
};

/** An interpreter in a loop that is long, and comes back to where it was. */
const comesBack = (tally: Tally, { calls }: ThreadSamples, spread: JudgedSpread): boolean =>
  (spread.sameStateRatio >= MIN_SAME_STATE ||
    (spread.sameRegistersRatio >= MIN_SURE_REGISTERS &&
      spread.sameStateRatio >= MIN_STATE_BESIDE)) &&
  spread.pairedCount >= MIN_SAMPLES &&
  calls.length <= MAX_OTHER_CALLS * tally.total &&
  tally.waiting >= MIN_SAME_STATE * tally.total &&
  // Of those that could be compared: the same text or list made over and over came to 0.84.
  tally.waiting >= MIN_SPIN_SHARE * spread.pairedCount;

/** No place where it works for long. One standard deviation more may be there by chance. */
const isSpread = (tally: Tally, { hottestWork }: JudgedSpread, maxShare: number): boolean => {
  const most = maxShare * tally.total;
  return hottestWork <= most + Math.sqrt(most);
};

interface Judged {
  readonly kind: SpinKind;
  readonly confidence: number;
}

const judgeTally = (
  tally: Tally,
  samples: ThreadSamples,
  spread: JudgedSpread,
): Judged | undefined => {
  const share = tally.waiting / tally.total;
  if (share >= MIN_SPIN_SHARE) return { kind: tally.kind, confidence: share };
  if (readsClockOnly(tally, samples, spread)) return { kind: 'clock', confidence: MIN_SPIN_SHARE };
  if (asksOnly(tally, samples) && isSpread(tally, spread, MAX_HOT_WORK))
    return { kind: tally.commonest(NAMED_CALLS), confidence: MIN_SPIN_SHARE };
  // Where states alone speak for waiting, memory that is waited for speaks against it.
  const isOnMemory = samples.counters && counterLikeness(samples.counters) === 'memory';
  return isOnMemory !== true && comesBack(tally, samples, spread)
    ? { kind: tally.kind, confidence: spread.sameRegistersRatio }
    : undefined;
};

interface Said extends Judged {
  readonly evidence: string;
}

/** Counters that agree halve the doubt. */
const withCounters = (said: Said, counters: ThreadCounters | undefined): Said => {
  if (counters === undefined) return said;
  const likeness = counterLikeness(counters);
  const agrees = likeness === 'pauses' || likeness === 'loops';
  const confidence = agrees ? (1 + said.confidence) / 2 : said.confidence;
  return { ...said, confidence, evidence: `${said.evidence}; ${counterText(counters)}` };
};

export const judgeSpin = (input: SpinInput): SpinVerdict => {
  const { samples } = input;
  const total = sampleCount(samples);
  if (total < MIN_SAMPLES || total - samples.otherCount < MIN_OWN_SAMPLES)
    return { _tag: 'Unknown', evidence: `${String(total)} samples are too few` };
  const tally = new Tally();
  const idleReturns = tallyCalls(samples, tally);
  const spread = tallyProgram(samples, input.codeAt, tally, idleReturns);
  const judged = judgeTally(tally, samples, spread);
  if (judged !== undefined) {
    const evidence = evidenceOf(judged.kind, tally.waiting / tally.total, samples);
    return { _tag: 'Spinning', ...withCounters({ ...judged, evidence }, samples.counters) };
  }
  const of = `of ${String(total)} samples`;
  if (tally.unknown > MAX_UNKNOWN_SHARE * total)
    return {
      _tag: 'Unknown',
      evidence: `${percent(tally.unknown / total)} ${of} in code that cannot be read`,
    };
  return { _tag: 'Working', evidence: `${percent(tally.work / tally.total)} ${of} differ` };
};
