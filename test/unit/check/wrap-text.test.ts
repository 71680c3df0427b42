// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { wrapText } from '../../../receiver/check/wrap-text.js';

describe('wrapText', () => {
  it('indents later lines', () => {
    expect(wrapText('one two three', 9, 'a: ', '   ')).toEqual(['a: one', '   two', '   three']);
  });

  it('cuts a word that is longer than a line', () => {
    expect(wrapText('abcdefghij', 6, '', '  ')).toEqual(['abcdef', '  ghij']);
  });

  it('never exceeds the columns and loses no character', () => {
    const word = fc.stringMatching(/^[a-z/:-]{1,50}$/);
    fc.assert(
      fc.property(
        fc.array(word, { minLength: 1 }),
        fc.integer({ min: 12, max: 80 }),
        (words, columns) => {
          const lines = wrapText(words.join(' '), columns, 'mark: ', '    ');
          for (const line of lines) expect(line.length).toBeLessThanOrEqual(columns);
          const letters = lines.join('').replaceAll(' ', '');
          expect(letters).toBe(`mark:${words.join('')}`);
        },
      ),
    );
  });
});
