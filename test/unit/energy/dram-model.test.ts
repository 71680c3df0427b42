// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { meterBalances } from '../../../receiver/attribution/meters.js';
import { addEnergyRows } from '../../../receiver/model/energy-row.js';
import { createEnergyReader } from '../../../receiver/energy/reader.js';
import type { EnergyPlan } from '../../../receiver/energy/plan-types.js';
import { totalJoules } from '../../../receiver/commands/top/row.js';
import { nanos } from '../../../receiver/model/units.js';
import {
  advancedReading,
  dramDomain,
  packageDomain,
  platformDomain,
} from '../../support/windows.js';

const DRAM = dramDomain(0, { id: 'model/dram:0', source: 'model', origin: 'modelled' });

const PLAN: EnergyPlan = {
  domains: [
    {
      domain: DRAM,
      measure: {
        _tag: 'DramModel',
        packageId: 0,
        dram: { backgroundWatts: 4, lineNanojoules: 15 },
      },
      specs: [],
      evidence: '',
      isFailing: false,
    },
  ],
  dropped: [],
  model: undefined,
  notes: [],
  longestWindowMillis: undefined,
};

const read = (linesByPackage: ReadonlyMap<number, number> | undefined) =>
  createEnergyReader(PLAN).read({
    readings: [],
    startNanos: nanos(0n),
    endNanos: nanos(2_000_000_000n),
    boottimeOffsetNanos: nanos(0n),
    busyRatios: new Map(),
    linesByPackage,
  })[0]?.step;

describe('memory that is predicted', () => {
  it('draws its background and 15 nJ a line', () => {
    expect(read(new Map([[0, 100_000_000]]))).toMatchObject({
      _tag: 'Advanced',
      deltaMicrojoules: 9_500_000n,
    });
  });

  it('fails where no misses are counted, and does not show the background alone', () => {
    expect(read(undefined)).toMatchObject({ _tag: 'Failed', detail: 'no cache misses counted' });
  });

  it('is in no total: neither the rest of the machine nor a row’s energy has it', () => {
    const readings = [
      advancedReading(packageDomain(), 10_000_000),
      advancedReading(DRAM, 4_000_000),
      advancedReading(platformDomain(), 15_000_000),
    ];
    expect(meterBalances(readings)[0]?.restMicrojoules).toBe(5_000_000n);
    const row = {
      packageWatts: 1,
      dramWatts: 2,
      packageJoules: 10,
      dramJoules: 4,
      cpuRatio: 0,
      cpuSeconds: 0,
      isDramPredicted: true,
    } as const;
    expect(totalJoules(row)).toBe(10);
    expect(totalJoules(addEnergyRows(row, row))).toBe(20);
  });
});
