// SPDX-License-Identifier: Apache-2.0
/** System calls by number and arguments: does this call wait for anything, or return at once? Pure. */
import type { SpinKind } from '../model/spin.js';
import type { CallSample } from './samples.js';

export type CallMeaning =
  /** It brings nothing, whatever it returns. */
  | { readonly _tag: 'Idle'; readonly kind: SpinKind }
  /** It asks and does not wait: idle unless it brings something. */
  | { readonly _tag: 'Ask'; readonly kind: SpinKind }
  /** Idle if it always fails: what it would wait for or take is not there. */
  | { readonly _tag: 'Try'; readonly kind: SpinKind };

interface CallRule {
  readonly name: string;
  readonly meaning: (call: CallSample) => CallMeaning;
  /** Index of the argument that points to a timespec with the longest wait. */
  readonly timespecArgument?: number;
}

const TRY: CallMeaning = { _tag: 'Try', kind: 'poll' };
const ask = (kind: SpinKind): CallMeaning => ({ _tag: 'Ask', kind });
const idle = (kind: SpinKind): CallMeaning => ({ _tag: 'Idle', kind });

const argument = ({ callArguments }: CallSample, index: number): bigint =>
  callArguments[index] ?? 0n;
const WNOHANG = 1n;
const FUTEX_COMMAND = 0x7fn;
/** FUTEX_WAIT and FUTEX_WAIT_BITSET. */
const FUTEX_WAITS: ReadonlySet<bigint> = new Set([0n, 9n]);
/** Shorter than this the way into sleep and out of it costs more than waiting awake. */
const SHORT_SLEEP_NANOS = 50_000n;
const INT_BITS = 32;

/** An int in the lower half of a register. */
const asInt = (value: bigint): bigint => BigInt.asIntN(INT_BITS, value);

const always = (meaning: CallMeaning) => () => meaning;
const ifZeroMillis = (index: number) => (call: CallSample) =>
  asInt(argument(call, index)) === 0n ? ask('poll') : TRY;
const ifZeroTimespec = (call: CallSample): CallMeaning =>
  call.timeoutNanos === 0n ? ask('poll') : TRY;
const ifShortSleep = (call: CallSample): CallMeaning =>
  call.timeoutNanos !== undefined && call.timeoutNanos < SHORT_SLEEP_NANOS ? idle('syscall') : TRY;
const ifNoHang =
  (index: number) =>
  (call: CallSample): CallMeaning =>
    (argument(call, index) & WNOHANG) !== 0n ? ask('poll') : TRY;
const ifFutexWait = (call: CallSample): CallMeaning =>
  FUTEX_WAITS.has(argument(call, 1) & FUTEX_COMMAND) ? { _tag: 'Try', kind: 'syscall' } : TRY;
/** The signal that only asks whether somebody is there. */
const ifNoSignal = (call: CallSample): CallMeaning =>
  argument(call, 1) === 0n ? idle('poll') : TRY;

type Rules = ReadonlyMap<number, CallRule>;

/** x86-64, as in arch/x86/entry/syscalls/syscall_64.tbl. Calls that are not here have their number only. */
const X86_64: Rules = new Map<number, CallRule>([
  [0, { name: 'read', meaning: always(TRY) }],
  [7, { name: 'poll', meaning: ifZeroMillis(2) }],
  [19, { name: 'readv', meaning: always(TRY) }],
  [23, { name: 'select', meaning: ifZeroTimespec, timespecArgument: 4 }],
  [24, { name: 'sched_yield', meaning: always(idle('yield')) }],
  [35, { name: 'nanosleep', meaning: ifShortSleep, timespecArgument: 0 }],
  [43, { name: 'accept', meaning: always(TRY) }],
  [45, { name: 'recvfrom', meaning: always(TRY) }],
  [47, { name: 'recvmsg', meaning: always(TRY) }],
  [61, { name: 'wait4', meaning: ifNoHang(2) }],
  [62, { name: 'kill', meaning: ifNoSignal }],
  [73, { name: 'flock', meaning: always(TRY) }],
  [96, { name: 'gettimeofday', meaning: always(idle('clock')) }],
  [128, { name: 'rt_sigtimedwait', meaning: ifZeroTimespec, timespecArgument: 2 }],
  [201, { name: 'time', meaning: always(idle('clock')) }],
  [202, { name: 'futex', meaning: ifFutexWait }],
  [208, { name: 'io_getevents', meaning: ifZeroTimespec, timespecArgument: 4 }],
  [228, { name: 'clock_gettime', meaning: always(idle('clock')) }],
  [230, { name: 'clock_nanosleep', meaning: ifShortSleep, timespecArgument: 2 }],
  [232, { name: 'epoll_wait', meaning: ifZeroMillis(3) }],
  [247, { name: 'waitid', meaning: ifNoHang(3) }],
  [270, { name: 'pselect6', meaning: ifZeroTimespec, timespecArgument: 4 }],
  [271, { name: 'ppoll', meaning: ifZeroTimespec, timespecArgument: 2 }],
  [281, { name: 'epoll_pwait', meaning: ifZeroMillis(3) }],
  [288, { name: 'accept4', meaning: always(TRY) }],
  [299, { name: 'recvmmsg', meaning: always(TRY) }],
  [441, { name: 'epoll_pwait2', meaning: ifZeroTimespec, timespecArgument: 3 }],
]);

/** i386, as in syscall_32.tbl; its timespecs are not read. */
const I386: Rules = new Map<number, CallRule>([
  [13, { name: 'time', meaning: always(idle('clock')) }],
  [37, { name: 'kill', meaning: ifNoSignal }],
  [78, { name: 'gettimeofday', meaning: always(idle('clock')) }],
  [114, { name: 'wait4', meaning: ifNoHang(2) }],
  [158, { name: 'sched_yield', meaning: always(idle('yield')) }],
  [168, { name: 'poll', meaning: ifZeroMillis(2) }],
  [240, { name: 'futex', meaning: ifFutexWait }],
  [256, { name: 'epoll_wait', meaning: ifZeroMillis(3) }],
  [265, { name: 'clock_gettime', meaning: always(idle('clock')) }],
  [319, { name: 'epoll_pwait', meaning: ifZeroMillis(3) }],
  [403, { name: 'clock_gettime64', meaning: always(idle('clock')) }],
]);

const rulesOf = (is32Bit: boolean): Rules => (is32Bit ? I386 : X86_64);

export const callName = (number: number, is32Bit: boolean): string =>
  rulesOf(is32Bit).get(number)?.name ?? `system call ${String(number)}`;

export const callMeaning = (call: CallSample, is32Bit: boolean): CallMeaning =>
  rulesOf(is32Bit).get(call.number)?.meaning(call) ?? TRY;

/** For the sampler: call number to the argument that it should read a timespec from. */
export const TIMESPEC_ARGUMENTS: ReadonlyMap<number, number> = new Map(
  [...X86_64].flatMap(([number, { timespecArgument }]) =>
    timespecArgument === undefined ? [] : [[number, timespecArgument] as const],
  ),
);
