// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  FACTOR_STEP_MEGAHERTZ,
  FACTOR_STEPS,
  frequencyFactor,
  frequencyFactorTable,
} from '../../../receiver/model/frequency-factor.js';

describe('frequencyFactor', () => {
  it('is 1 at the reference and where a frequency is not known', () => {
    expect(frequencyFactor(3_000_000, 3_000_000)).toBe(1);
    expect(frequencyFactor(undefined, 3_000_000)).toBe(1);
    expect(frequencyFactor(800_000, undefined)).toBe(1);
    expect(frequencyFactor(0, 3_000_000)).toBe(1);
  });

  it('falls with the square of the voltage, to a floor, and rises above 1 in turbo', () => {
    expect(frequencyFactor(2_250_000, 3_000_000)).toBeCloseTo((1 - 0.45 * 0.25) ** 2, 12);
    expect(frequencyFactor(300_000, 3_000_000)).toBeCloseTo(0.72 ** 2, 12);
    expect(frequencyFactor(3_600_000, 3_000_000)).toBeCloseTo(1.09 ** 2, 12);
  });
});

describe('frequencyFactorTable', () => {
  it('is within half a percent of the factor at every frequency it covers', () => {
    const reference = 2_400_000;
    const table = frequencyFactorTable(reference);
    expect(table).toHaveLength(FACTOR_STEPS);
    fc.assert(
      fc.property(fc.integer({ min: 1, max: FACTOR_STEPS * FACTOR_STEP_MEGAHERTZ - 1 }), (mhz) => {
        const looked = table[Math.floor(mhz / FACTOR_STEP_MEGAHERTZ)] ?? 0;
        const exact = frequencyFactor(mhz * 1_000, reference);
        expect(Math.abs(looked / exact - 1)).toBeLessThan(0.005);
      }),
    );
  });
});
