// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { meterBalances } from '../../../receiver/attribution/meters.js';
import {
  advancedReading,
  dramDomain,
  packageDomain,
  platformDomain,
} from '../../support/windows.js';

describe('meterBalances', () => {
  const pkg = advancedReading(packageDomain(0), 30_000_000);
  const dram = advancedReading(dramDomain(0), 5_000_000);
  const meter = advancedReading(platformDomain(), 60_000_000);

  it('calls what is above packages and memory the rest of the machine', () => {
    const [balance] = meterBalances([pkg, dram, meter]);
    expect(balance?.meterMicrojoules).toBe(60_000_000n);
    expect(balance?.restMicrojoules).toBe(25_000_000n);
  });

  it('shows a negative rest as it is', () => {
    const low = advancedReading(platformDomain(), 20_000_000);
    expect(meterBalances([pkg, dram, low])[0]?.restMicrojoules).toBe(-15_000_000n);
  });

  it('knows no rest while a part is missing, covers another time or is an estimate', () => {
    const restBeside = (part: typeof dram) => meterBalances([pkg, part, meter])[0]?.restMicrojoules;
    expect(
      restBeside({
        domain: dramDomain(0),
        step: { _tag: 'Failed', reason: 'permission', detail: 'EACCES' },
      }),
    ).toBeUndefined();
    expect(restBeside(advancedReading(dramDomain(0), 5_000_000, 2_000_000_000))).toBeUndefined();
    const modelled = packageDomain(1, { origin: 'modelled', source: 'model' });
    expect(restBeside(advancedReading(modelled, 5_000_000))).toBeUndefined();
    expect(meterBalances([meter])[0]?.restMicrojoules).toBeUndefined();
  });

  it('leaves memory that is only predicted in the rest', () => {
    const predicted = dramDomain(0, { origin: 'modelled', source: 'model' });
    const [balance] = meterBalances([pkg, advancedReading(predicted, 5_000_000), meter]);
    expect(balance?.restMicrojoules).toBe(meterBalances([pkg, meter])[0]?.restMicrojoules);
    expect(balance?.restMicrojoules).toBeGreaterThan(0n);
  });

  it('takes an attributed platform for a source, not for a meter', () => {
    expect(meterBalances([advancedReading(platformDomain({ isAttributed: true }), 1)])).toEqual([]);
  });
});
