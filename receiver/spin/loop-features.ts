// SPDX-License-Identifier: Apache-2.0
/** What a loop does, read off its instructions: does one round know of the one before? Pure. */
import { FLAGS, isStringStore, STACK_POINTER, type Instruction } from './instruction.js';
import {
  OUTSIDE,
  runRound,
  type Access,
  type Location,
  type Offer,
  type Round,
  type Value,
} from './round.js';

export interface LoopFeatures {
  readonly instructionCount: number;
  readonly hasPause: boolean;
  readonly readsClock: boolean;
  readonly hasSystemCall: boolean;
  /** No instruction that waiting does not need. */
  readonly isPlain: boolean;
  /** Locations whose next value is made of their own: sums, cursors, states. */
  readonly carried: readonly Location[];
  /** Those of `carried` that only step by a constant: a wait counts its rounds. */
  readonly counters: readonly Location[];
  /** Those of `carried` that are made of nothing else that changes: a back-off that doubles. */
  readonly selfMade: readonly Location[];
  /** It computes in vector registers. */
  readonly hasVectors: boolean;
  /** It reads or writes where it did not a round before. */
  readonly moves: boolean;
  /** It copies or fills memory by an instruction that is a loop of its own. */
  readonly hasStringStore: boolean;
  /** Branches that go by memory which the loop itself does not change. */
  readonly flagTests: number;
  /** It writes if it finds what it expects: it may be there again and again, and succeed. */
  readonly exchanges: boolean;
  /** It counts to a number and does nothing else: a delay. */
  readonly onlyCounts: boolean;
  /** Those of `carried` that are only offered: what was found is in a register, so states show it. */
  readonly offered: readonly Location[];
  /** Something is made of itself otherwise than by steps or from link to link: a sum, a generator, a state. */
  readonly computes: boolean;
  /** It leaves in memory, not on the stack, what it made of what changes: a result. */
  readonly yields: boolean;
}

/** Near the stack pointer or the frame pointer: locals. */
export const isOnStack = (location: Location): boolean => /^\[R[SB]P\+-?\d{1,2}\]$/.test(location);

const isMemory = (location: Location): boolean => location.startsWith('[');
const isOutOfSight = (location: Location): boolean => isMemory(location) && !isOnStack(location);

const isUnchanged = (location: Location, { end }: Round): boolean => {
  const value = end.get(location);
  return value === undefined || (value.linear?.base === location && value.linear.offset === 0n);
};

/** Whether one of these values is made, in one round or several, of what `location` holds. */
const comeFrom = (these: ReadonlySet<Location>, location: Location, round: Round): boolean => {
  const seen = new Set<Location>();
  const pending = [...these];
  for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
    if (at === location) return true;
    if (seen.has(at) || isUnchanged(at, round)) continue;
    seen.add(at);
    pending.push(...(round.end.get(at)?.from ?? []));
  }
  return false;
};

/** Whether a value goes, in one round or several, into its own next one. */
const isCarried = (location: Location, round: Round): boolean =>
  !isUnchanged(location, round) &&
  comeFrom(round.end.get(location)?.from ?? new Set(), location, round);

/** Who offers what he made of what he found does not wait for it: that goes on, as a sum does. */
const isUpdate = ({ location, value }: Offer, round: Round): boolean =>
  // A bit that is set in what was found: the same, if it was set.
  !(value.linear?.base === location && value.linear.offset === 0n) &&
  [...value.from].some((one) => one === location || !isUnchanged(one, round));

/** Rounds are counted by ones; what grows faster in memory sums something up. */
const isCounter = (location: Location, { end }: Round): boolean => {
  const { linear } = end.get(location) ?? {};
  if (linear?.base !== location) return false;
  return !isOutOfSight(location) || (linear.offset >= -1n && linear.offset <= 1n);
};

const isSelfMade = (location: Location, round: Round): boolean =>
  [...(round.end.get(location)?.from ?? [])].every(
    (one) => one === location || isUnchanged(one, round),
  );

const isFixed = ({ from }: Value, round: Round): boolean =>
  !from.has(OUTSIDE) && [...from].every((location) => isUnchanged(location, round));

const moves = (access: Access, round: Round): boolean => !isFixed(access.address, round);

/** By memory and what does not change: `while (!flag)`, not `while (i < n)`. */
const isFlagTest = (condition: Value, round: Round): boolean =>
  isFixed(condition, round) && [...condition.from].some(isMemory);

/** One branch, on one count; with a second, the count may be what is looked for. */
const onlyCounts = (carried: readonly Location[], round: Round): boolean => {
  const [counter, ...others] = carried;
  const [condition, ...more] = round.conditions;
  if (counter === undefined || condition === undefined || others.length + more.length > 0)
    return false;
  const isRead = (location: Location): boolean =>
    round.accesses.some((access) => access.isRead && access.location === location);
  // a count in memory is in a register for a while, and a path may begin there: it is read back, a result is not
  const keepsCount = (access: Access): boolean =>
    access.location === counter ||
    (!moves(access, round) &&
      isRead(access.location) &&
      round.end.get(access.location)?.linear?.base === counter);
  return (
    isCounter(counter, round) &&
    comeFrom(condition.from, counter, round) &&
    round.accesses.filter(({ isWritten }) => isWritten).every(keepsCount)
  );
};

/** Any local: in a frame that the path has left, or at a place in it that moves. */
const isLocal = (location: Location): boolean =>
  isOnStack(location) ||
  /^\[R[SB]P[+,]/.test(location) ||
  // the caller's frame pointer was at or above where this frame's was
  /^\[+R[SB]P(\+\d+\])+\+-\d+\]$/.test(location);

const isResult = ({ location, isWritten }: Access, round: Round): boolean => {
  const value = isWritten ? round.end.get(location) : undefined;
  return (
    value !== undefined &&
    !isLocal(location) &&
    !isCounter(location, round) &&
    !isFixed(value, round)
  );
};

const VECTOR = /^(ZMM|ST|MM|K)\d/;
const NOT_VALUES: ReadonlySet<Location> = new Set([FLAGS, STACK_POINTER]);

export const loopFeatures = (path: readonly Instruction[]): LoopFeatures => {
  const round = runRound(path);
  const updated = round.offers.filter((offer) => isUpdate(offer, round));
  const made = [...round.end.keys()].filter(
    (location) => !NOT_VALUES.has(location) && isCarried(location, round),
  );
  const offered = updated.map(({ location }) => location);
  const carried = [...made, ...offered];
  return {
    instructionCount: path.length,
    hasPause: path.some(({ isPause }) => isPause),
    readsClock: path.some(({ readsClock }) => readsClock),
    hasSystemCall: path.some(({ flow }) => flow._tag === 'SystemCall'),
    isPlain: path.every(({ isPlain }) => isPlain),
    carried: carried.toSorted(),
    counters: carried.filter((location) => isCounter(location, round)).toSorted(),
    selfMade: carried.filter((location) => isSelfMade(location, round)).toSorted(),
    hasVectors: [...round.end.keys()].some((location) => VECTOR.test(location)),
    moves: round.accesses.some((access) => moves(access, round)),
    hasStringStore: path.some(isStringStore),
    flagTests: round.conditions.filter((condition) => isFlagTest(condition, round)).length,
    exchanges: round.offers.length > 0,
    onlyCounts: onlyCounts(carried, round),
    offered: offered.toSorted(),
    computes: made.some((location) => round.end.get(location)?.linear === undefined),
    yields: round.accesses.some((access) => isResult(access, round)),
  };
};
