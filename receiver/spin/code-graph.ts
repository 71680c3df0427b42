// SPDX-License-Identifier: Apache-2.0
/**
 * The instructions that a thread goes round in. From each address where it was met all ways on are
 * followed; those from which the address is reached again are the loop, calls included. Pure.
 */
import type { Disassembler, Instruction } from './instruction.js';

/** Code bytes from an address on (a few dozen are enough); undefined where they cannot be read. */
export type ReadCode = (address: bigint) => Uint8Array | undefined;

/** A loop with its calls is a few dozen instructions; an interpreter's round a few hundred. */
const MAX_INSTRUCTIONS = 600;
const RUN_INSTRUCTIONS = 16;

export interface CodeGraph {
  readonly instructions: ReadonlyMap<bigint, Instruction>;
  readonly successors: ReadonlyMap<bigint, readonly bigint[]>;
}

const nextOf = ({ address, lengthBytes }: Instruction): bigint => address + BigInt(lengthBytes);

/** Without returns, which are known only when all calls are. */
const waysOn = (instruction: Instruction): readonly bigint[] => {
  const { flow } = instruction;
  switch (flow._tag) {
    case 'Next':
    case 'SystemCall':
      return [nextOf(instruction)];
    case 'Branch':
      return flow.isConditional ? [flow.target, nextOf(instruction)] : [flow.target];
    case 'Call':
      return flow.target === undefined ? [nextOf(instruction)] : [flow.target, nextOf(instruction)];
    case 'Leave':
      return [];
  }
};

/** Everything reachable from `starts`. A return leads behind every call that was met. */
export const exploreCode = (
  starts: readonly bigint[],
  read: ReadCode,
  { decode }: Disassembler,
): CodeGraph => {
  const instructions = new Map<bigint, Instruction>();
  const successors = new Map<bigint, readonly bigint[]>();
  const pending = [...starts].reverse();
  for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
    if (instructions.has(at) || instructions.size >= MAX_INSTRUCTIONS) continue;
    const bytes = read(at);
    if (bytes === undefined) continue;
    for (const instruction of decode({ address: at, bytes }, at, RUN_INSTRUCTIONS)) {
      if (instructions.has(instruction.address)) break;
      instructions.set(instruction.address, instruction);
      const ways = waysOn(instruction);
      successors.set(instruction.address, ways);
      pending.push(...ways.filter((way) => !instructions.has(way)));
      if (instruction.flow._tag !== 'Next') break;
    }
  }
  const behindCalls = [...instructions.values()]
    .filter(({ flow }) => flow._tag === 'Call')
    .map(nextOf);
  for (const { address, flow } of instructions.values())
    if (flow._tag === 'Leave') successors.set(address, behindCalls);
  return { instructions, successors };
};

const reach = (from: bigint, next: (at: bigint) => readonly bigint[]): ReadonlySet<bigint> => {
  const seen = new Set<bigint>();
  const pending = [...next(from)];
  for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
    if (seen.has(at)) continue;
    seen.add(at);
    pending.push(...next(at));
  }
  return seen;
};

/** What lies on a way from `address` back to it, in the order of addresses; empty: no loop there. */
export const loopThrough = (
  { instructions, successors }: CodeGraph,
  address: bigint,
): readonly Instruction[] => {
  const predecessors = new Map<bigint, bigint[]>();
  for (const [from, ways] of successors) {
    for (const to of ways) {
      const known = predecessors.get(to);
      if (known === undefined) predecessors.set(to, [from]);
      else known.push(from);
    }
  }
  const after = reach(address, (at) => successors.get(at) ?? []);
  if (!after.has(address)) return [];
  const before = reach(address, (at) => predecessors.get(at) ?? []);
  return [...instructions.values()]
    .filter((one) => after.has(one.address) && before.has(one.address))
    .sort((a, b) => (a.address < b.address ? -1 : 1));
};
