// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { escapeBytes, escapeText } from '../../../receiver/model/escape.js';

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

describe('escapeBytes', () => {
  it('leaves printable text alone in any script', () => {
    for (const text of ['nginx: worker', 'größe', '日本語', '🐧', 'a\\x2db', '']) {
      expect(escapeBytes(bytesOf(text))).toBe(text);
    }
  });

  it('escapes control characters of ASCII and of Unicode', () => {
    expect(escapeBytes(bytesOf('a\u0000\t\n\u001b[31m\u007f'))).toBe(
      'a\\x00\\x09\\x0A\\x1B[31m\\x7F',
    );
    expect(escapeBytes(bytesOf('\u0085'))).toBe('\\xC2\\x85');
    expect(escapeBytes(bytesOf('evil\u202etxt'))).toBe('evil\\xE2\\x80\\xAEtxt');
    expect(escapeBytes(bytesOf('\u2028'))).toBe('\\xE2\\x80\\xA8');
  });

  it('escapes what is no valid UTF-8 byte by byte', () => {
    const cases: readonly (readonly [readonly number[], string])[] = [
      [[0xff, 0x41], '\\xFFA'],
      [[0xc0, 0xaf], '\\xC0\\xAF'],
      [[0xe0, 0x80, 0x80], '\\xE0\\x80\\x80'],
      [[0xed, 0xa0, 0x80], '\\xED\\xA0\\x80'],
      [[0xf4, 0x90, 0x80, 0x80], '\\xF4\\x90\\x80\\x80'],
      [[0x80, 0x62], '\\x80b'],
      [[0xe2, 0x82], '\\xE2\\x82'],
      [[0xc3, 0x28], '\\xC3('],
    ];
    for (const [bytes, text] of cases) expect(escapeBytes(Uint8Array.from(bytes))).toBe(text);
  });

  it('yields well-formed text without control characters for any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
        const text = escapeBytes(bytes);
        expect(text).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
        expect(escapeText(text)).toBe(text);
      }),
      { numRuns: 2000 },
    );
  });

  it('agrees with the platform’s decoder on what is valid', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const isPlain = !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(text);
        if (isPlain) expect(escapeBytes(bytesOf(text))).toBe(text);
      }),
    );
  });

  it('escapes only the range it is given', () => {
    expect(escapeBytes(bytesOf('a\nb\nc'), 2, 3)).toBe('b');
  });
});

describe('escapeText', () => {
  it('returns clean text unchanged and never yields a lone surrogate', () => {
    expect(escapeText('clean')).toBe('clean');
    expect(escapeText('a\ud800b')).toBe('a\ufffdb');
    expect(escapeText('a\u0007')).toBe('a\\x07');
  });
});
