// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clipLine, painterOf, span, textOf } from '../../../receiver/terminal/line.js';
import {
  clipEnd,
  clipStart,
  displayWidth,
  padEnd,
  padStart,
  safeText,
} from '../../../receiver/terminal/width.js';

const anyText = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: 'binary' }),
  fc.stringMatching(/^[漢字a-c👩‍👩‍👧é]{0,12}$/u),
);

describe('displayWidth', () => {
  it('counts wide characters twice and combining marks not at all', () => {
    expect([
      displayWidth('abc'),
      displayWidth('漢字'),
      displayWidth('e\u0301'),
      displayWidth('👩‍👩‍👧'),
    ]).toEqual([3, 4, 1, 2]);
  });
});

describe('clipEnd and clipStart', () => {
  it('never take more than the width, and change nothing that fits', () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: 0, max: 12 }), (raw, width) => {
        const text = safeText(raw);
        for (const clip of [clipEnd, clipStart]) {
          expect(displayWidth(clip(text, width))).toBeLessThanOrEqual(width);
          if (displayWidth(text) <= width) expect(clip(text, width)).toBe(text);
        }
      }),
    );
  });

  it('keep the beginning, or the end', () => {
    expect(clipEnd('/system.slice/a.service', 8)).toBe('/system…');
    expect(clipStart('/system.slice/a.service', 10)).toBe('…a.service');
    expect(clipEnd('漢字漢字', 4)).toBe('漢…');
    expect(clipEnd('abc', 0)).toBe('');
  });
});

describe('padEnd and padStart', () => {
  it('fill up to the width in columns', () => {
    expect(padEnd('漢', 4)).toBe('漢  ');
    expect(padStart('漢', 4)).toBe('  漢');
    expect(padEnd('long', 2)).toBe('long');
  });
});

describe('safeText', () => {
  it('lets no control byte and no change of direction through', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(safeText(text)).not.toMatch(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/u);
      }),
    );
    expect(safeText('a\x1b[31mb\u202ec\x9bd')).toBe('a\ufffd[31mb\ufffdc\ufffdd');
  });
});

describe('clipLine', () => {
  it('cuts across spans and drops what is beyond', () => {
    const line = [span('abc', 'strong'), span('def'), span('ghi')];
    expect(textOf(clipLine(line, 5))).toBe('abcd…');
    expect(clipLine(line, 5)).toHaveLength(2);
  });
});

describe('painterOf', () => {
  it('writes no escape sequence without colour', () => {
    expect(painterOf(false)([span('a', 'alarm'), span('b', 'heading')])).toBe('ab');
    expect(painterOf(true)([span('a', 'alarm')])).toContain('\x1b[');
  });
});
