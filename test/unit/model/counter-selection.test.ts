// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { parseCounterChoice, parseCounterCpus } from '../../../receiver/model/counter-selection.js';

describe('parseCounterChoice', () => {
  it('takes a kind, with the number of its event or without', () => {
    expect(parseCounterChoice('llc')).toEqual({ kind: 'llc', config: undefined });
    expect(parseCounterChoice('vector=0xF0c7')).toEqual({ kind: 'vector', config: 0xf0c7n });
  });

  it('refuses anything else', () => {
    for (const text of ['', 'branches', 'llc=', 'llc=12', 'llc=0x', 'LLC', 'llc=0x1 '])
      expect(parseCounterChoice(text)).toBeUndefined();
  });
});

describe('parseCounterCpus', () => {
  it('takes all, a list of the kernel’s kind, and a part of the cores', () => {
    expect(parseCounterCpus('all')).toEqual({ _tag: 'All' });
    expect(parseCounterCpus('0-3,8')).toEqual({
      _tag: 'Ranges',
      ranges: [
        [0, 3],
        [8, 8],
      ],
    });
    expect(parseCounterCpus('1/4')).toEqual({ _tag: 'EveryNth', nth: 4 });
  });

  it('refuses anything else', () => {
    for (const text of ['', 'none', '1/0', '2/4', '3-1', '0-', '0,,1', '0-3, 8', '-1'])
      expect(parseCounterCpus(text)).toBeUndefined();
  });
});
