// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { timeModel, timeWeight } from '../../../receiver/attribution/time-model.js';
import { activityWindow, cpuSample, overflowSample, taskSample } from '../../support/windows.js';

describe('timeWeight', () => {
  it('is the task time of a task that never shared its core', () => {
    expect(timeWeight(taskSample({ runtimeNanos: 12_345, sliceNanos: 20_000 }))).toBe(12_345);
  });

  it('scales the overlap from slice time to task time before it is taken off', () => {
    // Half of the slice beside a busy sibling: half of the task time is worth 0.55.
    const task = taskSample({ runtimeNanos: 800, sliceNanos: 1_000, overlapNanos: 500 });
    expect(timeWeight(task)).toBe(800 - 0.45 * 400);
  });

  it('stays within 0.55 and 1 of the task time, and positive whenever the task ran', () => {
    const time = fc.integer({ min: 0, max: 3_600_000_000_000 });
    fc.assert(
      fc.property(time, time, time, (runtimeNanos, sliceNanos, overlapNanos) => {
        const weight = timeWeight(taskSample({ runtimeNanos, sliceNanos, overlapNanos }));
        expect(Number.isInteger(weight)).toBe(true);
        expect(weight).toBeLessThanOrEqual(runtimeNanos);
        expect(weight).toBeGreaterThanOrEqual(Math.floor(0.55 * runtimeNanos));
        expect(weight > 0).toBe(runtimeNanos > 0);
      }),
    );
  });
});

describe('timeModel', () => {
  it('keeps the time of each CPU domain apart and leaves unknown interrupt time out', () => {
    const { cpuDomains } = timeModel(
      activityWindow({
        cpus: [
          cpuSample({ cpu: 0, cpuDomain: 0, irqNanos: 5, unslottedNanos: 1 }),
          cpuSample({ cpu: 1, cpuDomain: 0, unslottedNanos: 2 }),
          cpuSample({ cpu: 2, cpuDomain: 1, irqNanos: 7 }),
        ],
      }),
      'package',
    );
    expect(cpuDomains.get(0)).toEqual({ irq: 5, unslotted: 3, overflow: 0 });
    expect(cpuDomains.get(1)).toEqual({ irq: 7, unslotted: 0, overflow: 0 });
  });

  it('counts overflow time once: by cgroup where known, the rest as nobody’s, never below zero', () => {
    const overflowOf = (known: number) =>
      timeModel(
        activityWindow({
          overflow: [overflowSample({ runtimeNanos: known })],
          cpus: [cpuSample({ overflowNanos: 100 })],
        }),
        'package',
      ).cpuDomains.get(0)?.overflow;
    expect(overflowOf(30)).toBe(70);
    expect(overflowOf(130)).toBe(0);
  });
});
