// SPDX-License-Identifier: Apache-2.0
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { attribute } from '../../../receiver/attribution/attribute.js';
import { PoolScales } from '../../../receiver/attribution/pool-scales.js';
import { DEFAULT_COEFFICIENTS } from '../../../receiver/model/coefficients.js';
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
const PACKAGE = packageDomain(0);
const CORES = packageDomain(0, {
  id: 'intel-rapl:0:0',
  kind: 'core',
  parentId: PACKAGE.id,
  isAttributed: false,
});
const MILLI = 1_000_000;
const IDLE_WATTS = 2;
const FLOORS = new Map([
  [PACKAGE.id, watts(IDLE_WATTS)],
  [CORES.id, watts(0)],
]);
const NO_CORE_FLOOR = new Map([[PACKAGE.id, watts(IDLE_WATTS)]]);

interface Joules {
  readonly core: number;
  readonly shared: number;
}

/** One window of two tasks that the kernel predicted with `scales`; measured, what the counters said above idle. */
const learn = (
  scales: PoolScales,
  predicted: Joules,
  measured: Joules,
  options: { readonly knowsCores?: boolean; readonly hasCoreScales?: boolean } = {},
): void => {
  const { core, shared } = scales.scaleOf(0);
  const nanojoules = (part: number): number => Math.round(part * 1e9);
  const window = activityWindow({
    cpus: [cpuSample({ taskNanos: 600 * MILLI })],
    tasks: [0.25, 0.75].map((part, at) =>
      taskSample({
        tgid: 100 + at,
        runtimeNanos: 300 * MILLI,
        sliceNanos: 300 * MILLI,
        packageOnNanos: 150 * MILLI,
        cycles: 5e8,
        phiCycles: 5e8,
        instructions: 4e8,
        phiInstructions: 4e8,
        predictedCoreNanojoules: nanojoules(predicted.core * core * part),
        predictedNanojoules:
          nanojoules(predicted.core * core * part) + nanojoules(predicted.shared * shared * part),
      }),
    ),
  });
  const micro = (joules: number): number => Math.round(joules * 1e6);
  const input = {
    window,
    readings: [
      advancedReading(PACKAGE, micro(measured.core + measured.shared + IDLE_WATTS)),
      ...(options.knowsCores === false ? [] : [advancedReading(CORES, micro(measured.core))]),
    ],
    topology: TOPOLOGY,
    idleFloors: options.knowsCores === false ? NO_CORE_FLOOR : FLOORS,
    hasCoreScales: options.hasCoreScales,
  };
  scales.learn(input, attribute(input).balances);
};

describe('PoolScales', () => {
  it('is what the counters of the cores and of the rest said beside what was predicted', () => {
    const scales = new PoolScales(TOPOLOGY);
    learn(scales, { core: 4, shared: 6 }, { core: 6, shared: 9.6 });
    expect(scales.scaleOf(0).core).toBeCloseTo(1.5, 4);
    expect(scales.scaleOf(0).shared).toBeCloseTo(1.6, 4);
  });

  it('stays where it is once predictions made with it are right', () => {
    const pool = fc.double({ min: 0.5, max: 50, noNaN: true });
    const error = fc.double({ min: 0.3, max: 3, noNaN: true });
    const law = fc.property(pool, pool, error, error, (core, shared, coreError, sharedError) => {
      const scales = new PoolScales(TOPOLOGY);
      const predicted = { core: core / coreError, shared: shared / sharedError };
      for (let at = 0; at < 12; at++) learn(scales, predicted, { core, shared });
      expect(scales.scaleOf(0).core).toBeCloseTo(coreError, 3);
      expect(scales.scaleOf(0).shared).toBeCloseTo(sharedError, 3);
    });
    fc.assert(law, { numRuns: 50 });
  });

  it('is one ratio for both where nothing tells the cores apart', () => {
    const scales = new PoolScales(TOPOLOGY);
    learn(scales, { core: 4, shared: 6 }, { core: 9, shared: 6 }, { knowsCores: false });
    expect(scales.scaleOf(0).core).toBeCloseTo(1.5, 4);
    expect(scales.scaleOf(0).shared).toBeCloseTo(1.5, 4);
  });

  it('leaves the cores alone where each has a counter of its own', () => {
    const scales = new PoolScales(TOPOLOGY);
    learn(scales, { core: 4, shared: 6 }, { core: 6, shared: 12 }, { hasCoreScales: true });
    expect(scales.scaleOf(0).core).toBe(1);
    expect(scales.scaleOf(0).shared).toBeCloseTo(2, 4);
  });

  it('says nothing from a window in which nothing ran or nothing was predicted', () => {
    const scales = new PoolScales(TOPOLOGY);
    learn(scales, { core: 0, shared: 0 }, { core: 5, shared: 5 });
    learn(scales, { core: 4, shared: 6 }, { core: 0, shared: 0 });
    expect(scales.scaleOf(0)).toEqual({ core: 1, shared: 1 });
  });

  it('follows a change within some windows, and never leaves a factor of ten', () => {
    const scales = new PoolScales(TOPOLOGY);
    for (let at = 0; at < 20; at++) learn(scales, { core: 5, shared: 5 }, { core: 5, shared: 5 });
    learn(scales, { core: 5, shared: 5 }, { core: 10, shared: 5 });
    expect(scales.scaleOf(0).core).toBeGreaterThan(1.1);
    expect(scales.scaleOf(0).core).toBeLessThan(1.4);
    for (let at = 0; at < 10; at++)
      learn(scales, { core: 0.1, shared: 5 }, { core: 99, shared: 5 });
    expect(scales.scaleOf(0).core).toBe(10);
  });

  it('scales what belongs to the cores and the rest of the coefficients apart', () => {
    const scales = new PoolScales(TOPOLOGY);
    learn(scales, { core: 4, shared: 6 }, { core: 8, shared: 3 });
    const [scaled] = scales.scaled([DEFAULT_COEFFICIENTS]);
    expect(scaled?.cycleNanojoules).toBeCloseTo(DEFAULT_COEFFICIENTS.cycleNanojoules * 2, 4);
    expect(scaled?.instructionNanojoules).toBeCloseTo(0.7, 4);
    expect(scaled?.vectorNanojoules).toBeCloseTo(1.2, 4);
    expect(scaled?.coreWatts).toBeCloseTo(1, 4);
    expect(scaled?.llcMissNanojoules).toBeCloseTo(2, 4);
    expect(scaled?.packageOnWatts).toBeCloseTo(3, 4);
  });
});
