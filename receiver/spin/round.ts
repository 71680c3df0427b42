// SPDX-License-Identifier: Apache-2.0
/**
 * One round of a loop, worked out in symbols: what each register, flag and fixed place in memory holds at
 * its end, in terms of what they held at its beginning. Pure.
 */
import {
  ACCUMULATOR,
  FLAGS,
  FRAME_POINTER,
  STACK_POINTER,
  type Instruction,
  type MemoryOperand,
  type Place,
} from './instruction.js';

/** A register's name, or a place in memory by a value that no round changes: `[RBP-8]`. */
export type Location = string;

export interface Value {
  /** What it is made of: values at the round's beginning. Empty: constants alone. */
  readonly from: ReadonlySet<Location>;
  /** It is such a value plus a constant. */
  readonly linear: { readonly base: Location; readonly offset: bigint } | undefined;
}

export interface Access {
  readonly location: Location;
  /** What its address is made of. */
  readonly address: Value;
  readonly isRead: boolean;
  readonly isWritten: boolean;
}

export interface Round {
  /** Of everything that was written. */
  readonly end: ReadonlyMap<Location, Value>;
  readonly accesses: readonly Access[];
  /** What each conditional branch goes by. */
  readonly conditions: readonly Value[];
  /** What compare-exchanges would write if they found what they expect. */
  readonly offers: readonly Offer[];
}

export interface Offer {
  readonly location: Location;
  readonly value: Value;
}

/** What a system call or code that was not followed leaves behind. */
export const OUTSIDE: Location = 'outside';
/** Of x86-64, then of AArch64: a name of the one is no register of the other. */
const CALLEE_CHANGES = [
  ...[ACCUMULATOR, FLAGS, 'RCX', 'RDX', 'RSI', 'RDI', 'R8', 'R9', 'R10', 'R11'],
  ...Array.from({ length: 18 }, (_, at) => `RX${String(at + 1)}`),
];
const CONSTANT: Value = { from: new Set(), linear: undefined };

const own = (location: Location): Value => ({
  from: new Set([location]),
  linear: { base: location, offset: 0n },
});

const mixed = (values: readonly Value[]): Value => ({
  from: new Set(values.flatMap(({ from }) => [...from])),
  linear: undefined,
});

const plus = (value: Value, amount: bigint): Value =>
  value.linear === undefined
    ? value
    : { ...value, linear: { ...value.linear, offset: value.linear.offset + amount } };

class Machine {
  readonly end = new Map<Location, Value>();
  readonly accesses: Access[] = [];
  readonly conditions: Value[] = [];
  readonly offers: Offer[] = [];

  constructor(private readonly begin: ReadonlyMap<Location, Value>) {}

  at(location: Location): Value {
    return this.end.get(location) ?? this.begin.get(location) ?? own(location);
  }

  step(instruction: Instruction): void {
    const { flow } = instruction;
    // Flags, or the register that the branch tests itself.
    if (flow._tag === 'Branch' && flow.isConditional)
      this.conditions.push(mixed(instruction.readRegisters.map((one) => this.at(one))));
    const memory = instruction.memory.map((operand) => this.#access(operand, instruction));
    this.#apply(instruction, memory);
    if (instruction.stackStep !== 0n)
      this.end.set(STACK_POINTER, plus(this.at(STACK_POINTER), instruction.stackStep));
    if (flow._tag === 'SystemCall') this.end.set(ACCUMULATOR, own(OUTSIDE));
  }

  /** By the calling conventions. */
  skipCall(): void {
    for (const register of CALLEE_CHANGES) this.end.set(register, own(OUTSIDE));
  }

  #addressOf({ base, index, segment, displacement }: MemoryOperand): Value {
    const parts = [base, index].filter((part) => part !== undefined).map((part) => this.at(part));
    const [only] = parts;
    if (only === undefined)
      return { from: new Set(), linear: { base: segment ?? '', offset: displacement } };
    return index === undefined ? plus(only, displacement) : mixed(parts);
  }

