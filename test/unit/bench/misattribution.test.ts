// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import {
  groupByLoad,
  misattributedShare,
  risen,
  worstError,
} from '../../../bench/truth/misattribution.js';

const joules = fc
  .array(
    fc.tuple(fc.constantFrom('a', 'b', 'c', 'd'), fc.double({ min: 0.1, max: 1e6, noNaN: true })),
    {
      minLength: 1,
    },
  )
  .map((pairs) => new Map(pairs));

describe('misattributedShare', () => {
  it('is half of what two owners exchanged', () => {
    const estimated = new Map([
      ['a', 60],
      ['b', 40],
    ]);
    const truth = new Map([
      ['a', 50],
      ['b', 50],
    ]);
    expect(misattributedShare(estimated, truth)).toBeCloseTo(0.1);
    expect(worstError(estimated, truth, ['a', 'b'])).toBeCloseTo(0.2);
  });

  it('is 0 for the truth at any scale, 1 for owners that have nothing to do with it', () => {
    fc.assert(
      fc.property(joules, fc.double({ min: 0.01, max: 100, noNaN: true }), (truth, scale) => {
        const scaled = new Map([...truth].map(([name, value]) => [name, value * scale]));
        expect(misattributedShare(scaled, truth)).toBeCloseTo(0, 9);
        expect(misattributedShare(new Map([['nobody', 1]]), truth)).toBeCloseTo(1, 9);
      }),
    );
  });

  it('lies between 0 and 1 and does not care which side is which', () => {
    fc.assert(
      fc.property(joules, joules, (one, other) => {
        const share = misattributedShare(one, other);
        expect(share).toBeGreaterThanOrEqual(0);
        expect(share).toBeLessThanOrEqual(1 + 1e-9);
        expect(misattributedShare(other, one)).toBeCloseTo(share, 9);
      }),
    );
  });
});

describe('risen', () => {
  it('takes an owner that was not there before from 0', () => {
    expect(
      risen(
        new Map([['a', 2]]),
        new Map([
          ['a', 5],
          ['b', 1],
        ]),
      ),
    ).toEqual(
      new Map([
        ['a', 3],
        ['b', 1],
      ]),
    );
  });
});

describe('groupByLoad', () => {
  it('gives what is no load to other, so that the sum stays', () => {
    const rows = [
      { name: 'a', joules: 1 },
      { name: 'kworker/0:1', joules: 2 },
      { name: 'a', joules: 3 },
    ];
    expect(groupByLoad(rows, ['a', 'b'])).toEqual(
      new Map([
        ['a', 4],
        ['b', 0],
        ['other', 2],
      ]),
    );
  });
});
