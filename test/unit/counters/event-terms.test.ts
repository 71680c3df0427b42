// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeConfig, parseFormat, parseTerms } from '../../../receiver/counters/event-terms.js';

const FORMATS = new Map([
  ['event', 'config:0-7,32-35'],
  ['umask', 'config:8-15'],
  ['inv', 'config:23'],
  ['ldlat', 'config1:0-15'],
]);

const configOf = (text: string): bigint | undefined => {
  const terms = parseTerms(text);
  return terms === undefined ? undefined : encodeConfig(terms, FORMATS);
};

describe('encodeConfig', () => {
  it('puts each term where the format says, in several pieces if need be', () => {
    expect(configOf('event=0x2e,umask=0x41')).toBe(0x412en);
    expect(configOf('event=0x3c')).toBe(0x3cn);
    expect(configOf('event=0x1c1,umask=1')).toBe(0x1_0000_01c1n);
    expect(configOf('event=0xc0,inv')).toBe(0x80_00c0n);
  });

  it('gives nothing where a term has no place, does not fit it, or is no number', () => {
    expect(configOf('event=0xcd,umask=0x1,ldlat=3')).toBeUndefined();
    expect(configOf('event=0x1000')).toBeUndefined();
    expect(configOf('event=?')).toBeUndefined();
    expect(configOf('unknown=1')).toBeUndefined();
    expect(configOf('')).toBeUndefined();
  });

  it('loses no bit of any value that fits', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 0xfff }), fc.integer({ min: 0, max: 0xff }), (e, u) => {
        const config = configOf(`event=0x${e.toString(16)},umask=${String(u)}`) ?? -1n;
        expect((config & 0xffn) | (((config >> 32n) & 0xfn) << 8n)).toBe(BigInt(e));
        expect((config >> 8n) & 0xffn).toBe(BigInt(u));
      }),
    );
  });
});

describe('parseFormat', () => {
  it('refuses other words than config and ranges that are none', () => {
    for (const text of ['config1:0-7', 'config:', 'config:7-0', 'config:0-64', 'config:a', ''])
      expect(parseFormat(text)).toBeUndefined();
  });
});
