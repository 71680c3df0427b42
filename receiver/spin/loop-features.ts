// SPDX-License-Identifier: Apache-2.0
/** What a loop does, read off its instructions: does one round know of the one before? Pure. */
import type { Instruction, MemoryOperand } from './instruction.js';

export interface LoopFeatures {
  readonly instructionCount: number;
  readonly hasPause: boolean;
  readonly hasLocked: boolean;
  readonly hasSystemCall: boolean;
  readonly hasCall: boolean;
  /** Loads from addresses that the loop does not change. */
  readonly fixedLoads: number;
  /** Memory that is changed by what it held before (`add %eax,(%rdi)`), not under a lock: progress. */
  readonly changesMemory: boolean;
  readonly stores: number;
  readonly accumulatesVector: boolean;
  /** Registers whose value goes into their own next value: counters, sums, cursors, states. */
  readonly carriedRegisters: readonly string[];
  /** Those that only step by a constant: a bounded wait counts its rounds. */
  readonly counterRegisters: readonly string[];
}

const STACK_POINTERS: ReadonlySet<string> = new Set(['RSP', 'ESP']);

/** push, pop, call, return: they come in pairs and leave the stack where it was. */
const movesStack = ({ writtenRegisters }: Instruction): boolean =>
  writtenRegisters.some((register) => STACK_POINTERS.has(register));

/** `add $1,%ecx`, `dec %rcx`, `lea -1(%rcx),%rcx`: one register, from itself alone. */
const isStep = ({ readRegisters, writtenRegisters, memory }: Instruction): boolean => {
  const [register, ...others] = new Set(writtenRegisters);
  return (
    others.length === 0 &&
    !memory.some(({ isRead }) => isRead) &&
    readRegisters.every((read) => read === register)
  );
};

/** A locked operation compares with what it expects: the register is set anew in each round. */
const carries = (instruction: Instruction): boolean =>
  !instruction.isLocked && !movesStack(instruction);

type Dependencies = ReadonlyMap<string, ReadonlySet<string>>;

const dependenciesOf = (loop: readonly Instruction[]): Dependencies => {
  const into = new Map<string, Set<string>>();
  for (const instruction of loop.filter(carries)) {
    for (const written of instruction.writtenRegisters) {
      const sources = into.get(written) ?? new Set<string>();
      into.set(written, sources);
      for (const read of instruction.readRegisters) sources.add(read);
    }
  }
  return into;
};

/** Whether a register's value goes, by whatever way, into its own next one. */
const isCarried = (register: string, into: Dependencies): boolean => {
  const seen = new Set<string>();
  const pending = [...(into.get(register) ?? [])];
  for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
    if (at === register) return true;
    if (seen.has(at)) continue;
    seen.add(at);
    pending.push(...(into.get(at) ?? []));
  }
  return false;
};

const isOnStack = ({ registers }: MemoryOperand): boolean =>
  registers.some((register) => STACK_POINTERS.has(register));

export const loopFeatures = (loop: readonly Instruction[]): LoopFeatures => {
  const into = dependenciesOf(loop);
  const carried = [...into.keys()].filter((register) => isCarried(register, into));
  const writers = (register: string): readonly Instruction[] =>
    loop.filter((one) => carries(one) && one.writtenRegisters.includes(register));
  const written = new Set(loop.flatMap(({ writtenRegisters }) => writtenRegisters));
  const memory = loop
    .filter((one) => !movesStack(one))
    .flatMap((one) => one.memory.map((operand) => ({ ...operand, isLocked: one.isLocked })));
  return {
    instructionCount: loop.length,
    hasPause: loop.some(({ isPause }) => isPause),
    hasLocked: loop.some(({ isLocked }) => isLocked),
    hasSystemCall: loop.some(({ flow }) => flow._tag === 'SystemCall'),
    hasCall: loop.some(({ flow }) => flow._tag === 'Call'),
    fixedLoads: memory.filter(
      ({ isRead, registers }) => isRead && !registers.some((register) => written.has(register)),
    ).length,
    changesMemory: memory.some(
      ({ isRead, isWritten, isLocked }) => isRead && isWritten && !isLocked,
    ),
    stores: memory.filter((operand) => operand.isWritten && !isOnStack(operand)).length,
    accumulatesVector: loop.some(({ accumulatesVector }) => accumulatesVector),
    carriedRegisters: carried.toSorted(),
    counterRegisters: carried.filter((register) => writers(register).every(isStep)).toSorted(),
  };
};
