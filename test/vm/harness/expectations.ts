// SPDX-License-Identifier: Apache-2.0
/** Expectations that several suites of the simulated machine share. */
import { expect } from 'vitest';

import { ownersOfZone, type Truth } from './truth.js';

export const within = (value: number, expected: number, ratio: number): void => {
  expect(value).toBeGreaterThan(expected * (1 - ratio));
  expect(value).toBeLessThan(expected * (1 + ratio));
};

/** Every zone is the sum of its owners, to the nanojoule. */
export const expectClosed = (truth: Truth): void => {
  expect(truth.missing).toBe(0);
  for (const zone of truth.zones) {
    expect({ zone: zone.name, nanojoules: ownersOfZone(truth, zone.name) }).toEqual({
      zone: zone.name,
      nanojoules: zone.totalNanojoules,
    });
  }
};
