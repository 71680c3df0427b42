// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { architectureOf } from '../../../receiver/energy/model-table.js';
import {
  curveOfPackage,
  modelEnergy,
  modelWatts,
  resolveModel,
} from '../../../receiver/energy/model.js';
import type { CpuModel } from '../../../receiver/host/cpu-model.js';

const cpu = (vendor: string, family: number, model: number): CpuModel => ({
  vendor,
  family,
  model,
  name: 'test',
  hasHypervisorFlag: false,
});
const UNKNOWN = cpu('Nobody', 1, 1);

describe('modelWatts', () => {
  it('goes from idle to max along u^gamma', () => {
    const curve = { idleWatts: 10, maxWatts: 110, gamma: 2 };
    expect([0, 0.5, 1].map((u) => modelWatts(curve, u))).toEqual([10, 35, 110]);
  });

  it('clamps a busy ratio outside 0 to 1', () => {
    const curve = { idleWatts: 10, maxWatts: 20, gamma: 1 };
    expect([-0.1, 1.1].map((u) => modelWatts(curve, u))).toEqual([10, 20]);
  });
});

describe('modelEnergy', () => {
  it('loses nothing to rounding over many short windows', () => {
    let remainder = 0n;
    let sum = 0n;
    for (let window = 0; window < 10_000; window += 1) {
      const step = modelEnergy(0.123457, 3_333_333n, remainder);
      sum += step.energyMicrojoules;
      ({ remainder } = step);
    }
    // 123,457 uW x 33.33333 s
    expect(sum).toBe((123_457n * 33_333_330_000n) / 1_000_000_000n);
  });
});

describe('resolveModel', () => {
  it('takes the configuration before everything', () => {
    const model = { idleWatts: 12, maxWatts: 65, gamma: 1.3 };
    expect(resolveModel({ model }, cpu('AuthenticAMD', 25, 1), 8)).toMatchObject({
      ...model,
      isGuess: false,
    });
  });

  it('takes a flat TDP in proportion to busy CPUs', () => {
    expect(resolveModel({ tdpWatts: 65 }, UNKNOWN, 8)).toMatchObject({
      idleWatts: 0,
      maxWatts: 65,
      gamma: 1,
      isGuess: false,
    });
  });

  it('guesses by CPU generation per hardware thread, and says that it is a guess', () => {
    const model = resolveModel({}, cpu('AuthenticAMD', 25, 1), 2);
    expect(model).toMatchObject({ isGuess: true, idleWatts: 0.9, maxWatts: 4.04 });
    expect(model.basis).toContain('EPYC 3rd Gen');
  });

  it('guesses for an unknown CPU', () => {
    expect(resolveModel({}, UNKNOWN, 10)).toMatchObject({
      isGuess: true,
      idleWatts: 7,
      maxWatts: 33,
    });
  });
});

describe('architectureOf', () => {
  it.each([
    ['GenuineIntel', 6, 0x55, 'Skylake'],
    ['GenuineIntel', 6, 0x4f, 'Broadwell'],
    ['AuthenticAMD', 0x17, 0x31, 'EPYC 2nd Gen'],
    ['AuthenticAMD', 0x19, 0x11, undefined],
    ['GenuineIntel', 6, 207, undefined],
    ['AuthenticAMD', 6, 0x55, undefined],
  ])('knows %s family %i model %i as %s', (vendor, family, model, name) => {
    expect(architectureOf(cpu(vendor, family, model))?.name).toBe(name);
  });
});

describe('curveOfPackage', () => {
  it('shares the host among packages', () => {
    expect(curveOfPackage({ idleWatts: 20, maxWatts: 100, gamma: 1 }, 0.25)).toEqual({
      idleWatts: 5,
      maxWatts: 25,
      gamma: 1,
    });
  });
});
