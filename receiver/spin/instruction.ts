// SPDX-License-Identifier: Apache-2.0
/** Machine code as what the loop analysis asks of it; nothing here knows an instruction set's encoding. */

/** An address as the code names it: registers and a constant. */
export interface MemoryOperand {
  /** Full-width names, without the instruction pointer. Empty: a fixed address. */
  readonly registers: readonly string[];
  readonly displacement: bigint;
  readonly isRead: boolean;
  readonly isWritten: boolean;
}

export type Flow =
  | { readonly _tag: 'Next' }
  /** `isConditional`: it may also go on. */
  | { readonly _tag: 'Branch'; readonly target: bigint; readonly isConditional: boolean }
  | { readonly _tag: 'Call'; readonly target: bigint | undefined }
  | { readonly _tag: 'SystemCall' }
  /** Return, indirect jump, or bytes that are no instruction: what follows is not known. */
  | { readonly _tag: 'Leave' };

export interface Instruction {
  readonly address: bigint;
  readonly lengthBytes: number;
  readonly text: string;
  readonly flow: Flow;
  /** PAUSE, TPAUSE, UMWAIT: for loops that wait and nothing else. */
  readonly isPause: boolean;
  readonly isLocked: boolean;
  /** Adds to a floating-point or vector register what it held before. */
  readonly accumulatesVector: boolean;
  readonly memory: readonly MemoryOperand[];
  /** General registers, full-width names. */
  readonly readRegisters: readonly string[];
  readonly writtenRegisters: readonly string[];
}

/** Code bytes of a process and where they were. */
export interface CodeBytes {
  readonly address: bigint;
  readonly bytes: Uint8Array;
}

export interface Disassembler {
  /** Instructions from `from` on, one behind the other, until the bytes end or make no sense. */
  readonly decode: (code: CodeBytes, from: bigint, maxCount: number) => readonly Instruction[];
}
