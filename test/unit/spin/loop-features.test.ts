// SPDX-License-Identifier: Apache-2.0
/** Loops as a compiler writes them, at each level of optimisation. */
import { describe, expect, it } from 'vitest';
import { CodeMap } from '../../../receiver/spin/code-map.js';
import { findLoop } from '../../../receiver/spin/find-loop.js';
import { loopFeatures, type LoopFeatures } from '../../../receiver/spin/loop-features.js';
import type { Instruction } from '../../../receiver/spin/instruction.js';
import { x86Disassembler } from '../../../receiver/spin/x86.js';
import { compileC } from '../../support/machine-code.js';
import { shortestLoop } from '../../support/shortest-loop.js';

const disassembler = x86Disassembler(64);

const loopOf = (body: string, flags: readonly string[]): readonly Instruction[] => {
  const source = `
    typedef unsigned long u64;
    volatile int flag, other;
    volatile u64 spins;
    u64 table[64];
    int lock;
    void loop(u64 a, u64 *p, double d) { ${body} }
  `;
  const code = compileC(source, flags);
  const start = code.addressOf('loop');
  return shortestLoop(start, new CodeMap(code.read, disassembler));
};

const featuresOf = (body: string, flags: readonly string[]): LoopFeatures =>
  loopFeatures(loopOf(body, flags));

const LEVELS = [['-O0'], ['-O2'], ['-O3', '-march=haswell']];

