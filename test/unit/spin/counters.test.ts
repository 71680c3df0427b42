// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { counterLikeness, counterText } from '../../../receiver/spin/counters.js';

const counted = (ipc: number, missesPerThousand: number, branches?: number, missed?: number) => {
  const instructions = 1e9;
  return {
    cycles: instructions / ipc,
    instructions,
    cacheMisses: (instructions * missesPerThousand) / 1000,
    branches: branches === undefined ? undefined : instructions * branches,
    branchMisses: missed === undefined ? undefined : instructions * (branches ?? 0) * missed,
  };
};

describe('counterLikeness', () => {
  it.each([
    ['a loop of PAUSEs', counted(0.06, 0), 'pauses'],
    ['a loop that looks again', counted(2.8, 0, 0.5, 1e-6), 'loops'],
    ['the same without counters of branches', counted(2.8, 0), 'neither'],
    ['a loop that branches at random', counted(2.8, 0, 0.5, 0.01), 'neither'],
    ['a pointer chase', counted(0.15, 98), 'memory'],
    ['a stream', counted(0.45, 110), 'memory'],
    ['integers', counted(1.6, 0.6, 0.18, 1e-3), 'neither'],
  ])('takes %s for what it is', (_, counters, likeness) => {
    expect(counterLikeness(counters)).toBe(likeness);
  });

  it('says nothing where nothing was counted', () => {
    const nothing = { cycles: undefined, instructions: 0, cacheMisses: undefined };
    expect([counterLikeness(nothing), counterText(nothing)]).toEqual([undefined, '']);
  });
});

describe('counterText', () => {
  it('says what was counted, and no more', () => {
    expect(counterText(counted(0.06, 0))).toBe('IPC 0.06, 0.0 cache misses per 1000 instructions');
    expect(counterText(counted(2.8, 0.04, 0.5, 1e-5))).toBe(
      'IPC 2.80, 0.0 cache misses per 1000 instructions, 50 % branches, 0.00 % of them missed',
    );
  });
});
