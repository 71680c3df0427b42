// SPDX-License-Identifier: Apache-2.0
/** The disassembler for AArch64. Whatever its table does not know ends the path: states decide then. */
import { meaningOf, WORD_BYTES, type Meaning } from './arm64-forms.js';
import type { CodeBytes, Disassembler, Effect, Flow, Instruction } from './instruction.js';

const NEXT: Flow = { _tag: 'Next' };
const MIX: Effect = { _tag: 'Mix' };

const instructionAt = (address: bigint, meaning: Meaning): Instruction => {
  const { text, flow = NEXT, effect = MIX, isPlain = true, isPause = false } = meaning;
  return {
    ...{ address, lengthBytes: WORD_BYTES, text, flow, effect, isPlain, isPause },
    withFlow: (changed) => instructionAt(address, { ...meaning, flow: changed }),
    readsClock: meaning.readsClock ?? false,
    memory: meaning.memory ?? [],
    readRegisters: meaning.reads ?? [],
    writtenRegisters: meaning.writes ?? [],
    stackStep: 0n,
  };
};

const PAUSES: ReadonlySet<number> = new Set([0xd503203f, 0xd503205f, 0xd5033fdf]);

export const arm64Disassembler: Disassembler = {
  pointerBytes: 8,
  pauseBytes: WORD_BYTES,
  isBehindPause: (before) =>
    before.length >= WORD_BYTES &&
    PAUSES.has(
      new DataView(before.buffer, before.byteOffset + before.length - WORD_BYTES).getUint32(
        0,
        true,
      ),
    ),
  decode: ({ address, bytes }: CodeBytes, from, maxCount) => {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    const decoded: Instruction[] = [];
    for (let at = from; decoded.length < maxCount; at += BigInt(WORD_BYTES)) {
      const offset = Number(at - address);
      if (offset < 0 || offset + WORD_BYTES > bytes.length) break;
      const meaning = meaningOf(view.getUint32(offset, true), at);
      if (meaning === undefined) break;
      decoded.push(instructionAt(at, meaning));
    }
    return decoded;
  },
};
