// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { createSlotWatch, isSlotAlarm, slotComplaint } from '../../../receiver/agent/slot-watch.js';

const use = (slotsUsed: number, slotsLimit = 1000) => ({ slotsUsed, slotsLimit });

describe('isSlotAlarm', () => {
  it.each([
    [false, 799, false],
    [false, 800, true],
    [true, 799, true],
    [true, 700, true],
    [true, 699, false],
    [false, 1000, true],
  ])('raised before: %s, %i of 1000 used: %s', (wasRaised, slotsUsed, expected) => {
    expect(isSlotAlarm(wasRaised, use(slotsUsed))).toBe(expected);
  });
});

describe('createSlotWatch', () => {
  it('warns once until the table has been emptier than 70 %', () => {
    const warnings: string[] = [];
    const watch = createSlotWatch({ warn: (text) => warnings.push(text) });
    const counts = [0, 799, 800, 900, 750, 820, 699, 790].map((slotsUsed) => {
      watch(use(slotsUsed));
      return warnings.length;
    });
    watch(use(801));
    expect([...counts, warnings.length]).toEqual([0, 0, 1, 1, 1, 1, 1, 1, 2]);
  });
});

describe('slotComplaint', () => {
  it('names the next size, which the configuration takes', () => {
    expect(slotComplaint(use(52_429, 65_535))).toMatchObject({
      cause: expect.stringContaining('52429 of 65535 are used'),
      remedy: 'raise accounting.max_tasks to 131072',
    });
  });

  it('advises nothing that the configuration refuses', () => {
    expect(slotComplaint(use(4_194_303, 4_194_303)).remedy).toBe('');
  });
});
