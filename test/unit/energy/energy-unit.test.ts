// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { convertUnits, parseEnergyUnit } from '../../../receiver/energy/energy-unit.js';

const PERF_SCALE = '2.3283064365386962890625e-10';

describe('parseEnergyUnit', () => {
  it('reads the scale of perf as exactly 2^-32 J', () => {
    const unit = parseEnergyUnit(PERF_SCALE);
    expect(unit && unit.numerator * 2n ** 32n).toBe(unit && unit.denominator * 1_000_000n);
  });

  it('reads whole joules', () => {
    expect(parseEnergyUnit('1')).toEqual({ numerator: 1_000_000n, denominator: 1n });
  });

  it.each(['', '0', '-1', 'x', '1e', '1e-900', '1e999', '0x1', 'NaN', 'Infinity'])(
    'refuses %j',
    (text) => {
      expect(parseEnergyUnit(text)).toBeUndefined();
    },
  );
});

describe('convertUnits', () => {
  it('adds up to the floor of the sum, however it is cut', () => {
    const unit = parseEnergyUnit(PERF_SCALE) ?? { numerator: 1n, denominator: 1n };
    fc.assert(
      fc.property(fc.array(fc.bigInt({ min: 0n, max: 2n ** 45n })), (steps) => {
        let remainder = 0n;
        let sum = 0n;
        for (const step of steps) {
          const converted = convertUnits(unit, step, remainder);
          sum += converted.energyMicrojoules;
          ({ remainder } = converted);
        }
        const whole = steps.reduce((a, b) => a + b, 0n);
        expect(sum).toBe((whole * 1_000_000n) >> 32n);
      }),
    );
  });
});
