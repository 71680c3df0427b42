// SPDX-License-Identifier: Apache-2.0
/** A process's code, decoded where somebody looks and kept. */
import type { Disassembler, Instruction } from './instruction.js';

/** Bytes from an address on (a few dozen are enough); undefined where they cannot be read. */
export type ReadMemory = (address: bigint) => Uint8Array | undefined;

/** A loop that waits is a few dozen instructions, with its calls. Decoding one takes some 20 us. */
const MAX_INSTRUCTIONS = 1_500;
const RUN_INSTRUCTIONS = 16;

export class CodeMap {
  readonly #instructions = new Map<bigint, Instruction>();
  /** Where calls lead to, and the addresses behind them; undefined: to where a register says. */
  readonly #callsTo = new Map<bigint | undefined, bigint[]>();

  readonly #bodies = new Map<bigint, ReadonlySet<bigint>>();

  constructor(
    private readonly read: ReadMemory,
    private readonly disassembler: Disassembler,
  ) {}

  canRead(address: bigint): boolean {
    return this.#instructions.has(address) || this.read(address) !== undefined;
  }

  /** Undefined: not readable, no instruction, or more than anybody wants to know. */
  at(address: bigint): Instruction | undefined {
    const known = this.#instructions.get(address);
    if (known !== undefined || this.#instructions.size >= MAX_INSTRUCTIONS) return known;
    const bytes = this.read(address);
    if (bytes === undefined) return undefined;
    for (const decoded of this.disassembler.decode({ address, bytes }, address, RUN_INSTRUCTIONS)) {
      if (this.#instructions.has(decoded.address)) break;
      this.#add(this.#resolved(decoded));
      if (decoded.flow._tag !== 'Next') break;
    }
    return this.#instructions.get(address);
  }

  /**
   * Behind the calls that may have led to the function that `address` is in. Not those in the function
   * itself: each round of a recursion has a frame of its own, and so is no round of a loop.
   */
  returnsFrom(address: bigint): readonly bigint[] {
    const own = this.#functionOf(address);
    const behind = this.#callsTo.get(own) ?? [];
    if (own === undefined) return behind;
    const body = this.#bodyOf(own);
    return behind.filter((at) => !body.has(at));
  }

  /** What a function reaches without what it calls. */
  #bodyOf(start: bigint): ReadonlySet<bigint> {
    const known = this.#bodies.get(start);
    if (known !== undefined) return known;
    const body = new Set<bigint>();
    const pending = [start];
    for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
      const instruction = body.has(at) || body.size >= MAX_BODY ? undefined : this.at(at);
      if (instruction === undefined) continue;
      body.add(at);
      const { flow } = instruction;
      if (flow._tag === 'Branch') pending.push(flow.target);
      const ends = flow._tag === 'Return' || flow._tag === 'Jump' || flow._tag === 'Stop';
      if (!ends && !(flow._tag === 'Branch' && !flow.isConditional))
        pending.push(nextOf(instruction));
    }
    this.#bodies.set(start, body);
    return body;
  }

  /** The nearest beginning that somebody calls. */
  #functionOf(address: bigint): bigint | undefined {
    let nearest: bigint | undefined;
    for (const target of this.#callsTo.keys())
      if (target !== undefined && target <= address && (nearest === undefined || target > nearest))
        nearest = target;
    return nearest !== undefined && address - nearest < MAX_FUNCTION_BYTES ? nearest : undefined;
  }

  #add(instruction: Instruction): void {
    this.#instructions.set(instruction.address, instruction);
    if (instruction.flow._tag !== 'Call') return;
    const { target } = instruction.flow;
    const behind = this.#callsTo.get(target) ?? [];
    behind.push(nextOf(instruction));
    this.#callsTo.set(target, behind);
    if (target !== undefined) this.#followStub(target, nextOf(instruction));
  }

  /** A call into the linkage table is one of the function behind it. */
  #followStub(stub: bigint, behind: bigint): void {
    const bytes = this.read(stub);
    if (bytes === undefined) return;
    for (const decoded of this.disassembler.decode({ address: stub, bytes }, stub, STUB_LENGTH)) {
      const { flow } = this.#resolved(decoded);
      if (flow._tag === 'Next') continue;
      if (flow._tag === 'Branch' && !flow.isConditional) {
        const known = this.#callsTo.get(flow.target) ?? [];
        if (!known.includes(behind)) known.push(behind);
        this.#callsTo.set(flow.target, known);
      }
      return;
    }
  }

  /** With the target of a jump or call through a pointer at a fixed place. */
  #resolved(instruction: Instruction): Instruction {
    const { flow } = instruction;
    if ((flow._tag !== 'Jump' && flow._tag !== 'Call') || flow.pointer === undefined)
      return instruction;
    const target = this.#pointerAt(flow.pointer);
    if (target === undefined) return instruction;
    return instruction.withFlow(
      flow._tag === 'Call' ? { ...flow, target } : { _tag: 'Branch', target, isConditional: false },
    );
  }

  #pointerAt(address: bigint): bigint | undefined {
    const bytes = this.read(address);
    const { pointerBytes } = this.disassembler;
    if (bytes === undefined || bytes.length < pointerBytes) return undefined;
    const view = new DataView(bytes.buffer, bytes.byteOffset, pointerBytes);
    return pointerBytes === 8 ? view.getBigUint64(0, true) : BigInt(view.getUint32(0, true));
  }
}

/** Instructions; the rest of a longer function is not looked for. */
const MAX_BODY = 300;
const MAX_FUNCTION_BYTES = 0x1_0000n;
/** `endbr64; bnd jmp *…` */
const STUB_LENGTH = 3;

export const nextOf = ({ address, lengthBytes }: Instruction): bigint =>
  address + BigInt(lengthBytes);
