// SPDX-License-Identifier: Apache-2.0
/** Loops as a compiler writes them, at each level of optimisation. */
import { describe, expect, it } from 'vitest';
import { exploreCode, loopThrough } from '../../../receiver/spin/code-graph.js';
import { loopFeatures, type LoopFeatures } from '../../../receiver/spin/loop-features.js';
import type { Instruction } from '../../../receiver/spin/instruction.js';
import { x86Disassembler } from '../../../receiver/spin/x86.js';
import { compileC } from '../../support/machine-code.js';

const disassembler = x86Disassembler(64);

/** The innermost loop of a function: through the last instruction of it that lies on one. */
const loopOf = (body: string, flags: readonly string[]): readonly Instruction[] => {
  const source = `
    typedef unsigned long u64;
    volatile int flag, other;
    u64 table[64];
    int lock;
    void loop(u64 a, u64 *p, double d) { ${body} }
  `;
  const code = compileC(source, flags);
  const start = code.addressOf('loop');
  const graph = exploreCode([start], code.read, disassembler);
  const onLoop = [...graph.instructions.keys()]
    .map((address) => loopThrough(graph, address))
    .filter((loop) => loop.length > 0)
    .toSorted((a, b) => a.length - b.length);
  return onLoop[0] ?? [];
};

const featuresOf = (body: string, flags: readonly string[]): LoopFeatures =>
  loopFeatures(loopOf(body, flags));

const LEVELS = [['-O0'], ['-O2'], ['-O3', '-march=haswell']];

describe.each(LEVELS)('loopFeatures with %s', (...flags) => {
  it.each([
    ['a pause loop', 'while (!flag) __builtin_ia32_pause();', { hasPause: true, fixedLoads: 1 }],
    ['a flag loop', 'while (!flag);', { hasPause: false, fixedLoads: 1 }],
    ['a loop on two flags', 'while (!flag && !other);', { fixedLoads: 2 }],
    ['an empty loop', 'for (;;) __asm__ volatile("");', { fixedLoads: 0, stores: 0 }],
    [
      'a spin lock',
      'while (__sync_lock_test_and_set(&lock, 1)) while (flag) __builtin_ia32_pause();',
      { hasPause: true },
    ],
  ])('finds nothing carried in %s', (_what, body, expected) => {
    const features = featuresOf(body, flags);
    expect(features).toMatchObject({
      ...expected,
      carriedRegisters: [],
      changesMemory: false,
      accumulatesVector: false,
    });
    expect(features.instructionCount).toBeGreaterThan(0);
  });

  it.each([
    ['a hash', 'for (;;) { a = a * 31 + 7; __asm__ volatile("" : "+r"(a)); }'],
    [
      'a PRNG',
      'for (;;) { a ^= a << 13; a ^= a >> 7; a ^= a << 17; __asm__ volatile("" : "+r"(a)); }',
    ],
    ['a pointer chase', 'for (;;) { p = (u64 *)*(u64 * volatile *)p; }'],
    [
      'a reduction',
      'for (u64 i = 0;; i = (i + 1) & 63) { a += table[i]; __asm__ volatile("" : "+r"(a)); }',
    ],
    ['a counter in memory', 'for (;;) other++;'],
    ['a sum of doubles', 'for (;;) { d = d * 1.5 + 2.5; __asm__ volatile("" : "+x"(d)); }'],
  ])('sees that %s goes on', (_what, body) => {
    const features = featuresOf(body, flags);
    expect(
      features.carriedRegisters.length > 0 ||
        features.changesMemory ||
        features.accumulatesVector ||
        features.stores > 0,
    ).toBe(true);
  });
});

describe('loopFeatures', () => {
  it('tells a counter of rounds from other carried values', () => {
    const features = featuresOf(
      'for (u64 i = a; i; i--) { if (flag) return; __builtin_ia32_pause(); }',
      ['-O2'],
    );
    expect(features.hasPause).toBe(true);
    expect(features.carriedRegisters).toHaveLength(1);
    expect(features.counterRegisters).toEqual(features.carriedRegisters);
  });
});

describe('exploreCode', () => {
  it('follows calls and comes back from them', () => {
    const code = compileC(
      `volatile int flag;
       __attribute__((noinline)) static int look(void) { return flag; }
       void loop(void) { while (!look()); }`,
      ['-O1'],
    );
    const start = code.addressOf('loop');
    const graph = exploreCode([start], code.read, disassembler);
    const inCallee = loopThrough(graph, code.addressOf('look'));
    expect(inCallee.some(({ flow }) => flow._tag === 'Call')).toBe(true);
    expect(loopFeatures(inCallee)).toMatchObject({ fixedLoads: 1, carriedRegisters: [] });
  });

  it('finds no loop where there is none, and ends where code cannot be read', () => {
    const code = compileC('int straight(int a) { return a + 1; }');
    const start = code.addressOf('straight');
    const graph = exploreCode([start, 0x10n], code.read, disassembler);
    expect(loopThrough(graph, start)).toEqual([]);
    expect(graph.instructions.has(0x10n)).toBe(false);
  });
});
