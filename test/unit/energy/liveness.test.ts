// SPDX-License-Identifier: Apache-2.0
import { constants } from 'node:os';
import { describe, expect, it } from 'vitest';
import { judgeLiveness, type Liveness } from '../../../receiver/energy/liveness.js';
import { MICROJOULE_UNIT } from '../../../receiver/energy/energy-unit.js';
import type { EnergyCandidate, Measure } from '../../../receiver/energy/measure.js';
import { fileReading, perfReading } from '../../support/energy/plan-of.js';

const candidate = (measure: Measure): EnergyCandidate => ({
  id: 'x',
  kind: 'package',
  name: 'x',
  packageId: 0,
  dieId: undefined,
  source: 'powercap',
  rank: 0,
  measure,
  specs: [],
  unfit: undefined,
});
const counter = candidate({
  _tag: 'Counter',
  shape: { unit: MICROJOULE_UNIT, maxRaw: 1_000_000_000n, maxWatts: 200, mustMove: true },
});
const judge = (first: string, last: string): Liveness =>
  judgeLiveness(counter, [fileReading(0, first)], [fileReading(0.25, last)]);

describe('judgeLiveness', () => {
  it('finds a counter alive that moved, and says its power', () => {
    expect(judge('1000000', '11000000')).toEqual({
      _tag: 'Alive',
      watts: 40,
      lastRaw: 11_000_000n,
    });
  });

  it('finds a counter alive that wrapped meanwhile', () => {
    expect(judge('999999999', '4999999')).toMatchObject({ _tag: 'Alive', watts: 20.000004 });
  });

  it('finds a constant counter still, whatever its value', () => {
    expect(judge('0', '0')).toEqual({ _tag: 'Still', lastRaw: 0n });
    expect(judge('77', '77')).toEqual({ _tag: 'Still', lastRaw: 77n });
  });

  it.each([
    ['0', '100000000'],
    ['500000000', '4'],
    ['2000000000', '2000000001'],
    ['4294967295000', '4294967295000'],
  ])('finds %s then %s implausible', (first, last) => {
    expect(judge(first, last)._tag).toBe('Implausible');
  });

  it('says why a source cannot be read', () => {
    const denied = fileReading(0, '', constants.errno.EACCES);
    expect(judgeLiveness(counter, [denied], [denied])).toEqual({
      _tag: 'Failed',
      reason: 'permission',
      detail: 'EACCES',
    });
    expect(judgeLiveness(counter, [], [])).toMatchObject({ _tag: 'Failed' });
    expect(judge('1', '')).toMatchObject({ _tag: 'Failed', reason: 'empty' });
  });

  it('finds a perf event still that reads 0 for ever', () => {
    expect(judgeLiveness(counter, [perfReading(0, 0n)], [perfReading(0.25, 0n)])).toEqual({
      _tag: 'Still',
      lastRaw: 0n,
    });
  });

  it('finds a power sensor alive above zero and below the limit', () => {
    const sensor = candidate({ _tag: 'Power', maxWatts: 500 });
    const at = (text: string): Liveness =>
      judgeLiveness(sensor, [fileReading(0, text)], [fileReading(1, text)]);
    expect(at('98000000')).toEqual({ _tag: 'Alive', watts: 98, lastRaw: 98_000_000n });
    expect(at('0')._tag).toBe('Still');
    expect(at('160000000000')._tag).toBe('Implausible');
    expect(at('4294967295000')._tag).toBe('Implausible');
  });
});
