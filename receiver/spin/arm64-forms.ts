// SPDX-License-Identifier: Apache-2.0
/**
 * Just enough of AArch64 for loops that wait: branches, loads, stores, steps by a constant, moves, hints and
 * the counter. Words of a fixed width, so a table of masks does it (Arm ARM, C4.1). Registers have the names
 * of their roles: x0 is RAX, x29 RBP, sp RSP.
 */
import {
  ACCUMULATOR,
  FLAGS,
  FRAME_POINTER,
  STACK_POINTER,
  type Effect,
  type Flow,
  type MemoryOperand,
} from './instruction.js';

export const WORD_BYTES = 4;
const ZERO_REGISTER = 31;
const MIX: Effect = { _tag: 'Mix' };

/** `at`: its lowest bit. */
const bits = (word: number, at: number, count: number): number => (word >>> at) & (2 ** count - 1);
const signed = (value: number, count: number): number =>
  value >= 2 ** (count - 1) ? value - 2 ** count : value;

const named = (register: number): string => {
  if (register === 0) return ACCUMULATOR;
  return register === 29 ? FRAME_POINTER : `RX${String(register)}`;
};
/** Where 31 is the stack pointer. */
const addressing = (register: number): string =>
  register === ZERO_REGISTER ? STACK_POINTER : named(register);
/** Where 31 reads as zero and is not written. */
const value = (register: number): readonly string[] =>
  register === ZERO_REGISTER ? [] : [named(register)];

export interface Meaning {
  readonly text: string;
  readonly flow?: Flow;
  readonly effect?: Effect;
  readonly isPlain?: boolean;
  readonly isPause?: boolean;
  readonly readsClock?: boolean;
  readonly memory?: readonly MemoryOperand[];
  readonly reads?: readonly string[];
  readonly writes?: readonly string[];
}

interface Form {
  readonly mask: number;
  readonly match: number;
  readonly meaning: (word: number, address: bigint) => Meaning | undefined;
}

const form = (mask: number, match: number, meaning: Form['meaning']): Form => ({
  mask,
  match,
  meaning,
});

const branch = (
  text: string,
  address: bigint,
  offset: number,
  reads: readonly string[],
): Meaning => {
  const target = address + BigInt(offset * WORD_BYTES);
  const isConditional = reads.length > 0;
  return {
    text: `${text} 0x${target.toString(16)}`,
    flow: { _tag: 'Branch', target, isConditional },
    reads,
  };
};

const operand = (
  base: number,
  displacement: number,
  access: { readonly isRead?: boolean; readonly isWritten?: boolean },
  index?: string,
): MemoryOperand => ({
  base: addressing(base),
  index,
  segment: undefined,
  displacement: BigInt(displacement),
  isRead: access.isRead ?? false,
  isWritten: access.isWritten ?? false,
});

const load = (text: string, to: readonly string[], from: MemoryOperand): Meaning => {
  const [register] = to;
  return {
    text,
    effect:
      to.length === 1 && register !== undefined
        ? { _tag: 'Copy', from: 'memory', to: { register } }
        : MIX,
    memory: [from],
    writes: to,
    reads: [from.base, from.index].filter((one) => one !== undefined),
  };
};

const store = (text: string, from: readonly string[], to: MemoryOperand): Meaning => {
  const [register] = from;
  return {
    text,
    effect:
      from.length === 1 && register !== undefined
        ? { _tag: 'Copy', from: { register }, to: 'memory' }
        : MIX,
    memory: [to],
    reads: [...from, ...[to.base, to.index].filter((one) => one !== undefined)],
  };
};

/** Of general registers; `size` is the logarithm of its bytes. */
const access = (word: number, displacement: number, index?: string): Meaning | undefined => {
  const [opc, register, base] = [bits(word, 22, 2), bits(word, 0, 5), bits(word, 5, 5)];
  return opc === 0
    ? store('str', value(register), operand(base, displacement, { isWritten: true }, index))
    : load('ldr', value(register), operand(base, displacement, { isRead: true }, index));
};

