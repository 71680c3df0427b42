// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatCpuList, parseCpuList } from '../../../receiver/host/cpu-list.js';

describe('parseCpuList', () => {
  it.each([
    ['0', [0]],
    ['0-3', [0, 1, 2, 3]],
    ['0-1,8,10-11', [0, 1, 8, 10, 11]],
    ['8,0', [0, 8]],
    ['', []],
    ['junk,3,-', [3]],
  ])('reads %j', (text, cpus) => {
    expect(parseCpuList(text)).toEqual(cpus);
  });

  it('reads back what formatCpuList writes', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.integer({ min: 0, max: 300 })), (cpus) => {
        expect(parseCpuList(formatCpuList(cpus))).toEqual([...cpus].sort((a, b) => a - b));
      }),
    );
  });
});

describe('formatCpuList', () => {
  it('joins neighbours to ranges', () => {
    expect(formatCpuList([3, 1, 0, 2, 8])).toBe('0-3,8');
  });
});
