// SPDX-License-Identifier: Apache-2.0
/** One x86 instruction by iced-x86: where it goes at once, what it does when somebody asks. */
import {
  Decoder,
  Mnemonic,
  OpAccess,
  Register,
  RegisterExt,
  UsedMemory,
  UsedRegister,
  type Formatter,
  type Instruction as IcedInstruction,
  type InstructionInfo,
  type InstructionInfoFactory,
} from 'iced-x86';
import {
  FLAGS,
  type Effect,
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
export const OWN_SEGMENTS: ReadonlySet<Register> = new Set([Register.FS, Register.GS]);

/** EAX is RAX here, XMM0 is ZMM0: a part stands for the whole. */
const nameOf = (register: Register): string => Register[RegisterExt.fullRegister(register)];

const isGeneral = (register: Register): boolean => RegisterExt.isGPR(register);
const isVector = (register: Register): boolean =>
  RegisterExt.isVectorRegister(register) ||
  RegisterExt.isST(register) ||
  RegisterExt.isMM(register) ||
  RegisterExt.isK(register);
const isValue = (register: Register): boolean => isGeneral(register) || isVector(register);

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

export interface Tools {
  readonly bitness: Bitness;
  readonly infoFactory: InstructionInfoFactory;
  readonly formatter: Formatter;
}

type Details = Omit<Instruction, 'address' | 'lengthBytes' | 'flow' | 'withFlow'>;

const detailsOf = (iced: IcedInstruction, { infoFactory, formatter }: Tools): Details => {
  const info = infoFactory.info(iced);
  const { read, written } = registersOf(iced, info);
  const memory = memoryOf(info);
  info.free();
  return {
    text: formatter.format(iced),
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

/** Most instructions are only passed: what they do is worked out, ten times as long, where somebody asks. */
export class LazyInstruction implements Instruction {
  readonly #bytes: Uint8Array;
  readonly #tools: Tools;
  #known: Details | undefined;

  constructor(
    readonly address: bigint,
    readonly flow: Flow,
    bytes: Uint8Array,
    tools: Tools,
  ) {
    this.#bytes = bytes;
    this.#tools = tools;
  }

  get lengthBytes(): number {
    return this.#bytes.length;
  }

  withFlow(flow: Flow): Instruction {
    return new LazyInstruction(this.address, flow, this.#bytes, this.#tools);
  }

  get #details(): Details {
    if (this.#known !== undefined) return this.#known;
    const decoder = new Decoder(this.#tools.bitness, this.#bytes, 0);
    decoder.ip = this.address;
    const iced = decoder.decode();
    const known = detailsOf(iced, this.#tools);
    iced.free();
    decoder.free();
    return (this.#known = known);
  }

  get text(): string {
    return this.#details.text;
  }
  get effect(): Effect {
    return this.#details.effect;
  }
  get isPlain(): boolean {
    return this.#details.isPlain;
  }
  get isPause(): boolean {
    return this.#details.isPause;
  }
  get readsClock(): boolean {
    return this.#details.readsClock;
  }
  get memory(): readonly MemoryOperand[] {
    return this.#details.memory;
  }
  get readRegisters(): readonly string[] {
    return this.#details.readRegisters;
  }
  get writtenRegisters(): readonly string[] {
    return this.#details.writtenRegisters;
  }
  get stackStep(): bigint {
    return this.#details.stackStep;
  }
}