describe.each(LEVELS)('loopFeatures with %s', (...flags) => {
  it.each([
    ['a pause loop', 'while (!flag) __builtin_ia32_pause();', { hasPause: true, flagTests: 1 }],
    ['a flag loop', 'while (!flag);', { hasPause: false, flagTests: 1 }],
    ['a loop on two flags', 'while (!flag && !other);', { flagTests: 2 }],
    ['an empty loop', 'for (;;) __asm__ volatile("");', { flagTests: 0 }],
    [
      'a spin lock',
      'while (__sync_lock_test_and_set(&lock, 1)) while (flag) __builtin_ia32_pause();',
      { hasPause: true },
    ],
  ])('finds nothing carried in %s', (_what, body, expected) => {
    const features = featuresOf(body, flags);
    expect(features).toMatchObject({
      ...expected,
      carried: [],
      moves: false,
      isPlain: true,
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
    const others = features.carried.filter((one) => !features.counters.includes(one));
    expect(others.length > 0 || features.moves || features.flagTests === 0).toBe(true);
    expect(features.carried.length > 0 || features.moves).toBe(true);
  });

  it.each([
    ['in a register', 'u64 n = 0; while (!flag) n++; spins = n;'],
    ['in memory', 'while (!flag) spins++;'],
    ['down', 'for (u64 n = a; n && !flag; n--) __asm__ volatile("");'],
  ])('sees that a wait only counts its rounds, %s', (_what, body) => {
    const features = featuresOf(body, flags);
    expect(features.carried).toEqual(features.counters);
    expect(features).toMatchObject({ moves: false, isPlain: true });
    expect(features.flagTests).toBeGreaterThan(0);
  });

  it.each([
    ['a delay', 'for (u64 n = 0; n < 100000; n++) __asm__ volatile("");', true],
    ['a delay in memory', 'for (volatile int n = 100000; n > 0; n--);', true],
    ['a count without an end', 'for (u64 n = 0;; n++) __asm__ volatile("" : "+r"(n));', false],
    ['a count in memory without an end', 'for (;;) spins++;', false],
    ['a count that is written down', 'for (u64 n = 0; n < 100000; n++) spins = n;', false],
    [
      'a sum of counts',
      'for (u64 n = 0; n < a; n++) { d += n; __asm__ volatile("" : "+x"(d)); }',
      false,
    ],
    ['a count of bits', 'for (u64 n = 0; n < 64; n++) if (a >> n & 1) spins++;', false],
    [
      'a search for a bit',
      'for (u64 n = 0; n < 64; n++) if (a >> n & 1) { spins = n; return; }',
      false,
    ],
    ['a table that is filled', 'for (u64 n = 0; n < 64; n++) table[n] = a; spins++;', false],
  ])('knows whether %s is nothing but a delay', (_what, body, expected) => {
    const { onlyCounts, isPlain, moves } = featuresOf(body, flags);
    expect(onlyCounts && isPlain && !moves).toBe(expected);
  });

  it.each([
    ['a generator until told to stop', 'while (!flag) a = a * 31 + 7; spins = a;'],
    ['a shift register', 'while (!flag) a ^= a << 13, a ^= a >> 7; spins = a;'],
    [
      'a sum of its rounds',
      'u64 n = 0; while (!flag) { n++; a += n; __asm__ volatile("" : "+r"(a)); } spins = a;',
    ],
  ])('sees more than a counter in %s', (_what, body) => {
    const features = featuresOf(body, flags);
    expect(features.carried.some((one) => !features.counters.includes(one))).toBe(true);
  });
});

describe('loopFeatures', () => {
  it('tells a counter of rounds from other carried values', () => {
    const features = featuresOf(
      'for (u64 i = a; i; i--) { if (flag) return; __builtin_ia32_pause(); }',
      ['-O2'],
    );
    expect(features.hasPause).toBe(true);
    expect(features.carried).toHaveLength(1);
    expect(features.counters).toEqual(features.carried);
  });

  it.each(['-O0', '-O2'])('does not depend on where the path begins, with %s', (level) => {
    const path = loopOf(
      'u64 n = 0; while (!flag && __atomic_load_n(&lock, 0) == 1) n++; spins = n;',
      [level],
    );
    for (let at = 0; at < path.length; at += 1)
      expect(loopFeatures([...path.slice(at), ...path.slice(0, at)])).toEqual(loopFeatures(path));
    expect(loopFeatures(path)).toMatchObject({ moves: false, flagTests: 2 });
  });

  it('knows a delay wherever the path begins, and an update without a lock', () => {
    for (const body of [
      'for (u64 n = 0; n < 100000; n++) __asm__ volatile("");',
      'for (volatile int n = 100000; n > 0; n--);',
    ]) {
      const path = loopOf(body, ['-O2']);
      for (let at = 0; at < path.length; at += 1)
        expect(loopFeatures([...path.slice(at), ...path.slice(0, at)]).onlyCounts).toBe(true);
    }
    const fill = 'for (u64 n = 0; n < 64; n++) { table[n] = n; __asm__ volatile(""); }';
    const several = loopOf(fill, ['-O2', '-fno-tree-vectorize']);
    for (let at = 0; at < several.length; at += 1)
      expect(loopFeatures([...several.slice(at), ...several.slice(0, at)]).onlyCounts).toBe(false);
    const update = 'while (!__atomic_compare_exchange_n(p, &a, a * 3 + 1, 1, 0, 0));';
    const lock = 'u64 e = 0; while (!__atomic_compare_exchange_n(p, &e, a, 1, 0, 0)) e = 0;';
    expect(featuresOf(update, ['-O2'])).toMatchObject({ exchanges: true });
    expect(featuresOf(update, ['-O2']).carried).toHaveLength(1);
    expect(featuresOf(lock, ['-O2'])).toMatchObject({ exchanges: true, carried: [] });
  });

  it.each([
    ['a copy', 'rep movsb', true],
    ['a filling', 'rep stosq', true],
    ['a comparison', 'repe cmpsb', false],
    ['a push', 'push %%rax; pop %%rax', false],
  ])('sees whether %s stores along memory', (_what, instruction, hasStringStore) => {
    const clobbers = '::: "rax", "rcx", "rsi", "rdi", "memory"';
    const body = `while (!flag) __asm__ volatile("${instruction}"${clobbers});`;
    expect(featuresOf(body, ['-O2'])).toMatchObject({ hasStringStore });
    expect(
      featuresOf('while (!__sync_bool_compare_and_swap(&lock, 0, 1));', ['-O2']),
    ).toMatchObject({
      hasStringStore: false,
    });
  });

  it('knows a back-off that doubles', () => {
    const features = featuresOf('while (!flag) { a += a; __builtin_ia32_pause(); } spins = a;', [
      '-O2',
    ]);
    expect(features.counters).toEqual([]);
    expect(features.selfMade).toEqual(features.carried);
  });

  it('knows the clock', () => {
    expect(featuresOf('while (__builtin_ia32_rdtsc() < a);', ['-O2'])).toMatchObject({
      readsClock: true,
      carried: [],
    });
  });
});

describe.each(LEVELS)('loopFeatures of results with %s', (...flags) => {
  it('knows a sum that is left in memory', () => {
    expect(featuresOf('for (;;) spins += flag;', flags)).toMatchObject({ yields: true });
  });

  it('takes a count of rounds, a set bit and a copy of a flag for no result', () => {
    for (const body of [
      'while (!flag) spins++;',
      'while (!(__sync_fetch_and_or(&lock, 1) & 2));',
      'while (!flag) spins = other;',
    ])
      expect(featuresOf(body, flags)).toMatchObject({ yields: false });
  });
});

describe('findLoop', () => {
  it('follows calls and comes back from them', () => {
    const code = compileC(
      `volatile int flag;
       __attribute__((noinline)) static int look(void) { return flag; }
       void loop(void) { while (!look()); }`,
      ['-O1'],
    );
    const map = new CodeMap(code.read, disassembler);
    const inCaller = shortestLoop(code.addressOf('loop'), map);
    expect(inCaller.some(({ flow }) => flow._tag === 'Call')).toBe(true);
    const inCallee = findLoop(map, code.addressOf('look'));
    expect(inCallee._tag).toBe('Closed');
    if (inCallee._tag === 'Closed')
      expect(loopFeatures(inCallee.path)).toMatchObject({ flagTests: 1, carried: [] });
  });

  it('takes an instruction that goes on along memory for the loop that it is', () => {
    const code = compileC(
      `void copy(char *to, const char *from, unsigned long n) {
         __asm__ volatile("here: rep movsb" : "+D"(to), "+S"(from), "+c"(n) :: "memory"); }`,
      ['-O2'],
    );
    const map = new CodeMap(code.read, disassembler);
    const found = findLoop(map, code.addressOf('here'));
    if (found._tag !== 'Closed') throw new Error(found._tag);
    expect(found.path.length).toBe(1);
    expect(loopFeatures(found.path)).toMatchObject({
      carried: ['RCX', 'RDI', 'RSI'],
      moves: true,
      hasStringStore: true,
    });
  });

  it('takes no recursion for a loop', () => {
    const code = compileC(
      `volatile int sink;
       __attribute__((noinline)) void fib(int n) { if (n < 2) sink++; else fib(n - 1), fib(n - 2); }
       void loop(void) { for (;;) fib(30); }`,
      ['-O0'],
    );
    const map = new CodeMap(code.read, disassembler);
    const found = findLoop(map, code.addressOf('fib'));
    if (found._tag === 'Closed') expect(loopFeatures(found.path).flagTests).toBe(0);
    const through = shortestLoop(code.addressOf('loop'), map);
    expect(through.some(({ flow }) => flow._tag === 'Return')).toBe(true);
    const again = findLoop(map, code.addressOf('fib'));
    expect(again._tag).toBe('Closed');
    if (again._tag === 'Closed') expect(loopFeatures(again.path).flagTests).toBe(0);
  });

  it('finds no loop where there is none, and says where code cannot be read', () => {
    const code = compileC('int straight(int a) { return a + 1; }');
    const map = new CodeMap(code.read, disassembler);
    expect(findLoop(map, code.addressOf('straight'))).toEqual({ _tag: 'Open' });
    expect(findLoop(map, 0x10n)).toEqual({ _tag: 'Unreadable' });
  });
});
