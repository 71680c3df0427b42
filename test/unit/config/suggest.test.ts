// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { editDistance, nearest } from '../../../receiver/config/suggest.js';

const word = fc.stringMatching(/^[a-d]{0,6}$/);

describe('editDistance', () => {
  it('is 0 only for equal words, symmetric, and at most the longer length', () => {
    fc.assert(
      fc.property(word, word, (a, b) => {
        const distance = editDistance(a, b);
        expect(distance === 0).toBe(a === b);
        expect(distance).toBe(editDistance(b, a));
        expect(distance).toBeLessThanOrEqual(Math.max(a.length, b.length));
      }),
    );
  });

  it('counts a swap of neighbours as one slip', () => {
    expect(editDistance('modle', 'model')).toBe(1);
  });
});

describe('nearest', () => {
  it('finds a slip and reads - as _', () => {
    expect(nearest('windw_millis', ['window_millis', 'energy'])).toBe('window_millis');
    expect(nearest('window-millis', ['window_millis'])).toBe('window_millis');
  });

  it('suggests nothing for a word that is like none', () => {
    expect(nearest('completely', ['window_millis', 'energy'])).toBeUndefined();
    expect(nearest('x', [])).toBeUndefined();
  });
});
