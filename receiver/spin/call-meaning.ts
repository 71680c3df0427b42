// SPDX-License-Identifier: Apache-2.0
/** What a system call is there for, as far as its arguments tell: does it wait, ask, take, or work? Pure. */
import type { SpinKind } from '../model/spin.js';
import type { CallSample } from './samples.js';

export type CallMeaning =
  /** It brings nothing, whatever it returns. */
  | { readonly _tag: 'Idle'; readonly kind: SpinKind }
  /** It asks and does not wait: idle unless it brings something. */
  | { readonly _tag: 'Ask'; readonly kind: SpinKind }
  /** Idle if it always fails: what it would wait for or take is not there. */
  | { readonly _tag: 'Try'; readonly kind: SpinKind }
  /** Idle if it always fails or brings nothing: a file that does not grow. `isPlaced`: it says from where. */
  | { readonly _tag: 'Take'; readonly kind: SpinKind; readonly isPlaced: boolean }
  /** It says how things are: idle if they always are the same. */
  | { readonly _tag: 'Query'; readonly kind: SpinKind }
  /** As a query, and what is read next begins anew. */
  | { readonly _tag: 'Rewind'; readonly kind: SpinKind }
  /** It gives back what was opened: idle if that was opened in vain. */
  | { readonly _tag: 'Close'; readonly kind: SpinKind };

export interface CallRule {
  readonly name: string;
  readonly meaning: (call: CallSample) => CallMeaning;
  /** Index of the argument that points to a timespec with the longest wait. */
  readonly timespecArgument?: number;
}

export const TRY: CallMeaning = { _tag: 'Try', kind: 'poll' };
export const TAKE: CallMeaning = { _tag: 'Take', kind: 'poll', isPlaced: false };
export const TAKE_AT: CallMeaning = { _tag: 'Take', kind: 'poll', isPlaced: true };
export const QUERY: CallMeaning = { _tag: 'Query', kind: 'poll' };
export const REWIND: CallMeaning = { _tag: 'Rewind', kind: 'poll' };
export const CLOSE: CallMeaning = { _tag: 'Close', kind: 'poll' };
const ask = (kind: SpinKind): CallMeaning => ({ _tag: 'Ask', kind });
export const idle = (kind: SpinKind): CallMeaning => ({ _tag: 'Idle', kind });

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

export const always = (meaning: CallMeaning) => () => meaning;
export const ifZeroMillis = (index: number) => (call: CallSample) =>
  asInt(argument(call, index)) === 0n ? ask('poll') : TRY;
export const ifZeroTimespec = (call: CallSample): CallMeaning =>
  call.timeoutNanos === 0n ? ask('poll') : TRY;
const isShort = ({ timeoutNanos }: CallSample): boolean =>
  timeoutNanos !== undefined && timeoutNanos < SHORT_SLEEP_NANOS;
export const ifShortSleep = (call: CallSample): CallMeaning =>
  isShort(call) ? idle('syscall') : TRY;
export const ifNoHang =
  (index: number) =>
  (call: CallSample): CallMeaning =>
    (argument(call, index) & WNOHANG) !== 0n ? ask('poll') : TRY;
export const ifFutexWait = (call: CallSample): CallMeaning => {
  if (!FUTEX_WAITS.has(argument(call, 1) & FUTEX_COMMAND)) return TRY;
  return isShort(call) ? idle('syscall') : { _tag: 'Try', kind: 'syscall' };
};
const ifOneOf =
  (index: number, values: ReadonlySet<bigint>, mask: bigint) =>
  (call: CallSample): CallMeaning =>
    values.has(argument(call, index) & mask) ? QUERY : TRY;
const INT_MASK = 0xffff_ffffn;
/** How much there is to read, or not yet sent. */
export const ifSizeRequest = ifOneOf(1, new Set([0x541bn, 0x5411n]), INT_MASK);
/** F_GETFD, F_GETFL, F_GETLK, F_OFD_GETLK, F_GETPIPE_SZ. */
export const ifFileQuestion = ifOneOf(1, new Set([1n, 3n, 5n, 36n, 1032n]), INT_MASK);
/** IPC_STAT, GETPID, GETVAL, GETNCNT, GETZCNT; above them a bit for the layout. */
export const ifSemaphoreQuestion = ifOneOf(2, new Set([2n, 11n, 12n, 14n, 15n]), 0xffn);
/** IPC_STAT. */
export const ifQueueQuestion = ifOneOf(1, new Set([2n]), 0xffn);
/** The signal that only asks whether somebody is there. */
export const ifNoSignal =
  (index: number) =>
  (call: CallSample): CallMeaning =>
    argument(call, index) === 0n ? idle('poll') : TRY;
/** O_WRONLY, O_RDWR, O_CREAT, O_TRUNC: whoever only reads asks. */
const WRITING_FLAGS = 0o1103n;
export const ifOnlyReading =
  (index: number) =>
  (call: CallSample): CallMeaning =>
    (argument(call, index) & WRITING_FLAGS) === 0n ? REWIND : TRY;
/** io_uring: hands in nothing and waits for nothing, but lets the kernel say what is done. */
export const ifNothingToSubmit = (call: CallSample): CallMeaning =>
  asInt(argument(call, 1)) === 0n && asInt(argument(call, 2)) === 0n ? ask('poll') : TRY;
