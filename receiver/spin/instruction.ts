// SPDX-License-Identifier: Apache-2.0
/** Machine code as what the loop analysis asks of it; nothing here knows an instruction set's encoding. */

/** An address as the code names it: registers and a constant. Full-width names, without the instruction pointer. */
export interface MemoryOperand {
  readonly base: string | undefined;
  readonly index: string | undefined;
  /** A thread's own segment; undefined: the flat one. */
  readonly segment: string | undefined;
  readonly displacement: bigint;
  readonly isRead: boolean;
  readonly isWritten: boolean;
}

export type Flow =
  | { readonly _tag: 'Next' }
  /** `isConditional`: it may also go on. */
  | { readonly _tag: 'Branch'; readonly target: bigint; readonly isConditional: boolean }
  /** `pointer`: where the target's address is kept, if at a fixed place. */
  | { readonly _tag: 'Jump'; readonly pointer: bigint | undefined }
  | {
      readonly _tag: 'Call';
      readonly target: bigint | undefined;
      readonly pointer: bigint | undefined;
    }
  | { readonly _tag: 'Return' }
  | { readonly _tag: 'SystemCall' }
  /** Bytes that stop the program: what follows is not known. */
  | { readonly _tag: 'Stop' };

/** Where a value comes from or goes to: a register's full-width name, or the one memory operand. */
export type Place = { readonly register: string } | 'memory';

/** What becomes of the values, as far as a loop that waits needs it. */
export type Effect =
  | { readonly _tag: 'Copy'; readonly from: Place; readonly to: Place }
  | { readonly _tag: 'Add'; readonly to: Place; readonly amount: bigint }
  /** Bits are set or cleared by others, and stay so: that comes to an end by itself. */
  | { readonly _tag: 'Gather'; readonly to: Place }
  /** Nothing that a program sees. */
  | { readonly _tag: 'Nothing' }
  /** The address of the memory operand. */
  | { readonly _tag: 'Address'; readonly to: string }
  /** Compares memory with a register, and exchanges them if that is what it holds. */
  | { readonly _tag: 'CompareExchange' }
  | { readonly _tag: 'Exchange' }
  /** The stack pointer becomes the frame pointer, and that what it points to. */
  | { readonly _tag: 'Leave' }
  /** Everything written is made of everything read. */
  | { readonly _tag: 'Mix' };

export interface Instruction {
  readonly address: bigint;
  readonly lengthBytes: number;
  readonly text: string;
  readonly flow: Flow;
  /** The same, where more is known of where it goes. */
  readonly withFlow: (flow: Flow) => Instruction;
  readonly effect: Effect;
  /** Moves, compares, steps or branches: what waiting takes. Everything else may be arithmetic. */
  readonly isPlain: boolean;
  /** PAUSE, TPAUSE, UMWAIT; yield, wfe, isb: for loops that wait and nothing else. */
  readonly isPause: boolean;
  /** RDTSC, RDTSCP; the virtual counter. */
  readonly readsClock: boolean;
  readonly memory: readonly MemoryOperand[];
  /** General and vector registers and FLAGS, full-width names. Those of addresses are read too. */
  readonly readRegisters: readonly string[];
  readonly writtenRegisters: readonly string[];
  /** Bytes by which push, pop, call and return move the stack pointer. */
  readonly stackStep: bigint;
}

export const FLAGS = 'FLAGS';
export const STACK_POINTER = 'RSP';
export const FRAME_POINTER = 'RBP';
/** The accumulator that a compare-exchange compares with. */
export const ACCUMULATOR = 'RAX';

/** `rep movs`, `rep stos`: it steps the register that says where it writes. */
export const isStringStore = ({ effect, memory, writtenRegisters }: Instruction): boolean =>
  effect._tag === 'Mix' &&
  memory.some(
    ({ base = STACK_POINTER, isWritten }) =>
      isWritten && base !== STACK_POINTER && writtenRegisters.includes(base),
  );

/** Code bytes of a process and where they were. */
export interface CodeBytes {
  readonly address: bigint;
  readonly bytes: Uint8Array;
}

export interface Disassembler {
  /** Instructions from `from` on, one behind the other, until the bytes end or make no sense. */
  readonly decode: (code: CodeBytes, from: bigint, maxCount: number) => readonly Instruction[];
  readonly pointerBytes: 4 | 8;
  /** Length of an instruction that pauses. */
  readonly pauseBytes: number;
  /** Whether these bytes end in a pause: where the clock mostly meets a thread that pauses. */
  readonly isBehindPause: (before: Uint8Array) => boolean;
}
