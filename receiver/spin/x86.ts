// SPDX-License-Identifier: Apache-2.0
/** The disassembler for x86, by iced-x86: its flows to ours. */
import {
  Decoder,
  FlowControl,
  Formatter,
  FormatterSyntax,
  InstructionInfoFactory,
  Mnemonic,
  OpKind,
  Register,
  type Instruction as IcedInstruction,
} from 'iced-x86';
import type { CodeBytes, Disassembler, Flow, Instruction } from './instruction.js';
import { LazyInstruction, OWN_SEGMENTS, type Bitness } from './x86-instruction.js';

const PAUSE_BYTES = [0xf3, 0x90] as const;

const isIpRelative = (instruction: IcedInstruction): boolean =>
  instruction.isIpRelMemoryOperand ||
  (instruction.memoryBase === Register.None &&
    instruction.memoryIndex === Register.None &&
    instruction.op0Kind === OpKind.Memory);

/** `jmp *place(%rip)`: what dynamic linking makes of a call. */
const pointerOf = (instruction: IcedInstruction): bigint | undefined => {
  if (instruction.op0Kind !== OpKind.Memory || !isIpRelative(instruction)) return undefined;
  return OWN_SEGMENTS.has(instruction.memorySegment)
    ? undefined
    : BigInt.asUintN(64, instruction.memoryDisplacement);
};

const flowOf = (instruction: IcedInstruction): Flow => {
  if (instruction.mnemonic === Mnemonic.Syscall || instruction.mnemonic === Mnemonic.Sysenter)
    return { _tag: 'SystemCall' };
  const target = instruction.nearBranchTarget;
  switch (instruction.flowControl) {
    case FlowControl.Next:
      return { _tag: 'Next' };
    case FlowControl.ConditionalBranch:
      return { _tag: 'Branch', target, isConditional: true };
    case FlowControl.UnconditionalBranch:
      return { _tag: 'Branch', target, isConditional: false };
    case FlowControl.Call:
      return { _tag: 'Call', target, pointer: undefined };
    case FlowControl.IndirectCall:
      return { _tag: 'Call', target: undefined, pointer: pointerOf(instruction) };
    case FlowControl.IndirectBranch:
      return { _tag: 'Jump', pointer: pointerOf(instruction) };
    case FlowControl.Return:
      return { _tag: 'Return' };
    case FlowControl.Interrupt:
      return instruction.mnemonic === Mnemonic.Int ? { _tag: 'SystemCall' } : { _tag: 'Stop' };
    default:
      return { _tag: 'Stop' };
  }
};

/** One per bitness; it holds memory outside V8's heap, so keep it. */
export const x86Disassembler = (bitness: Bitness): Disassembler => {
  const tools = {
    bitness,
    infoFactory: new InstructionInfoFactory(),
    formatter: new Formatter(FormatterSyntax.Gas),
  };
  return {
    isBehindPause: (before) => before.at(-1) === PAUSE_BYTES[1] && before.at(-2) === PAUSE_BYTES[0],
    pauseBytes: PAUSE_BYTES.length,
    pointerBytes: bitness === 64 ? 8 : 4,
    decode: ({ address, bytes }: CodeBytes, from, maxCount) => {
      const offset = Number(from - address);
      if (offset < 0 || offset >= bytes.length) return [];
      const decoder = new Decoder(bitness, bytes.subarray(offset), 0);
      decoder.ip = from;
      const decoded: Instruction[] = [];
      while (decoder.canDecode && decoded.length < maxCount) {
        const iced = decoder.decode();
        const isBroken = iced.isInvalid;
        if (!isBroken) {
          const at = Number(iced.ip - address);
          decoded.push(
            new LazyInstruction(iced.ip, flowOf(iced), bytes.subarray(at, at + iced.length), tools),
          );
        }
        iced.free();
        if (isBroken) break;
      }
      decoder.free();
      return decoded;
    },
  };
};
