// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addRow,
  dot,
  forgetAlong,
  newGram,
  solve,
} from '../../../../receiver/attribution/calibration/gram.js';

const bounds = (prior: readonly number[]) => ({
  prior: Float64Array.from(prior),
  low: Float64Array.from(prior, (value) => value / 4),
  high: Float64Array.from(prior, (value) => value * 4),
});

describe('solve', () => {
  it('finds the coefficients of an exact linear world, without a ridge', () => {
    const value = fc.double({ min: 0.3, max: 3, noNaN: true });
    fc.assert(
      fc.property(fc.tuple(value, value, value), (truth) => {
        const theta = Float64Array.from(truth);
        const gram = newGram(3);
        const rows = [
          [1, 0, 0.2],
          [0.1, 1, 0],
          [0, 0.3, 1],
          [1, 1, 1],
        ];
        for (const row of rows) {
          const x = Float64Array.from(row);
          addRow(gram, x, dot(x, theta), 1);
        }
        const found = solve(gram, bounds([1, 1, 1]), 0);
        found.forEach((number, at) => expect(number).toBeCloseTo(theta[at] ?? NaN, 5));
      }),
    );
  });

  it('stays at the priors where nothing was seen, and within the bounds whatever was', () => {
    const gram = newGram(2);
    expect([...solve(gram, bounds([0.6, 6]))]).toEqual([0.6, 6]);
    addRow(gram, Float64Array.from([1, 0]), 1e6, 1);
    addRow(gram, Float64Array.from([0, 1]), -1e6, 1);
    expect([...solve(gram, bounds([0.6, 6]))]).toEqual([2.4, 1.5]);
  });

  it('moves along what was seen and keeps the priors’ ratio across it', () => {
    const gram = newGram(2);
    for (let row = 0; row < 100; row++) addRow(gram, Float64Array.from([1, 1]), 4, 1);
    const [a = NaN, b = NaN] = solve(gram, bounds([1, 1]));
    expect(a).toBeCloseTo(b, 6);
    expect(a).toBeCloseTo(2, 1);
  });
});

describe('forgetAlong', () => {
  it('forgets what a row says anew and keeps the rest', () => {
    const gram = newGram(2);
    const [first, second] = [Float64Array.from([1, 0]), Float64Array.from([0, 1])];
    addRow(gram, first, 1, 1);
    addRow(gram, second, 2, 1);
    forgetAlong(gram, first, 0.001);
    addRow(gram, first, 3, 1);
    const [changed = NaN, kept = NaN] = solve(gram, bounds([2, 2]), 0);
    expect(changed).toBeCloseTo(3, 2);
    expect(kept).toBeCloseTo(2, 9);
    expect([...gram.matrix].at(-1)).toBeCloseTo(1, 9);
  });

  it('leaves the solution where it is', () => {
    const number = fc.double({ min: 0.1, max: 2, noNaN: true });
    fc.assert(
      fc.property(fc.array(fc.tuple(number, number), { minLength: 3, maxLength: 9 }), (rows) => {
        const gram = newGram(2);
        for (const [a, b] of rows) addRow(gram, Float64Array.from([a, b]), a * 1.5 + b * 0.7, 1);
        const before = solve(gram, bounds([1, 1]), 1e-6);
        forgetAlong(gram, Float64Array.from([1, 0.5]), 0.9);
        solve(gram, bounds([1, 1]), 1e-6).forEach((value, at) =>
          expect(value).toBeCloseTo(before[at] ?? NaN, 1),
        );
      }),
    );
  });
});
