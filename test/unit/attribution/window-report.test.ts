// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { attribute } from '../../../receiver/attribution/attribute.js';
import { NO_STATS, windowReport } from '../../../receiver/attribution/window-report.js';
import type { ActivityWindow } from '../../../receiver/model/activity.js';
import { activityWindow, cpuSample, topologyOf } from '../../support/windows.js';

const reportOf = (window: ActivityWindow) =>
  windowReport(
    window,
    [],
    attribute({ window, readings: [], topology: topologyOf(), idleFloors: new Map() }),
    [],
  );

describe('windowReport', () => {
  it('sums events and steal over the CPUs and keeps unknown steal unknown', () => {
    const stats = { ...NO_STATS, switches: 3, forks: 1 };
    const known = reportOf(
      activityWindow({
        cpus: [cpuSample({ stats, stealNanos: 5 }), cpuSample({ cpu: 1, stats })],
      }),
    );
    expect(known.stats).toEqual({ ...NO_STATS, switches: 6, forks: 2 });
    expect(known.stealNanos).toBe(5);
    expect(reportOf(activityWindow({ cpus: [cpuSample()] })).stealNanos).toBeUndefined();
  });

  it('measures busy time against the online CPUs only', () => {
    const { busyRatio } = reportOf(
      activityWindow({
        cpus: [
          cpuSample({ busyNanos: 500_000_000 }),
          cpuSample({ cpu: 1, busyNanos: 0, isOnline: false }),
        ],
      }),
    );
    expect(busyRatio).toBe(0.5);
  });

  it('is late by the time between due and begin of the flush, never when it was forced', () => {
    const late = { endNanos: 5_000n, dueNanos: 4_000n, flushNanos: 300 };
    expect(reportOf(activityWindow({ ...late, startNanos: 0n })).lateNanos).toBe(700);
    expect(reportOf(activityWindow({ ...late, startNanos: 0n, isForced: true })).lateNanos).toBe(0);
  });
});
