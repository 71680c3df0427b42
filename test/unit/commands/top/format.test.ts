// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { energyText, wattsText } from '../../../../receiver/commands/top/format.js';

describe('energyText', () => {
  it.each([
    [0, '0 J'],
    [0.0421, '0.042 J'],
    [12.345, '12.35 J'],
    [9999, '9999 J'],
    [10_000, '2.778 Wh'],
    [3_599_999, '1000.0 Wh'],
    [3_600_000, '1.000 kWh'],
    [3_600_000_000, '1000 kWh'],
  ])('says %d J as %s', (energyJoules, text) => {
    expect(energyText(energyJoules)).toBe(text);
  });
});

describe('wattsText', () => {
  it.each([
    [0, '0'],
    [0.0004, '0.000'],
    [0.012, '0.012'],
    [-3.2, '-3.20'],
    [999.994, '999.99'],
    [1234.56, '1234.6'],
  ])('says %d W as %s', (powerWatts, text) => {
    expect(wattsText(powerWatts)).toBe(text);
  });
});
