// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addEnergyRows, addKnown } from '../../../receiver/model/energy-row.js';
import { energyRow, NO_DRAM } from '../../support/agent-report.js';

describe('addKnown', () => {
  // Integers: the sum of doubles depends on the order, the treatment of null must not.
  const quantity = fc.option(fc.integer());

  it('is null only where nothing is known, and else the sum of what is', () => {
    fc.assert(
      fc.property(fc.array(quantity), (values) => {
        const known = values.filter((value) => value !== null);
        const sum = known.length === 0 ? null : known.reduce((a, b) => a + b, 0);
        expect(values.reduce(addKnown, null)).toBe(sum);
        expect(values.toReversed().reduce(addKnown, null)).toBe(sum);
      }),
    );
  });
});

describe('addEnergyRows', () => {
  it('keeps absent absent and adds the rest', () => {
    expect(addEnergyRows(energyRow(1, NO_DRAM), energyRow(2, NO_DRAM))).toEqual(
      energyRow(3, { ...NO_DRAM, cpuRatio: 0.1 + 0.2 }),
    );
  });
});
