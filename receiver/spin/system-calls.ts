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
  | { readonly _tag: 'Try'; readonly kind: SpinKind }
  /** Idle if it always fails or brings nothing: a file that does not grow. */
  | { readonly _tag: 'Take'; readonly kind: SpinKind }
  /** It says how things are: idle if they always are the same. */
  | { readonly _tag: 'Query'; readonly kind: SpinKind };

interface CallRule {
  readonly name: string;
  readonly meaning: (call: CallSample) => CallMeaning;
  /** Index of the argument that points to a timespec with the longest wait. */
  readonly timespecArgument?: number;
}

const TRY: CallMeaning = { _tag: 'Try', kind: 'poll' };
const TAKE: CallMeaning = { _tag: 'Take', kind: 'poll' };
const QUERY: CallMeaning = { _tag: 'Query', kind: 'poll' };
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
const isShort = ({ timeoutNanos }: CallSample): boolean =>
  timeoutNanos !== undefined && timeoutNanos < SHORT_SLEEP_NANOS;
const ifShortSleep = (call: CallSample): CallMeaning => (isShort(call) ? idle('syscall') : TRY);
const ifNoHang =
  (index: number) =>
  (call: CallSample): CallMeaning =>
    (argument(call, index) & WNOHANG) !== 0n ? ask('poll') : TRY;
const ifFutexWait = (call: CallSample): CallMeaning => {
  if (!FUTEX_WAITS.has(argument(call, 1) & FUTEX_COMMAND)) return TRY;
  return isShort(call) ? idle('syscall') : { _tag: 'Try', kind: 'syscall' };
};
/** How much there is to read, or not yet sent. */
const SIZE_REQUESTS: ReadonlySet<bigint> = new Set([0x541bn, 0x5411n]);
const ifSizeRequest = (call: CallSample): CallMeaning =>
  SIZE_REQUESTS.has(argument(call, 1)) ? QUERY : TRY;
/** The signal that only asks whether somebody is there. */
const ifNoSignal = (call: CallSample): CallMeaning =>
  argument(call, 1) === 0n ? idle('poll') : TRY;

type Rules = ReadonlyMap<number, CallRule>;

