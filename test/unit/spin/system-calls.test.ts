// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { callMeaning } from '../../../receiver/spin/system-calls.js';

const meaning = (number: number, architecture: string, is32Bit = false): string =>
  callMeaning(
    {
      ...{ number, returnAddress: 0n, result: undefined, timeoutNanos: undefined, content: 0n },
      callArguments: [0n, 0n, 0n, 0n, 0n, 0n],
    },
    is32Bit,
    architecture,
  ).kind;

describe('callMeaning', () => {
  it.each([
    ['x64', false, 24, 'yield'],
    ['arm64', false, 124, 'yield'],
    ['x64', true, 158, 'yield'],
    ['x64', false, 228, 'clock'],
    ['arm64', false, 113, 'clock'],
    ['arm64', false, 98, 'syscall'],
  ])('goes by the numbers of %s (32 bits: %s): %i is %s', (architecture, is32Bit, number, kind) => {
    expect(meaning(number, architecture, is32Bit)).toBe(kind);
  });

  it('takes no number of another machine for its own', () => {
    // dup3 there, sched_yield here
    expect([meaning(24, 'arm64'), meaning(158, 'arm64', true)]).toEqual(['poll', 'poll']);
  });
});
