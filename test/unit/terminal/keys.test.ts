// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeKeys } from '../../../receiver/terminal/keys.js';

const shown = (text: string): readonly string[] =>
  decodeKeys(text).map((key) => (key._tag === 'Char' ? key.char : `<${key.name}>`));

describe('decodeKeys', () => {
  it.each([
    ['q', ['q']],
    ['ab漢', ['a', 'b', '漢']],
    ['\x1b[A\x1b[B\x1bOA', ['<up>', '<down>', '<up>']],
    ['\x1b[5~\x1b[6~\x1b[H\x1b[4~', ['<page-up>', '<page-down>', '<home>', '<end>']],
    ['\x1b', ['<escape>']],
    ['\x03\x1a\x0c\x15', ['<interrupt>', '<suspend>', '<redraw>', '<clear>']],
    ['\r\x7f\b', ['<enter>', '<backspace>', '<backspace>']],
    // Function keys, mouse reports, unknown control bytes: nothing, as a whole.
    ['\x1b[15~\x1b[<0;3;4M\x1bOPx\x01', ['x']],
  ])('reads %j', (text, keys) => {
    expect(shown(text)).toEqual(keys);
  });

  it('ends for any bytes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(decodeKeys(text).length).toBeLessThanOrEqual(text.length);
      }),
    );
  });
});