/** Where it is does not matter: it is no wait's. */
const vectorAccess = (word: number): Meaning => {
  const [register, base] = [`ZMM${String(bits(word, 0, 5))}`, bits(word, 5, 5)];
  const isLoad = bits(word, 22, 1) === 1;
  const place = operand(base, 0, { isRead: isLoad, isWritten: !isLoad });
  const meaning = isLoad ? load('ldr', [register], place) : store('str', [register], place);
  return { ...meaning, isPlain: false };
};

const step =
  (text: string, sign: 1 | -1) =>
  (word: number): Meaning => {
    const [to, from] = [bits(word, 0, 5), bits(word, 5, 5)];
    const amount = sign * bits(word, 10, 12) * (bits(word, 22, 1) === 1 ? 4096 : 1);
    const setsFlags = bits(word, 29, 1) === 1;
    // cmp, cmn
    if (setsFlags && to === ZERO_REGISTER)
      return { text: 'cmp', reads: [addressing(from)], writes: [FLAGS] };
    if (to === from)
      return {
        text,
        effect: { _tag: 'Add', to: { register: addressing(to) }, amount: BigInt(amount) },
        reads: [addressing(from)],
        writes: [addressing(to), ...(setsFlags ? [FLAGS] : [])],
      };
    if (setsFlags) return { text, reads: [addressing(from)], writes: [addressing(to), FLAGS] };
    return {
      text,
      effect: { _tag: 'Address', to: addressing(to) },
      memory: [operand(from, amount, {})],
      reads: [addressing(from)],
      writes: [addressing(to)],
    };
  };

const addressOf = (to: number, target: bigint): Meaning => ({
  text: `adr 0x${target.toString(16)}`,
  effect: { _tag: 'Address', to: named(to) },
  memory: [
    {
      ...{ base: undefined, index: undefined, segment: undefined, displacement: target },
      ...{ isRead: false, isWritten: false },
    },
  ],
  writes: value(to),
});

const PAGE_BITS = 12n;

/** Two sources and a destination, flags where asked for. */
const twoSources =
  (text: string, isPlain: boolean) =>
  (word: number): Meaning => {
    const [to, first, second] = [bits(word, 0, 5), bits(word, 5, 5), bits(word, 16, 5)];
    const isLogical = bits(word, 24, 5) === 0b01010;
    const setsFlags = isLogical ? bits(word, 29, 2) === 3 : bits(word, 29, 1) === 1;
    const [from] = value(second);
    if (
      isLogical &&
      first === ZERO_REGISTER &&
      bits(word, 29, 2) === 1 &&
      from !== undefined &&
      to !== ZERO_REGISTER
    )
      return {
        text: 'mov',
        effect: { _tag: 'Copy', from: { register: from }, to: { register: named(to) } },
        reads: [from],
        writes: value(to),
      };
    return {
      text,
      // a comparison, even where its difference is written down
      isPlain: isPlain || setsFlags,
      reads: [...value(first), ...value(second)],
      writes: [...value(to), ...(setsFlags ? [FLAGS] : [])],
    };
  };

const vectors = (word: number): Meaning => ({
  text: 'simd',
  isPlain: false,
  reads: [5, 16, 0].map((at) => `ZMM${String(bits(word, at, 5))}`),
  writes: [`ZMM${String(bits(word, 0, 5))}`],
});

