// SPDX-License-Identifier: Apache-2.0
/** Samples in the program: by the loop they are in and the states they were met in. Pure. */
import { assertNever } from '../model/errors.js';
import type { SpinKind } from '../model/spin.js';
import { isOnStack, type LoopFeatures } from './loop-features.js';
import { byAddress, isRightBehind, type ProgramSample, type ThreadSamples } from './samples.js';
import type { IdleReturns } from './judge-calls.js';
import type { Tally } from './tally.js';

/** What was found at an address. */
export type CodeAt =
  /** The kernel's page from which programs read the time. */
  | { readonly _tag: 'ClockPage' }
  | {
      readonly _tag: 'Loop';
      readonly features: LoopFeatures;
      /** It is a part of a loop, met as well, that leaves results: a sum for a larger one. */
      readonly isPart: boolean;
    }
  /** It can be read, but not where it goes: an interpreter's jumps, a path too long. */
  | { readonly _tag: 'Open'; readonly isBehindPause: boolean }
  | { readonly _tag: 'Unreadable' };

/** Samples per state that make a state one that comes back, rather than two that happen to be alike. */
const SAMPLES_PER_STATE = 4;
/** Of pairs: one in so many states is met again. Interpreters at work were met at up to 0.11. */
const MIN_RATIO_OF_FEW_STATES = 0.15;
/** More of them than twice as many states as a short loop has. */
const SURE_SAMPLES = 16;
/** Enough of them to say how many states there are. */
const MANY_SAMPLES = 32;
/** Of pairs: the registers come back though the memory does not always, which others or a run-time change. */
export const MIN_SURE_REGISTERS = 0.9;
export const MIN_STATE_BESIDE = 0.25;
/** Memory that is the same at more of the pairs speaks for itself. */
const MAX_STATE_BESIDE = 0.6;
/** Of all samples at addresses met more than once: who makes the same again and again is met in more places. */
const MIN_PAIRED_BESIDE = 0.7;

type HashOf = (sample: ProgramSample) => bigint;

const countStates = (group: readonly ProgramSample[], hashOf: HashOf): readonly number[] => {
  const states = new Map<bigint, number>();
  for (const sample of group) {
    const state = hashOf(sample);
    states.set(state, (states.get(state) ?? 0) + 1);
  }
  return [...states.values()];
};

/** States that a group of this size may have, if they come back. */
const fewStates = ({ length }: readonly ProgramSample[]): number =>
  Math.max(1, Math.ceil(length / SAMPLES_PER_STATE));

const registersOf: HashOf = ({ registers }) => registers;
const allOf: HashOf = ({ registers, memory }) => registers ^ memory;

/** Registers and the stack around them are in the hashes; vectors and other memory are not. */
const isGeneral = (location: string): boolean => /^R[A-Z0-9]+$/.test(location);

/** Or somewhere on the stack, through frames that were followed no further. */
const isNearStack = (location: string): boolean =>
  isOnStack(location) || /^\[R[SB]P(,R[SB]P)?…\]$/.test(location);

/** Nothing but counts of its rounds and values made of themselves, and always at the same places. */
const keepsOnly = (kept: readonly string[], { carried, moves }: LoopFeatures): boolean =>
  !moves && carried.every((location) => kept.includes(location));

/** Enough of them that a loop which changes a register each round would have been met in several states. */
const MIN_SAMPLES_OF_ONE_STATE = 5;

/** The loop is not gone round: whoever comes by leaves it at once, as a table's look-up that finds its place. */
const isOneState = (group: readonly ProgramSample[]): boolean =>
  group.length >= MIN_SAMPLES_OF_ONE_STATE && countStates(group, allOf).length === 1;

/** What of a sample tells whether the loop goes on; undefined: it may where no hash shows it. */
const hashFor = (features: LoopFeatures, group: readonly ProgramSample[]): HashOf | undefined => {
  const { isPlain, moves, hasVectors, hasStringStore, hasSystemCall } = features;
  // Met between its rounds at a few places only, each time around: virtual CPUs take no interrupt elsewhere.
  if (hasStringStore && !hasSystemCall) return undefined;
  // Who asks the same again gets the same; that is work, and not to be told from waiting by its states.
  if (features.yields || (features.computes && !isPlain && !isOneState(group))) return undefined;
  const carried = features.carried.filter((location) => !features.offered.includes(location));
  // As strings are searched and compared; the same few bytes again, perhaps.
  if (moves && hasVectors) return undefined;
  // With arithmetic, another way through the loop may be the one that is taken.
  if (carried.every(isGeneral)) return isPlain ? registersOf : allOf;
  return carried.every((location) => isGeneral(location) || isNearStack(location))
    ? allOf
    : undefined;
};

const tallyLoop = (
  group: readonly ProgramSample[],
  { features, isPart }: Extract<CodeAt, { _tag: 'Loop' }>,
  recurring: (hashOf: HashOf) => number,
  tally: Tally,
): number => {
  const { hasPause, readsClock, flagTests, isPlain, moves } = features;
  const { counters, selfMade, hasSystemCall, exchanges } = features;
  const all = (kind: SpinKind): number => {
    tally.add(kind, group.length);
    return group.length;
  };
  if (hasPause && keepsOnly(selfMade, features)) return all('pause');
  if (readsClock && keepsOnly(counters, features)) return all('clock');
  const onlyTests = flagTests > 0 && isPlain && !hasSystemCall;
  const isSure = !exchanges || features.carried.length > 0;
  if (onlyTests && isSure && keepsOnly(counters, features)) return all('flag');
  if (features.onlyCounts && isPlain && !moves) return all(hasPause ? 'pause' : 'flag');
  const hashOf = isPart ? undefined : hashFor(features, group);
  const count = hashOf === undefined ? 0 : recurring(hashOf);
  tally.add(hasPause ? 'pause' : 'flag', count);
  return count;
};

