// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EnergyAccount, ExactSum } from '../../../receiver/attribution/energy-account.js';

const charge = (packageMicrojoules: number) => ({
  packageMicrojoules,
  dramMicrojoules: 2 * packageMicrojoules,
  cpuNanos: 3 * packageMicrojoules,
});

describe('ExactSum', () => {
  it('loses no integer however many are added', () => {
    const amount = fc.oneof(fc.nat(1_000), fc.integer({ min: 0, max: 2 ** 52 }));
    fc.assert(
      fc.property(fc.array(amount), (amounts) => {
        const sum = new ExactSum();
        for (const each of amounts) sum.add(each);
        expect(sum.value()).toBe(amounts.reduce((all, each) => all + BigInt(each), 0n));
      }),
    );
  });
});

describe('EnergyAccount', () => {
  it('knows what the last window added, and that an older window is not the last', () => {
    const account = new EnergyAccount();
    account.add(1, charge(5));
    account.add(2, charge(7));
    account.add(2, charge(1));
    expect(account.energy()).toEqual({ package: 13n, dram: 26n });
    expect(account.lastWindow(2)).toEqual({ energy: { package: 8n, dram: 16n }, cpuNanos: 24 });
    expect(account.lastWindow(3)).toEqual({ energy: { package: 0n, dram: 0n }, cpuNanos: 0 });
  });

  it('absorbs another whole, and its last window only if that is the current one', () => {
    const [account, current, older] = [
      new EnergyAccount(),
      new EnergyAccount(),
      new EnergyAccount(),
    ];
    older.add(1, charge(100));
    current.add(2, charge(10));
    account.add(2, charge(1));
    account.absorb(current);
    account.absorb(older);
    expect(account.energy().package).toBe(111n);
    expect(account.cpuNanos()).toBe(333n);
    expect(account.lastWindow(2).energy.package).toBe(11n);
  });
});
