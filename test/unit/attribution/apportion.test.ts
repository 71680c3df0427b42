// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { apportion } from '../../../receiver/attribution/apportion.js';

const sum = (values: ArrayLike<number>): number => Array.from(values).reduce((a, b) => a + b, 0);

/** What one window may hold: up to 70 MJ. */
const total = fc.oneof(
  fc.integer({ min: 0, max: 50 }),
  fc.integer({ min: 0, max: 2_000_000_000 }),
  fc.integer({ min: 0, max: 2 ** 46 }),
);
const taskTime = fc.oneof(
  fc.constant(0),
  fc.integer({ min: 1, max: 5 }),
  fc.integer({ min: 1, max: 1_000_000_000 }),
);
const times = fc.array(taskTime, { maxLength: 60 });
const anyWeights = fc.array(
  fc.oneof(taskTime, fc.double({ min: 0, max: 1e12, noNaN: true }), fc.double()),
  { maxLength: 40 },
);
const isPositive = (weight: number): boolean => weight > 0 && weight <= 1e300;

describe('apportion', () => {
  it('hands out exactly the total as soon as one weight is positive, and nothing otherwise', () => {
    fc.assert(
      fc.property(total, anyWeights, (energy, weights) => {
        const shares = apportion(energy, weights);
        expect(shares.length).toBe(weights.length);
        expect(sum(shares)).toBe(weights.some(isPositive) ? energy : 0);
        expect(Array.from(shares).every((share) => Number.isInteger(share) && share >= 0)).toBe(
          true,
        );
      }),
      { numRuns: 2000 },
    );
  });

  it('gives nothing to a weight that is zero, negative, infinite or not a number', () => {
    const shares = apportion(1_000, [0, -3, NaN, Infinity, -Infinity, 1]);
    expect(Array.from(shares)).toEqual([0, 0, 0, 0, 0, 1_000]);
  });

  it('keeps each share within one microjoule of the real one', () => {
    fc.assert(
      fc.property(total, times, (energy, weights) => {
        const whole = BigInt(sum(weights));
        apportion(energy, weights).forEach((share, i) => {
          if (whole === 0n) return;
          // |share - energy * weight / whole| < 1, in integers
          const difference = BigInt(share) * whole - BigInt(energy) * BigInt(weights[i] ?? 0);
          expect(difference < whole && -difference < whole).toBe(true);
        });
      }),
      { numRuns: 1000 },
    );
  });

  it('never gives a larger weight less', () => {
    fc.assert(
      fc.property(total, anyWeights, (energy, weights) => {
        const pairs = Array.from(apportion(energy, weights), (share, i) => ({
          share,
          weight: isPositive(weights[i] ?? 0) ? (weights[i] ?? 0) : 0,
        })).sort((a, b) => a.weight - b.weight || a.share - b.share);
        for (let i = 1; i < pairs.length; i++) {
          const [lower, upper] = [pairs[i - 1], pairs[i]];
          if (lower === undefined || upper === undefined || lower.weight === upper.weight) continue;
          expect(upper.share).toBeGreaterThanOrEqual(lower.share);
        }
      }),
      { numRuns: 1000 },
    );
  });

  it('depends on the order by at most the odd microjoule among equal remainders', () => {
    fc.assert(
      fc.property(
        total,
        times,
        fc.array(fc.nat(), { minLength: 60, maxLength: 60 }),
        (energy, weights, keys) => {
          const order = weights.map((_, i) => ({ i, key: keys[i] ?? 0 }));
          order.sort((a, b) => a.key - b.key);
          const direct = apportion(energy, weights);
          const shuffled = apportion(
            energy,
            order.map(({ i }) => weights[i] ?? 0),
          );
          order.forEach(({ i }, at) => {
            expect(Math.abs((shuffled[at] ?? 0) - (direct[i] ?? 0))).toBeLessThanOrEqual(1);
          });
          expect(sum(shuffled)).toBe(sum(direct));
        },
      ),
    );
  });

  it('is deterministic: among equals the first get the odd microjoules', () => {
    expect(Array.from(apportion(5, [1, 1, 1]))).toEqual([2, 2, 1]);
    expect(Array.from(apportion(1, [2, 2, 2, 2]))).toEqual([1, 0, 0, 0]);
    expect(Array.from(apportion(2, [0, 7, 0, 7, 7]))).toEqual([0, 1, 0, 1, 0]);
  });

  it('is exact where doubles are coarsest: large energies, weights that are no integers', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 2 ** 45, max: 2 ** 46 }),
        fc.array(fc.double({ min: 1e-9, max: 1, noNaN: true }), { minLength: 1, maxLength: 400 }),
        (energy, weights) => {
          const shares = apportion(energy, weights);
          expect(sum(shares)).toBe(energy);
          expect(Math.min(...shares)).toBeGreaterThanOrEqual(0);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('splits an energy beyond 2^46 microjoules exactly too', () => {
    const energy = 2 ** 52 + 12_345;
    const shares = apportion(energy, [3, 0, 1, 9]);
    expect(shares.reduce((all, share) => all + BigInt(share), 0n)).toBe(BigInt(energy));
    expect(shares[3]).toBeGreaterThan(shares[0] ?? 0);
  });
});
