// SPDX-License-Identifier: Apache-2.0
/** The disassembler for x86, by iced-x86: its names and flows to ours. */
import {
  Decoder,
  FlowControl,
  Formatter,
  FormatterSyntax,
  InstructionInfoFactory,
  Mnemonic,
  OpAccess,
  Register,
  RegisterExt,
  UsedMemory,
  UsedRegister,
  type Instruction as IcedInstruction,
  type InstructionInfo,
} from 'iced-x86';
import type { CodeBytes, Disassembler, Flow, Instruction, MemoryOperand } from './instruction.js';

export type Bitness = 32 | 64;

const PAUSES: ReadonlySet<Mnemonic> = new Set([
  Mnemonic.Pause,
  Mnemonic.Tpause,
  Mnemonic.Umwait,
  Mnemonic.Umonitor,
]);

const READS: ReadonlySet<OpAccess> = new Set([
  OpAccess.Read,
  OpAccess.CondRead,
  OpAccess.ReadWrite,
  OpAccess.ReadCondWrite,
]);
const WRITES: ReadonlySet<OpAccess> = new Set([
  OpAccess.Write,
  OpAccess.CondWrite,
  OpAccess.ReadWrite,
  OpAccess.ReadCondWrite,
]);

const nameOf = (register: Register): string => Register[RegisterExt.fullRegister(register)];

const isGeneral = (register: Register): boolean => RegisterExt.isGPR(register);

const flowOf = (instruction: IcedInstruction): Flow => {
  if (instruction.mnemonic === Mnemonic.Syscall || instruction.mnemonic === Mnemonic.Sysenter)
    return { _tag: 'SystemCall' };
  switch (instruction.flowControl) {
    case FlowControl.Next:
      return { _tag: 'Next' };
    case FlowControl.ConditionalBranch:
      return { _tag: 'Branch', target: instruction.nearBranchTarget, isConditional: true };
    case FlowControl.UnconditionalBranch:
      return { _tag: 'Branch', target: instruction.nearBranchTarget, isConditional: false };
    case FlowControl.Call:
      return { _tag: 'Call', target: instruction.nearBranchTarget };
    case FlowControl.IndirectCall:
      return { _tag: 'Call', target: undefined };
    case FlowControl.Interrupt:
      return { _tag: 'SystemCall' };
    default:
      return { _tag: 'Leave' };
  }
};

const isUsedMemory = (used: unknown): used is UsedMemory => used instanceof UsedMemory;
const isUsedRegister = (used: unknown): used is UsedRegister => used instanceof UsedRegister;

const memoryOf = (info: InstructionInfo): readonly MemoryOperand[] =>
  // Declared as `any` arrays.
  info
    .usedMemory()
    .filter(isUsedMemory)
    .map((used) => {
      const registers = [used.base, used.index].filter(isGeneral).map(nameOf);
      const operand = {
        registers,
        displacement: used.displacement,
        isRead: READS.has(used.access),
        isWritten: WRITES.has(used.access),
      };
      used.free();
      return operand;
    });

interface Registers {
  readonly read: readonly string[];
  readonly written: readonly string[];
  readonly accumulatesVector: boolean;
}

const registersOf = (info: InstructionInfo): Registers => {
  const read: string[] = [];
  const written: string[] = [];
  const vectorsRead = new Set<Register>();
  const vectorsWritten = new Set<Register>();
  for (const used of info.usedRegisters().filter(isUsedRegister)) {
    const { register, access } = used;
    if (isGeneral(register)) {
      if (READS.has(access)) read.push(nameOf(register));
      if (WRITES.has(access)) written.push(nameOf(register));
    } else if (isVectorRegister(register)) {
      const full = RegisterExt.fullRegister(register);
      if (READS.has(access)) vectorsRead.add(full);
      if (WRITES.has(access)) vectorsWritten.add(full);
    }
    used.free();
  }
  const accumulatesVector = [...vectorsWritten].some((register) => vectorsRead.has(register));
  return { read, written, accumulatesVector };
};

const isVectorRegister = (register: Register): boolean =>
  RegisterExt.isVectorRegister(register) ||
  RegisterExt.isST(register) ||
  RegisterExt.isMM(register) ||
  RegisterExt.isK(register);

const instructionOf = (
  iced: IcedInstruction,
  infoFactory: InstructionInfoFactory,
  formatter: Formatter,
): Instruction => {
  const info = infoFactory.info(iced);
  const { read, written, accumulatesVector } = registersOf(info);
  const memory = memoryOf(info);
  info.free();
  return {
    address: iced.ip,
    lengthBytes: iced.length,
    text: formatter.format(iced),
    flow: flowOf(iced),
    isPause: PAUSES.has(iced.mnemonic),
    isLocked: iced.hasLockPrefix || (iced.mnemonic === Mnemonic.Xchg && memory.length > 0),
    accumulatesVector,
    memory,
    readRegisters: read,
    writtenRegisters: written,
  };
};

/** One per bitness; it holds memory outside V8's heap, so keep it. */
export const x86Disassembler = (bitness: Bitness): Disassembler => {
  const infoFactory = new InstructionInfoFactory();
  const formatter = new Formatter(FormatterSyntax.Gas);
  return {
    decode: ({ address, bytes }: CodeBytes, from, maxCount) => {
      const offset = Number(from - address);
      if (offset < 0 || offset >= bytes.length) return [];
      const decoder = new Decoder(bitness, bytes.subarray(offset), 0);
      decoder.ip = from;
      const decoded: Instruction[] = [];
      while (decoder.canDecode && decoded.length < maxCount) {
        const iced = decoder.decode();
        const isBroken = iced.isInvalid;
        if (!isBroken) decoded.push(instructionOf(iced, infoFactory, formatter));
        iced.free();
        if (isBroken) break;
      }
      decoder.free();
      return decoded;
    },
  };
};
