// SPDX-License-Identifier: Apache-2.0
/** System calls by number and arguments: does this call wait for anything, or return at once? Pure. */
import type { SpinKind } from '../model/spin.js';
import type { CallSamples } from './samples.js';

/** `work`: it moves data, sleeps or changes something. `maybe-poll`: polling if it brings nothing. */
export type CallMeaning =
  | { readonly _tag: 'Spin'; readonly kind: SpinKind }
  | { readonly _tag: 'MaybePoll' }
  | { readonly _tag: 'Work' };

interface CallRule {
  readonly name: string;
  readonly meaning: (call: CallSamples, isNonBlocking: (fd: number) => boolean) => CallMeaning;
  /** Index of the argument that points to a timespec with the longest wait. */
  readonly timespecArgument?: number;
}

const WORK: CallMeaning = { _tag: 'Work' };
const MAYBE_POLL: CallMeaning = { _tag: 'MaybePoll' };
const spin = (kind: SpinKind): CallMeaning => ({ _tag: 'Spin', kind });

const argument = ({ callArguments }: CallSamples, index: number): bigint =>
  callArguments[index] ?? 0n;
const MSG_DONTWAIT = 0x40n;
const FUTEX_COMMAND = 0x7fn;
/** FUTEX_WAIT and FUTEX_WAIT_BITSET. */
const FUTEX_WAITS: ReadonlySet<bigint> = new Set([0n, 9n]);
/** Shorter than this the way into sleep and out of it costs more than waiting awake. */
const SHORT_SLEEP_NANOS = 50_000n;
const INT_BITS = 32;

/** An int in the lower half of a register. */
const asInt = (value: bigint): bigint => BigInt.asIntN(INT_BITS, value);

const always = (meaning: CallMeaning) => () => meaning;
const ifZeroMillis = (index: number) => (call: CallSamples) =>
  asInt(argument(call, index)) === 0n ? spin('poll') : WORK;
const ifZeroTimespec = (call: CallSamples): CallMeaning =>
  call.timeoutNanos === 0n ? spin('poll') : WORK;
const ifShortSleep = (call: CallSamples): CallMeaning =>
  call.timeoutNanos !== undefined && call.timeoutNanos < SHORT_SLEEP_NANOS ? spin('syscall') : WORK;
const ifDontWait =
  (index: number): CallRule['meaning'] =>
  (call, isNonBlocking) =>
    (argument(call, index) & MSG_DONTWAIT) !== 0n || isNonBlocking(Number(asInt(argument(call, 0))))
      ? MAYBE_POLL
      : WORK;
const ifNonBlocking: CallRule['meaning'] = (call, isNonBlocking) =>
  isNonBlocking(Number(asInt(argument(call, 0)))) ? MAYBE_POLL : WORK;
const ifFutexWait = (call: CallSamples): CallMeaning =>
  FUTEX_WAITS.has(argument(call, 1) & FUTEX_COMMAND) ? spin('syscall') : WORK;

/** x86-64, as in arch/x86/entry/syscalls/syscall_64.tbl. */
const X86_64: ReadonlyMap<number, CallRule> = new Map<number, CallRule>([
  [0, { name: 'read', meaning: ifNonBlocking }],
  [7, { name: 'poll', meaning: ifZeroMillis(2) }],
  [19, { name: 'readv', meaning: ifNonBlocking }],
  [23, { name: 'select', meaning: ifZeroTimespec, timespecArgument: 4 }],
  [24, { name: 'sched_yield', meaning: always(spin('yield')) }],
  [35, { name: 'nanosleep', meaning: ifShortSleep, timespecArgument: 0 }],
  [43, { name: 'accept', meaning: ifNonBlocking }],
  [45, { name: 'recvfrom', meaning: ifDontWait(3) }],
  [47, { name: 'recvmsg', meaning: ifDontWait(2) }],
  [96, { name: 'gettimeofday', meaning: always(spin('clock')) }],
  [201, { name: 'time', meaning: always(spin('clock')) }],
  [202, { name: 'futex', meaning: ifFutexWait }],
  [228, { name: 'clock_gettime', meaning: always(spin('clock')) }],
  [230, { name: 'clock_nanosleep', meaning: ifShortSleep, timespecArgument: 2 }],
  [232, { name: 'epoll_wait', meaning: ifZeroMillis(3) }],
  [270, { name: 'pselect6', meaning: ifZeroTimespec, timespecArgument: 4 }],
  [271, { name: 'ppoll', meaning: ifZeroTimespec, timespecArgument: 2 }],
  [281, { name: 'epoll_pwait', meaning: ifZeroMillis(3) }],
  [288, { name: 'accept4', meaning: ifNonBlocking }],
  [299, { name: 'recvmmsg', meaning: ifDontWait(3) }],
  [441, { name: 'epoll_pwait2', meaning: ifZeroTimespec, timespecArgument: 3 }],
]);

export const callName = (number: number): string =>
  X86_64.get(number)?.name ?? `system call ${String(number)}`;

export const callMeaning = (
  call: CallSamples,
  isNonBlocking: (fd: number) => boolean,
): CallMeaning => X86_64.get(call.number)?.meaning(call, isNonBlocking) ?? WORK;

/** For the sampler: call number to the argument that it should read a timespec from. */
export const TIMESPEC_ARGUMENTS: ReadonlyMap<number, number> = new Map(
  [...X86_64].flatMap(([number, { timespecArgument }]) =>
    timespecArgument === undefined ? [] : [[number, timespecArgument] as const],
  ),
);
