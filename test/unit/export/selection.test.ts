// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  MIN_RESIDENCE_EXPORTS,
  TAKEOVER_FACTOR,
  selectSeries,
} from '../../../receiver/export/selection.js';

const candidate = fc.record({ gain: fc.nat({ max: 1_000 }) });
const resident = fc.record({ gain: fc.nat({ max: 1_000 }), ageExports: fc.nat({ max: 20 }) });

describe('selectSeries', () => {
  it('promotes all that burn while there is room', () => {
    const { promoted, demoted } = selectSeries([{ gain: 1 }, { gain: 0 }, { gain: 2 }], [], {
      maxSeries: 2,
    });
    expect(promoted.map(({ gain }) => gain).sort()).toEqual([1, 2]);
    expect(demoted).toEqual([]);
  });

  it('promotes those that burn most', () => {
    const { promoted } = selectSeries([{ gain: 1 }, { gain: 9 }, { gain: 5 }], [], {
      maxSeries: 2,
    });
    expect(promoted.map(({ gain }) => gain)).toEqual([9, 5]);
  });

  it('keeps a place for some exports', () => {
    const young = { gain: 0, ageExports: MIN_RESIDENCE_EXPORTS - 1 };
    expect(selectSeries([{ gain: 9 }], [young], { maxSeries: 1 }).promoted).toEqual([]);
    const old = { gain: 0, ageExports: MIN_RESIDENCE_EXPORTS };
    expect(selectSeries([{ gain: 9 }], [old], { maxSeries: 1 }).demoted).toEqual([old]);
  });

  it('gives no place to one that burns hardly more', () => {
    const old = { gain: 5, ageExports: 50 };
    const limits = { maxSeries: 1 };
    expect(selectSeries([{ gain: 5 * TAKEOVER_FACTOR }], [old], limits).promoted).toEqual([]);
    expect(selectSeries([{ gain: 5 * TAKEOVER_FACTOR + 1 }], [old], limits).demoted).toEqual([old]);
  });

  it('never exceeds the cap and never demotes without a stronger newcomer', () => {
    fc.assert(
      fc.property(
        fc.array(candidate),
        fc.array(resident, { maxLength: 20 }),
        fc.nat({ max: 20 }),
        (candidates, residents, room) => {
          const maxSeries = residents.length + room;
          const { promoted, demoted } = selectSeries(candidates, residents, { maxSeries });
          expect(residents.length - demoted.length + promoted.length).toBeLessThanOrEqual(
            maxSeries,
          );
          const weakestIn = Math.min(...promoted.map(({ gain }) => gain));
          for (const { gain } of demoted) expect(weakestIn).toBeGreaterThan(gain);
          for (const { gain } of promoted) expect(gain).toBeGreaterThan(0);
        },
      ),
    );
  });
});