/** Returns how many of a group are in states that are met again, however many of them there are. */
const countAgain = (group: readonly ProgramSample[], hashOf: HashOf): number =>
  countStates(group, hashOf).reduce((sum, count) => sum + (count > 1 ? count : 0), 0);

class ProgramJudge {
  /** States per address of the loop, as far as all pairs, then its hottest addresses tell. */
  #states: number;

  /** Only memory differs, and little: a run-time's budget that is counted down and filled again. */
  readonly #isAlike: boolean;

  constructor(
    private readonly codeAt: (address: bigint) => CodeAt,
    private readonly tally: Tally,
    { sameStateRatio, sameRegistersRatio, pairedCount }: Spread,
    total: number,
  ) {
    this.#isAlike =
      sameRegistersRatio >= MIN_SURE_REGISTERS &&
      sameStateRatio >= MIN_STATE_BESIDE &&
      sameStateRatio <= MAX_STATE_BESIDE &&
      pairedCount >= MIN_PAIRED_BESIDE * total;
    this.#states = sameStateRatio >= MIN_RATIO_OF_FEW_STATES ? Math.round(1 / sameStateRatio) : 1;
  }

  /** Hottest groups first. Returns how many of the samples are accounted for. */
  judge(address: bigint, group: readonly ProgramSample[]): number {
    const code = this.codeAt(address);
    const recurring = (hashOf: HashOf): number => this.#recurring(group, hashOf);
    switch (code._tag) {
      case 'ClockPage':
        this.tally.add('clock', group.length);
        return group.length;
      case 'Loop':
        return tallyLoop(group, code, recurring, this.tally);
      case 'Open': {
        const count = this.#isAlike ? countAgain(group, registersOf) : recurring(allOf);
        this.tally.add(code.isBehindPause ? 'pause' : 'flag', count);
        return count;
      }
      case 'Unreadable':
        this.tally.unknown += group.length;
        return group.length;
      default:
        return assertNever(code);
    }
  }

  /** How many samples were met in states that come back. */
  #recurring(group: readonly ProgramSample[], hashOf: HashOf): number {
    const counts = countStates(group, hashOf);
    const few = fewStates(group);
    // Two ways through the same loop make twice as many; a few samples may all lie in others.
    const states = group.length >= SURE_SAMPLES ? 2 * this.#states : this.#states;
    if (counts.length > Math.max(few, states)) return 0;
    if (group.length >= MANY_SAMPLES && counts.length <= few)
      this.#states = Math.max(this.#states, counts.length);
    return countAgain(group, hashOf);
  }
}

/** How the program's samples lie, beyond what single addresses tell. */
export interface Spread {
  /** Of pairs of samples at one address: with the same registers; with the same memory as well. */
  readonly sameRegistersRatio: number;
  readonly sameStateRatio: number;
  /** Samples at addresses that were met more than once. */
  readonly pairedCount: number;
}

export interface JudgedSpread extends Spread {
  /** The most samples at one address that counted as work. */
  readonly hottestWork: number;
}

/** Of the pairs that can be made of a group. */
const samePairs = (group: readonly ProgramSample[], hashOf: HashOf): number =>
  countStates(group, hashOf).reduce((sum, count) => sum + count * (count - 1), 0) /
  Math.max(1, group.length - 1);

type Groups = readonly (readonly ProgramSample[])[];

const countPaired = (groups: Groups): number =>
  groups.reduce((sum, { length }) => sum + (length > 1 ? length : 0), 0);

const sameRatio = (groups: Groups, hashOf: HashOf): number =>
  groups.reduce((sum, group) => sum + samePairs(group, hashOf), 0) /
  Math.max(1, countPaired(groups));

const spreadOf = (groups: Groups): Spread => ({
  pairedCount: countPaired(groups),
  sameRegistersRatio: sameRatio(groups, registersOf),
  sameStateRatio: sameRatio(groups, allOf),
});

export const tallyProgram = (
  all: ThreadSamples,
  codeAt: (address: bigint) => CodeAt,
  tally: Tally,
  idleReturns: IdleReturns = new Map(),
): JudgedSpread => {
  const program = all.program.filter((sample) => {
    const kind = isRightBehind(sample) ? idleReturns.get(sample.behindCall) : undefined;
    if (kind !== undefined) tally.add(kind, 1);
    return kind === undefined;
  });
  const groups = byAddress({ ...all, program });
  const own = groups
    .filter(([address]) => codeAt(address)._tag !== 'ClockPage')
    .map(([, group]) => group);
  const spread = spreadOf(own);
  const judge = new ProgramJudge(codeAt, tally, spread, program.length);
  let hottestWork = 0;
  for (const [address, group] of groups) {
    const work = group.length - judge.judge(address, group);
    tally.work += work;
    hottestWork = Math.max(hottestWork, work);
  }
  return { ...spread, hottestWork };
};