  #access(operand: MemoryOperand, { stackStep }: Instruction): Access {
    // A push writes below where the stack pointer was, which the decoder says; nothing is to be added.
    const address = this.#addressOf(operand);
    const { linear } = address;
    const location =
      linear === undefined
        ? `[${[...address.from].sort().join()}…]`
        : `[${linear.base}+${String(BigInt.asIntN(64, linear.offset))}]`;
    const access = { location, address, isRead: operand.isRead, isWritten: operand.isWritten };
    // The way back of a call is no business of the program's.
    if (stackStep === 0n) this.accesses.push(access);
    return access;
  }

  #read(place: Place, memory: readonly Access[]): Value {
    if (place !== 'memory') return this.at(place.register);
    const [access] = memory;
    return access === undefined ? CONSTANT : this.#load(access);
  }

  /** What is loaded depends on where it is loaded from. */
  #load({ location, address }: Access): Value {
    const { from, linear } = this.at(location);
    return { from: new Set([...from, ...address.from]), linear };
  }

  #write(place: Place, value: Value, memory: readonly Access[]): void {
    if (place !== 'memory') this.end.set(place.register, value);
    else if (memory[0] !== undefined) this.end.set(memory[0].location, value);
  }

  #apply(instruction: Instruction, memory: readonly Access[]): void {
    const { effect, flow } = instruction;
    if (flow._tag === 'Call' || flow._tag === 'Return') return;
    switch (effect._tag) {
      case 'Copy':
        return this.#write(effect.to, this.#read(effect.from, memory), memory);
      case 'Add': {
        const value = plus(this.#read(effect.to, memory), effect.amount);
        this.#write(effect.to, value, memory);
        return void this.end.set(FLAGS, mixed([value]));
      }
      case 'Gather': {
        const { linear } = this.#read(effect.to, memory);
        const value = { ...this.#allRead(instruction, memory), linear };
        this.#write(effect.to, value, memory);
        return void this.end.set(FLAGS, mixed([value]));
      }
      case 'Nothing':
        return;
      case 'Address':
        return this.#loadAddress(effect.to, instruction);
      case 'CompareExchange':
        return this.#compareExchange(instruction, memory);
      case 'Leave': {
        const frame = this.at(FRAME_POINTER);
        this.end.set(STACK_POINTER, plus(frame, BigInt(instruction.memory.length > 0 ? 8 : 0)));
        return void this.end.set(FRAME_POINTER, this.#read('memory', memory));
      }
      case 'Exchange':
      case 'Mix':
        return this.#mix(instruction, memory);
    }
  }

  #loadAddress(to: string, { memory: [operand], readRegisters }: Instruction): void {
    if (operand !== undefined) return void this.end.set(to, this.#addressOf(operand));
    this.end.set(to, mixed(readRegisters.map((register) => this.at(register))));
  }

  /** As it goes in a loop that waits: it finds something else, and takes that. */
  #compareExchange({ memory: [operand], readRegisters }: Instruction, memory: readonly Access[]) {
    const found = this.#read('memory', memory);
    const given = readRegisters
      .filter((one) => one !== ACCUMULATOR && one !== operand?.base && one !== operand?.index)
      .map((one) => this.at(one));
    const [only, ...more] = given;
    const value = only === undefined || more.length > 0 ? mixed(given) : only;
    if (memory[0] !== undefined) this.offers.push({ location: memory[0].location, value });
    this.end.set(FLAGS, mixed([found, this.at(ACCUMULATOR)]));
    this.end.set(ACCUMULATOR, found);
  }

  #allRead({ readRegisters }: Instruction, memory: readonly Access[]): Value {
    const held = memory.filter(({ isRead }) => isRead).map((access) => this.#load(access));
    return mixed([...readRegisters.map((register) => this.at(register)), ...held]);
  }

  #mix(instruction: Instruction, memory: readonly Access[]): void {
    const { effect, readRegisters, writtenRegisters } = instruction;
    const held = memory.filter(({ isRead }) => isRead).map((access) => this.#load(access));
    const registers = readRegisters.map((register) => this.at(register));
    const all = this.#allRead(instruction, memory);
    const isExchange = effect._tag === 'Exchange';
    for (const register of writtenRegisters)
      if (register !== STACK_POINTER) this.end.set(register, isExchange ? mixed(held) : all);
    for (const { location, isWritten } of memory)
      if (isWritten) this.end.set(location, isExchange ? mixed(registers) : all);
  }
}

/** A call to where a register says: the path goes on behind it. */
const isSkippedCall = ({ flow }: Instruction): boolean =>
  flow._tag === 'Call' && flow.target === undefined;

const isUnchanged = (location: Location, end: ReadonlyMap<Location, Value>): boolean => {
  const value = end.get(location);
  return value === undefined || (value.linear?.base === location && value.linear.offset === 0n);
};

const runOnce = (path: readonly Instruction[], begin: ReadonlyMap<Location, Value>): Machine => {
  const machine = new Machine(begin);
  for (const instruction of path) {
    if (isSkippedCall(instruction)) machine.skipCall();
    else machine.step(instruction);
  }
  return machine;
};

/**
 * `path`: in the order in which they run, from any one of them back to it. The first time round finds what
 * each round makes anew of what none changes; with that, it is of no consequence where the path begins.
 */
export const runRound = (path: readonly Instruction[]): Round => {
  const { end } = runOnce(path, new Map());
  const anew = [...end].filter(
    ([location, { from }]) =>
      !isUnchanged(location, end) && [...from].every((one) => isUnchanged(one, end)),
  );
  return runOnce(path, new Map(anew));
};