/** x86-64, as in arch/x86/entry/syscalls/syscall_64.tbl. Calls that are not here have their number only. */
const X86_64: Rules = new Map<number, CallRule>([
  [0, { name: 'read', meaning: always(TAKE) }],
  [4, { name: 'stat', meaning: always(QUERY) }],
  [5, { name: 'fstat', meaning: always(QUERY) }],
  [6, { name: 'lstat', meaning: always(QUERY) }],
  [7, { name: 'poll', meaning: ifZeroMillis(2) }],
  [16, { name: 'ioctl', meaning: ifSizeRequest }],
  [17, { name: 'pread64', meaning: always(TAKE) }],
  [19, { name: 'readv', meaning: always(TAKE) }],
  [21, { name: 'access', meaning: always(QUERY) }],
  [23, { name: 'select', meaning: ifZeroTimespec, timespecArgument: 4 }],
  [24, { name: 'sched_yield', meaning: always(idle('yield')) }],
  [35, { name: 'nanosleep', meaning: ifShortSleep, timespecArgument: 0 }],
  [39, { name: 'getpid', meaning: always(QUERY) }],
  [43, { name: 'accept', meaning: always(TRY) }],
  [45, { name: 'recvfrom', meaning: always(TAKE) }],
  [47, { name: 'recvmsg', meaning: always(TRY) }],
  [55, { name: 'getsockopt', meaning: always(QUERY) }],
  [61, { name: 'wait4', meaning: ifNoHang(2) }],
  [62, { name: 'kill', meaning: ifNoSignal }],
  [65, { name: 'semop', meaning: always(TRY) }],
  [70, { name: 'msgrcv', meaning: always(TAKE) }],
  [73, { name: 'flock', meaning: always(TRY) }],
  [96, { name: 'gettimeofday', meaning: always(idle('clock')) }],
  [110, { name: 'getppid', meaning: always(QUERY) }],
  [128, { name: 'rt_sigtimedwait', meaning: ifZeroTimespec, timespecArgument: 2 }],
  [201, { name: 'time', meaning: always(idle('clock')) }],
  [202, { name: 'futex', meaning: ifFutexWait, timespecArgument: 3 }],
  [208, { name: 'io_getevents', meaning: ifZeroTimespec, timespecArgument: 4 }],
  [228, { name: 'clock_gettime', meaning: always(idle('clock')) }],
  [230, { name: 'clock_nanosleep', meaning: ifShortSleep, timespecArgument: 2 }],
  [232, { name: 'epoll_wait', meaning: ifZeroMillis(3) }],
  [247, { name: 'waitid', meaning: ifNoHang(3) }],
  [262, { name: 'newfstatat', meaning: always(QUERY) }],
  [269, { name: 'faccessat', meaning: always(QUERY) }],
  [270, { name: 'pselect6', meaning: ifZeroTimespec, timespecArgument: 4 }],
  [271, { name: 'ppoll', meaning: ifZeroTimespec, timespecArgument: 2 }],
  [281, { name: 'epoll_pwait', meaning: ifZeroMillis(3) }],
  [288, { name: 'accept4', meaning: always(TRY) }],
  [299, { name: 'recvmmsg', meaning: always(TRY) }],
  [332, { name: 'statx', meaning: always(QUERY) }],
  [439, { name: 'faccessat2', meaning: always(QUERY) }],
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

/** AArch64, as in include/uapi/asm-generic/unistd.h. */
const ARM64: Rules = new Map<number, CallRule>([
  [4, { name: 'io_getevents', meaning: ifZeroTimespec, timespecArgument: 4 }],
  [22, { name: 'epoll_pwait', meaning: ifZeroMillis(3) }],
  [29, { name: 'ioctl', meaning: ifSizeRequest }],
  [32, { name: 'flock', meaning: always(TRY) }],
  [48, { name: 'faccessat', meaning: always(QUERY) }],
  [63, { name: 'read', meaning: always(TAKE) }],
  [65, { name: 'readv', meaning: always(TAKE) }],
  [67, { name: 'pread64', meaning: always(TAKE) }],
  [72, { name: 'pselect6', meaning: ifZeroTimespec, timespecArgument: 4 }],
  [73, { name: 'ppoll', meaning: ifZeroTimespec, timespecArgument: 2 }],
  [79, { name: 'newfstatat', meaning: always(QUERY) }],
  [80, { name: 'fstat', meaning: always(QUERY) }],
  [95, { name: 'waitid', meaning: ifNoHang(3) }],
  [98, { name: 'futex', meaning: ifFutexWait, timespecArgument: 3 }],
  [101, { name: 'nanosleep', meaning: ifShortSleep, timespecArgument: 0 }],
  [113, { name: 'clock_gettime', meaning: always(idle('clock')) }],
  [115, { name: 'clock_nanosleep', meaning: ifShortSleep, timespecArgument: 2 }],
  [124, { name: 'sched_yield', meaning: always(idle('yield')) }],
  [129, { name: 'kill', meaning: ifNoSignal }],
  [137, { name: 'rt_sigtimedwait', meaning: ifZeroTimespec, timespecArgument: 2 }],
  [169, { name: 'gettimeofday', meaning: always(idle('clock')) }],
  [172, { name: 'getpid', meaning: always(QUERY) }],
  [173, { name: 'getppid', meaning: always(QUERY) }],
  [188, { name: 'msgrcv', meaning: always(TAKE) }],
  [193, { name: 'semop', meaning: always(TRY) }],
  [202, { name: 'accept', meaning: always(TRY) }],
  [207, { name: 'recvfrom', meaning: always(TAKE) }],
  [209, { name: 'getsockopt', meaning: always(QUERY) }],
  [212, { name: 'recvmsg', meaning: always(TRY) }],
  [242, { name: 'accept4', meaning: always(TRY) }],
  [243, { name: 'recvmmsg', meaning: always(TRY) }],
  [260, { name: 'wait4', meaning: ifNoHang(2) }],
  [291, { name: 'statx', meaning: always(QUERY) }],
  [439, { name: 'faccessat2', meaning: always(QUERY) }],
  [441, { name: 'epoll_pwait2', meaning: ifZeroTimespec, timespecArgument: 3 }],
]);

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
