// SPDX-License-Identifier: Apache-2.0
/** Loops of AArch64 as a compiler writes them. */
import { describe, expect, it } from 'vitest';
import { arm64Disassembler } from '../../../receiver/spin/arm64.js';
import { CodeMap } from '../../../receiver/spin/code-map.js';
import type { Instruction } from '../../../receiver/spin/instruction.js';
import { loopFeatures, type LoopFeatures } from '../../../receiver/spin/loop-features.js';
import { compileArm64 } from '../../support/machine-code.js';
import { shortestLoop } from '../../support/shortest-loop.js';

const loopOf = (body: string, flags: readonly string[]): readonly Instruction[] => {
  const code = compileArm64(
    `typedef unsigned long u64; typedef unsigned int u32;
     u64 loop(volatile u32 *flag, u64 *p, u64 a, double d) { ${body} return a; }`,
    flags,
  );
  return shortestLoop(code.addressOf('loop'), new CodeMap(code.read, arm64Disassembler));
};
const featuresOf = (body: string, flags: readonly string[]): LoopFeatures =>
  loopFeatures(loopOf(body, flags));

const LEVELS = [['-O0'], ['-O2'], ['-O2', '-march=armv8.1-a']];

describe.each(LEVELS)('arm64Disassembler with %s', (...flags) => {
  it.each([
    ['yield', 'while (!*flag) __asm__ volatile("yield");', true],
    ['isb', 'while (!*flag) __asm__ volatile("isb");', true],
    ['wfe', 'while (!*flag) __asm__ volatile("wfe");', true],
    ['nothing', 'while (!*flag);', false],
    ['an acquiring load', 'while (!__atomic_load_n(flag, __ATOMIC_ACQUIRE));', false],
    ['a fence', 'while (!*flag) __asm__ volatile("dmb ish");', false],
  ])('finds nothing carried in a wait with %s', (_what, body, hasPause) => {
    const features = featuresOf(body, flags);
    expect(features).toMatchObject({ carried: [], moves: false, isPlain: true, hasPause });
    expect(features.flagTests).toBe(1);
  });

  it.each([
    ['a wait that counts its rounds', 'while (!*flag) a++;', 1],
    ['a wait that counts down', 'while (!*flag) a--;', 1],
  ])('finds only a counter in %s', (_what, body, flagTests) => {
    const features = featuresOf(body, flags);
    expect(features).toMatchObject({ moves: false, isPlain: true, flagTests });
    expect(features.carried).toHaveLength(1);
    expect(features.counters).toEqual(features.carried);
  });

  it.each([
    ['a delay', 'for (u64 n = 0; n < 100000; n++) __asm__ volatile("");', true],
    ['a count without an end', 'for (u64 n = 0;; n++) __asm__ volatile("" : "+r"(n));', false],
  ])('knows whether %s is a delay', (_what, body, expected) => {
    const { onlyCounts, isPlain, moves } = featuresOf(body, flags);
    expect(onlyCounts && isPlain && !moves).toBe(expected);
  });

  it('knows the counter', () => {
    const read = 'u64 t; do __asm__ volatile("mrs %0, cntvct_el0" : "=r"(t)); while (t < a);';
    expect(featuresOf(read, flags)).toMatchObject({ readsClock: true, carried: [], moves: false });
  });

  it.each([
    ['a hash', 'while (!*flag) a = a * 31 + 7;'],
    ['a generator', 'while (!*flag) { a ^= a << 13; a ^= a >> 7; a ^= a << 17; }'],
    ['a sum', 'while (!*flag) a += *(volatile u64 *)p;'],
    ['a sum of doubles', 'while (!*flag) d = d * 1.5 + 2.5; a = (u64)d;'],
    ['a search', 'while (*p != a) p++;'],
    ['a pointer chase', 'while (!*flag) p = (u64 *)*(u64 * volatile *)p; a = (u64)p;'],
    ['a count in memory', 'for (;;) ++*flag;'],
    ['an update', 'while (!*flag) __atomic_fetch_add(p, a, 0);'],
  ])('sees that %s goes on', (_what, body) => {
    const path = loopOf(body, flags);
    if (path.length === 0) return; // not followed: states decide
    const { carried, counters, moves, isPlain, flagTests } = loopFeatures(path);
    const keepsMore = carried.some((one) => !counters.includes(one));
    expect(moves || keepsMore || !isPlain || flagTests === 0).toBe(true);
  });
});

describe('arm64Disassembler', () => {
  it('knows who stands behind a pause', () => {
    const word = (value: number): Uint8Array => {
      const bytes = Buffer.alloc(4);
      bytes.writeUInt32LE(value);
      return bytes;
    };
    const behind = [0xd503203f, 0xd503205f, 0xd5033fdf, 0xd503201f].map((value) =>
      arm64Disassembler.isBehindPause(word(value)),
    );
    expect(behind).toEqual([true, true, true, false]);
  });

  it('ends where it knows no more', () => {
    const bytes = Buffer.from([0x1f, 0x20, 0x03, 0xd5, 0, 0, 0, 0]);
    const decoded = arm64Disassembler.decode({ address: 0x1000n, bytes }, 0x1000n, 9);
    expect(decoded.map(({ text }) => text)).toEqual(['nop']);
  });
});
