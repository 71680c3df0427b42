// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { globMatcher } from '../../../receiver/model/glob.js';

/** By its definition: a star is nothing, or one character and a star. */
const matches = (glob: readonly string[], text: readonly string[]): boolean => {
  const [first, ...rest] = glob;
  if (first === undefined) return text.length === 0;
  if (first === '*')
    return matches(rest, text) || (text.length > 0 && matches(glob, text.slice(1)));
  return text.length > 0 && (first === '?' || first === text[0]) && matches(rest, text.slice(1));
};

describe('globMatcher', () => {
  it('is what a star and a question mark say', () => {
    const words = fc.array(fc.constantFrom('a', 'b', '.', '\n', '😀'), { maxLength: 7 });
    const globs = fc.array(fc.constantFrom('a', 'b', '.', '*', '?'), { maxLength: 7 });
    fc.assert(
      fc.property(globs, words, (glob, text) => {
        expect(globMatcher(glob.join(''))(text.join(''))).toBe(matches(glob, text));
      }),
    );
  });

  it('takes other marks as they are', () => {
    expect(globMatcher('/sys/[a]+.(x)')('/sys/[a]+.(x)')).toBe(true);
    expect(globMatcher('a.c')('abc')).toBe(false);
    expect(globMatcher('')('')).toBe(true);
    expect(globMatcher('')('a')).toBe(false);
  });

  it('comes to an end with very many stars on a very long path', () => {
    expect(globMatcher('*a'.repeat(120) + 'b')('a'.repeat(4_096))).toBe(false);
  });
});
