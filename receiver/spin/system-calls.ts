// SPDX-License-Identifier: Apache-2.0
/** System calls by number and arguments: does this call wait for anything, or return at once? Pure. */
import { TRY, type CallMeaning } from './call-meaning.js';
import { ARM64, I386, X86_64, type Rules } from './call-tables.js';
import type { CallSample } from './samples.js';

const UNKNOWN: Rules = new Map();

/** 32-bit programs of ARM have numbers of their own, which are not here. */
const rulesOf = (is32Bit: boolean, architecture: string = process.arch): Rules => {
  if (architecture === 'arm64') return is32Bit ? UNKNOWN : ARM64;
  return is32Bit ? I386 : X86_64;
};

export const callName = (number: number, is32Bit: boolean): string =>
  rulesOf(is32Bit).get(number)?.name ?? `system call ${String(number)}`;

export const callMeaning = (
  call: CallSample,
  is32Bit: boolean,
  architecture?: string,
): CallMeaning => rulesOf(is32Bit, architecture).get(call.number)?.meaning(call) ?? TRY;

/** For the sampler: call number to the argument that it should read a timespec from. */
export const TIMESPEC_ARGUMENTS: ReadonlyMap<number, number> = new Map(
  [...rulesOf(false)].flatMap(([number, { timespecArgument }]) =>
    timespecArgument === undefined ? [] : [[number, timespecArgument] as const],
  ),
);