/** The first that matches counts. */
const FORMS: readonly Form[] = [
  // hints: yield, wfe, wfi, sev, bti, nop; wfet, wfit; isb; dmb, dsb
  form(0xfffff01f, 0xd503201f, (word) => {
    const hint = bits(word, 5, 7);
    return { text: ['nop', 'yield', 'wfe'][hint] ?? 'hint', isPause: hint === 1 || hint === 2 };
  }),
  form(0xffffffe0, 0xd5031000, () => ({ text: 'wfet', isPause: true })),
  form(0xfffff0ff, 0xd50330df, () => ({ text: 'isb', isPause: true })),
  form(0xfffff09f, 0xd503309f, () => ({ text: 'dmb' })),
  form(0xfffff01f, 0xd503301f, () => ({ text: 'clrex' })),
  // mrs of the virtual counter, cntvct_el0 and cntvctss_el0
  form(0xffffffe0, 0xd53be040, (word) => ({
    text: 'mrs cntvct',
    readsClock: true,
    writes: value(bits(word, 0, 5)),
  })),
  form(0xffffffe0, 0xd53be0c0, (word) => ({
    text: 'mrs cntvctss',
    readsClock: true,
    writes: value(bits(word, 0, 5)),
  })),
  // branches
  form(0xfc000000, 0x14000000, (word, at) => branch('b', at, signed(bits(word, 0, 26), 26), [])),
  form(0xfc000000, 0x94000000, (word, at) => {
    const target = at + BigInt(signed(bits(word, 0, 26), 26) * WORD_BYTES);
    return { text: 'bl', flow: { _tag: 'Call', target, pointer: undefined } };
  }),
  form(0xff000010, 0x54000000, (word, at) =>
    branch('b.cond', at, signed(bits(word, 5, 19), 19), [FLAGS]),
  ),
  form(0x7e000000, 0x34000000, (word, at) =>
    branch('cbz', at, signed(bits(word, 5, 19), 19), [named(bits(word, 0, 5))]),
  ),
  form(0x7e000000, 0x36000000, (word, at) =>
    branch('tbz', at, signed(bits(word, 5, 14), 14), [named(bits(word, 0, 5))]),
  ),
  form(0xfffffc1f, 0xd61f0000, () => ({ text: 'br', flow: { _tag: 'Jump', pointer: undefined } })),
  form(0xfffffc1f, 0xd63f0000, () => ({
    text: 'blr',
    flow: { _tag: 'Call', target: undefined, pointer: undefined },
  })),
  form(0xfffffc1f, 0xd65f0000, () => ({ text: 'ret', flow: { _tag: 'Return' } })),
  form(0xffe0001f, 0xd4000001, () => ({ text: 'svc', flow: { _tag: 'SystemCall' } })),
  // adr, adrp
  form(0x9f000000, 0x10000000, (word, at) =>
    addressOf(bits(word, 0, 5), at + BigInt(signed(bits(word, 5, 19) * 4 + bits(word, 29, 2), 21))),
  ),
  form(0x9f000000, 0x90000000, (word, at) =>
    addressOf(
      bits(word, 0, 5),
      ((at >> PAGE_BITS) + BigInt(signed(bits(word, 5, 19) * 4 + bits(word, 29, 2), 21))) <<
        PAGE_BITS,
    ),
  ),
  // add, sub of a constant
  form(0x5f000000, 0x11000000, step('add', 1)),
  form(0x5f000000, 0x51000000, step('sub', -1)),
  // movn, movz; movk keeps the rest
  form(0x3f800000, 0x12800000, (word) => ({ text: 'mov', writes: value(bits(word, 0, 5)) })),
  form(0x7f800000, 0x72800000, (word) => ({
    text: 'movk',
    reads: value(bits(word, 0, 5)),
    writes: value(bits(word, 0, 5)),
  })),
  // and, orr, eor, ands of a constant
  form(0x1f800000, 0x12000000, (word) => {
    const setsFlags = bits(word, 29, 2) === 3;
    const to = bits(word, 0, 5);
    return {
      text: setsFlags ? 'tst' : 'and',
      reads: value(bits(word, 5, 5)),
      writes: setsFlags ? [...value(to), FLAGS] : [addressing(to)],
    };
  }),
  // exclusive, acquiring and releasing loads and stores
  form(0x3fe08000, 0x08c08000, (word) =>
    load('ldar', value(bits(word, 0, 5)), operand(bits(word, 5, 5), 0, { isRead: true })),
  ),
  form(0x3fe08000, 0x08808000, (word) =>
    store('stlr', value(bits(word, 0, 5)), operand(bits(word, 5, 5), 0, { isWritten: true })),
  ),
  form(0x3fe00000, 0x08400000, (word) =>
    load('ldxr', value(bits(word, 0, 5)), operand(bits(word, 5, 5), 0, { isRead: true })),
  ),
  form(0x3fe00000, 0x08000000, (word) => ({
    ...store('stxr', value(bits(word, 0, 5)), operand(bits(word, 5, 5), 0, { isWritten: true })),
    effect: MIX,
    writes: value(bits(word, 16, 5)),
  })),
  form(0x3ffffc00, 0x38bfc000, (word) =>
    load('ldapr', value(bits(word, 0, 5)), operand(bits(word, 5, 5), 0, { isRead: true })),
  ),
  // atomics: what is found goes to a register, what was made of it to memory
  form(0x3f200c00, 0x38200000, (word) => ({
    text: 'atomic',
    memory: [operand(bits(word, 5, 5), 0, { isRead: true, isWritten: true })],
    reads: [...value(bits(word, 16, 5)), addressing(bits(word, 5, 5))],
    writes: value(bits(word, 0, 5)),
    isPlain: false,
  })),
  form(0x3fa07c00, 0x08a07c00, (word) => ({
    text: 'cas',
    memory: [operand(bits(word, 5, 5), 0, { isRead: true, isWritten: true })],
    reads: [...value(bits(word, 16, 5)), ...value(bits(word, 0, 5)), addressing(bits(word, 5, 5))],
    writes: value(bits(word, 16, 5)),
    isPlain: false,
  })),
  // the same of a vector register
  form(0x3f000000, 0x3d000000, (word) => vectorAccess(word)),
  form(0x3e000000, 0x3c000000, (word) => vectorAccess(word)),
  // loads and stores of one register: scaled, unscaled, by an index
  form(0x3f000000, 0x39000000, (word) => access(word, bits(word, 10, 12) * 2 ** bits(word, 30, 2))),
  form(0x3f200c00, 0x38000000, (word) => access(word, signed(bits(word, 12, 9), 9))),
  form(0x3f200c00, 0x38200800, (word) => access(word, 0, value(bits(word, 16, 5))[0])),
  // of two
  form(0x7fc00000, 0x29400000, (word) =>
    load(
      'ldp',
      [...value(bits(word, 0, 5)), ...value(bits(word, 10, 5))],
      operand(bits(word, 5, 5), signed(bits(word, 15, 7), 7) * (bits(word, 31, 1) === 1 ? 8 : 4), {
        isRead: true,
      }),
    ),
  ),
  form(0x7fc00000, 0x29000000, (word) =>
    store(
      'stp',
      [...value(bits(word, 0, 5)), ...value(bits(word, 10, 5))],
      operand(bits(word, 5, 5), signed(bits(word, 15, 7), 7) * (bits(word, 31, 1) === 1 ? 8 : 4), {
        isWritten: true,
      }),
    ),
  ),
  // and, orr, eor; add, sub; everything else of two or three registers
  form(0x1f000000, 0x0a000000, twoSources('logic', true)),
  form(0x1f000000, 0x0b000000, twoSources('add', false)),
  form(0x1fe00000, 0x1a400000, (word) => ({
    text: 'ccmp',
    reads: [...value(bits(word, 5, 5)), FLAGS],
    writes: [FLAGS],
  })),
  form(0x1fe00000, 0x1a800000, (word) => ({
    text: 'csel',
    reads: [...value(bits(word, 5, 5)), ...value(bits(word, 16, 5)), FLAGS],
    writes: value(bits(word, 0, 5)),
  })),
  form(0x0e000000, 0x0a000000, twoSources('arithmetic', false)),
  form(0x1f000000, 0x13000000, (word) => ({
    text: 'bitfield',
    isPlain: false,
    reads: [...value(bits(word, 5, 5)), ...value(bits(word, 0, 5))],
    writes: value(bits(word, 0, 5)),
  })),
  form(0x0e000000, 0x0e000000, vectors),
];

/** Undefined: not of these. */
export const meaningOf = (word: number, address: bigint): Meaning | undefined => {
  for (const { mask, match, meaning } of FORMS)
    if ((word & mask) >>> 0 === match) return meaning(word, address);
  return undefined;
};
