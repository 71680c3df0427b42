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
  OpKind,
  Register,
  RegisterExt,
  UsedMemory,
  UsedRegister,
  type Instruction as IcedInstruction,
  type InstructionInfo,
} from 'iced-x86';
import {
  FLAGS,
  type CodeBytes,
  type Disassembler,
  type Flow,
  type Instruction,
  type MemoryOperand,
} from './instruction.js';
import { effectOf, isPlain } from './x86-effect.js';

export type Bitness = 32 | 64;

const PAUSES: ReadonlySet<Mnemonic> = new Set([
  Mnemonic.Pause,
  Mnemonic.Tpause,
  Mnemonic.Umwait,
  Mnemonic.Umonitor,
]);
const CLOCKS: ReadonlySet<Mnemonic> = new Set([Mnemonic.Rdtsc, Mnemonic.Rdtscp]);

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
const OWN_SEGMENTS: ReadonlySet<Register> = new Set([Register.FS, Register.GS]);

/** EAX is RAX here, XMM0 is ZMM0: a part stands for the whole. */
export const nameOf = (register: Register): string => Register[RegisterExt.fullRegister(register)];

const isGeneral = (register: Register): boolean => RegisterExt.isGPR(register);
const isVector = (register: Register): boolean =>
  RegisterExt.isVectorRegister(register) ||
  RegisterExt.isST(register) ||
  RegisterExt.isMM(register) ||
  RegisterExt.isK(register);
const isValue = (register: Register): boolean => isGeneral(register) || isVector(register);

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

const isUsedMemory = (used: unknown): used is UsedMemory => used instanceof UsedMemory;
const isUsedRegister = (used: unknown): used is UsedRegister => used instanceof UsedRegister;

const nameIf = (register: Register, holds: (register: Register) => boolean): string | undefined =>
  holds(register) ? nameOf(register) : undefined;

const memoryOf = (info: InstructionInfo): readonly MemoryOperand[] =>
  // Declared as `any` arrays.
  info
    .usedMemory()
    .filter(isUsedMemory)
    .map((used) => {
      const operand = {
        base: nameIf(used.base, isGeneral),
        index: nameIf(used.index, isValue),
        segment: nameIf(used.segment, (segment) => OWN_SEGMENTS.has(segment)),
        displacement: BigInt.asIntN(64, used.displacement),
        isRead: READS.has(used.access),
        isWritten: WRITES.has(used.access),
      };
      used.free();
      return operand;
    });

interface Registers {
  readonly read: readonly string[];
  readonly written: readonly string[];
}

const registersOf = (iced: IcedInstruction, info: InstructionInfo): Registers => {
  const read: string[] = [];
  const written: string[] = [];
  for (const used of info.usedRegisters().filter(isUsedRegister)) {
    const { register, access } = used;
    if (isValue(register) && READS.has(access)) read.push(nameOf(register));
    if (isValue(register) && WRITES.has(access)) written.push(nameOf(register));
    used.free();
  }
  if (iced.rflagsRead !== 0) read.push(FLAGS);
  if (iced.rflagsModified !== 0) written.push(FLAGS);
  return { read, written };
};

const instructionOf = (
  iced: IcedInstruction,
  infoFactory: InstructionInfoFactory,
  formatter: Formatter,
): Instruction => {
  const info = infoFactory.info(iced);
  const { read, written } = registersOf(iced, info);
  const memory = memoryOf(info);
  info.free();
  return {
    address: iced.ip,
    lengthBytes: iced.length,
    text: formatter.format(iced),
    flow: flowOf(iced),
    effect: effectOf(iced, nameOf),
    isPlain: isPlain(iced),
    isPause: PAUSES.has(iced.mnemonic),
    readsClock: CLOCKS.has(iced.mnemonic),
    memory,
    readRegisters: read,
    writtenRegisters: written,
    stackStep: BigInt(iced.stackPointerIncrement),
  };
};

/** One per bitness; it holds memory outside V8's heap, so keep it. */
export const x86Disassembler = (bitness: Bitness): Disassembler => {
  const infoFactory = new InstructionInfoFactory();
  const formatter = new Formatter(FormatterSyntax.Gas);
  return {
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
        if (!isBroken) decoded.push(instructionOf(iced, infoFactory, formatter));
        iced.free();
        if (isBroken) break;
      }
      decoder.free();
      return decoded;
    },
  };
};
