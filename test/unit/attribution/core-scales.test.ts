// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { CoreScales } from '../../../receiver/attribution/core-scales.js';
import { attribute } from '../../../receiver/attribution/attribute.js';
import { watts } from '../../../receiver/model/units.js';
import {
  activityWindow,
  advancedReading,
  cpuSample,
  packageDomain,
  taskSample,
  topologyOf,
} from '../../support/windows.js';

const TOPOLOGY = topologyOf(1, 2);
const NO_FLOORS = new Map<string, undefined>();

const coreDomain = (coreId: number) =>
  packageDomain(0, {
    id: `power_core/energy-core:0:${String(coreId)}`,
    kind: 'core',
    coreId,
    parentId: 'intel-rapl:0',
    isAttributed: false,
  });

const cores = (first: number, second: number) => [
  advancedReading(coreDomain(0), first),
  advancedReading(coreDomain(1), second),
];

/** Two CPUs, each predicted to have drawn 2 J. */
const window = activityWindow({
  cpus: [0, 1].map((cpu) => cpuSample({ cpu, predictedCoreNanojoules: 2e9 })),
});

describe('CoreScales', () => {
  it('is what each core’s own counter says beside what was predicted for it', () => {
    const scales = new CoreScales(TOPOLOGY);
    expect(scales.learn(window, cores(4_000_000, 1_000_000), NO_FLOORS)).toBe(true);
    expect(scales.byCpu()).toEqual([2, 0.5]);
  });

  it('takes a core’s idle floor off, and stays within a factor of ten', () => {
    const scales = new CoreScales(TOPOLOGY);
    const floors = new Map([['power_core/energy-core:0:0', watts(3)]]);
    scales.learn(window, cores(4_000_000, 900_000_000), floors);
    expect(scales.byCpu()).toEqual([0.5, 10]);
  });

  it('says one where nothing is known, and that there are no such counters', () => {
    const scales = new CoreScales(TOPOLOGY);
    const whole = packageDomain(0, { kind: 'core', isAttributed: false });
    expect(scales.learn(window, [advancedReading(whole, 1)], NO_FLOORS)).toBe(false);
    expect(scales.byCpu()).toEqual([1, 1]);
  });

  it('smooths over windows', () => {
    const scales = new CoreScales(TOPOLOGY);
    for (let at = 0; at < 40; at++) scales.learn(window, cores(2_000_000, 2_000_000), NO_FLOORS);
    scales.learn(window, cores(4_000_000, 2_000_000), NO_FLOORS);
    const [first = NaN, second = NaN] = scales.byCpu();
    expect(first).toBeGreaterThan(1.05);
    expect(first).toBeLessThan(1.2);
    expect(second).toBeCloseTo(1, 9);
  });
});

describe('attribute with a counter per core', () => {
  it('splits what all cores drew by their scaled predictions, and the rest by the rest', () => {
    const task = (tgid: number, predictedCoreNanojoules: number, llcMisses: number) =>
      taskSample({
        tgid,
        runtimeNanos: 1_000,
        uncountedNanos: 0,
        uncountedPhiCycles: 0,
        phiCycles: 3_000,
        predictedCoreNanojoules,
        llcMisses,
        packageOnNanos: 0,
      });
    const { shares, balances } = attribute({
      window: activityWindow({ tasks: [task(1, 300, 1), task(2, 100, 3)] }),
      readings: [advancedReading(packageDomain(), 5_000), ...cores(2_500, 1_500)],
      topology: TOPOLOGY,
      idleFloors: NO_FLOORS,
      hasCoreScales: true,
    });
    expect(balances[0]?.coreMicrojoules).toBe(4_000n);
    expect([...shares.tasks.package]).toEqual([3_000 + 250, 1_000 + 750]);
  });
});
