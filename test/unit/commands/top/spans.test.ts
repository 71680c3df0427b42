// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { spanSummer } from '../../../../receiver/commands/top/spans.js';
import type { AgentReport } from '../../../../receiver/model/agent-report.js';
import {
  agentReport,
  domainRow,
  energyRow,
  NO_DRAM,
  processRow,
} from '../../../support/agent-report.js';

/** Window `at` of one second: pid 7 draws 10 W, then 20 W from window 3 on; psys reads 30 W more. */
const window = (at: number, over: Partial<AgentReport> = {}): AgentReport => {
  const powerWatts = at < 3 ? 10 : 20;
  const energyJoules = at < 3 ? 10 * at : 20 + 20 * (at - 2);
  return agentReport({
    window: {
      index: String(at),
      startNanos: String(BigInt(at) * 1_000_000_000n),
      endNanos: String(BigInt(at + 1) * 1_000_000_000n),
      endUnixMillis: 1000 * (at + 1),
      durationSeconds: 1,
      lateMillis: 0,
    },
    host: { cpuCount: 4, busyRatio: at < 3 ? 0.2 : 0.4, stealRatio: null },
    domains: [
      domainRow('package', powerWatts, {
        acceptedMicrojoules: String(energyJoules * 1_000_000),
        idleMicrojoules: '0',
        irqMicrojoules: '0',
        unattributedMicrojoules: '0',
      }),
    ],
    meters: [
      {
        id: 'psys',
        name: 'psys',
        watts: powerWatts + 30,
        restWatts: at === 2 ? null : 30,
        joules: 0,
      },
    ],
    processes: [
      processRow(7, 'load', powerWatts, {
        packageJoules: energyJoules,
        dramJoules: 0,
        dramWatts: 0,
        cpuSeconds: at,
      }),
      ...(at >= 2
        ? [processRow(8, 'new', 1, { packageJoules: at - 1, dramJoules: 0, cpuSeconds: 0 })]
        : []),
    ],
    exitedProcesses: energyRow(at === 4 ? 4 : 0, { packageJoules: 4000 }),
    ...over,
  });
};

describe('spanSummer', () => {
  it('passes each window on where no interval is asked for', () => {
    const summer = spanSummer(undefined);
    expect([window(1), window(2)].map(summer.add)).toEqual([window(1), window(2)]);
  });

  it('passes windows on unchanged where the interval is no longer than they are', () => {
    const summer = spanSummer(0.2);
    expect([window(1), window(2)].map(summer.add)).toEqual([window(1), window(2)]);
  });

  it('gives mean power of the interval from the difference of joules', () => {
    const summer = spanSummer(4);
    expect(summer.add(window(0))).toEqual(window(0));
    expect([1, 2, 3].map((at) => summer.add(window(at)))).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    const summed = summer.add(window(4));
    expect(summed?.window).toMatchObject({ durationSeconds: 4, index: '4' });
    expect(summed?.processes).toMatchObject([
      { pid: 7, packageWatts: 15, cpuRatio: 1 },
      { pid: 8, packageWatts: 3 / 4 },
    ]);
    expect(summed?.domains[0]).toMatchObject({ watts: 15, idleWatts: 0 });
    expect(summed?.host.busyRatio).toBeCloseTo(0.3, 9);
    expect(summed?.meters[0]).toMatchObject({ watts: 45, restWatts: 30 });
    // 4 kJ of ended processes were not drawn in this interval; 4 W in one of four windows were.
    expect(summed?.exitedProcesses).toMatchObject({ packageWatts: 1, packageJoules: 4000 });
  });

  it('gives no parts of a domain that is not attributed', () => {
    const unsplit = { entitiesMicrojoules: null, idleMicrojoules: null, irqMicrojoules: null };
    const at = (joules: number) => ({
      domains: [
        domainRow('platform', 9, {
          ...unsplit,
          unattributedMicrojoules: null,
          acceptedMicrojoules: String(joules * 1_000_000),
        }),
      ],
    });
    const summer = spanSummer(4);
    summer.add(window(0, at(0)));
    const [row] = summer.add(window(4, at(36)))?.domains ?? [];
    expect(row).toMatchObject({ watts: 9, idleWatts: null, irqWatts: null });
    expect(row?.unattributedWatts).toBeNull();
  });

  it('is right across windows that were skipped', () => {
    const summer = spanSummer(4);
    summer.add(window(0));
    expect(summer.add(window(4))?.processes[0]).toMatchObject({ packageWatts: 15 });
  });

  it('begins anew after another agent took over', () => {
    const summer = spanSummer(4);
    summer.add(window(0));
    const other = window(1, { agent: { ...window(1).agent, startedUnixMillis: 5 } });
    expect(summer.add(other)).toEqual(other);
  });

  it('says no power where a domain neither read nor counted', () => {
    const failed = {
      domains: [domainRow('package', null, { state: 'failed: gone', acceptedMicrojoules: '0' })],
    };
    const summer = spanSummer(2);
    summer.add(window(0, failed));
    summer.add(window(1, failed));
    expect(summer.add(window(2, failed))?.domains[0]).toMatchObject({ watts: null });
  });

  it('says neither power nor total of what is absent', () => {
    const absent = {
      processes: [processRow(7, 'load', 10, NO_DRAM)],
      exitedProcesses: energyRow(1, NO_DRAM),
    };
    const summer = spanSummer(2);
    summer.add(window(0, absent));
    summer.add(window(1, absent));
    const summed = summer.add(window(2, absent));
    expect(summed?.processes).toMatchObject([{ packageWatts: 0, ...NO_DRAM }]);
    expect(summed?.exitedProcesses).toMatchObject({ packageWatts: 1, ...NO_DRAM });
  });

  it('knows no power where no joule came and the last window knows none', () => {
    const dramOf = (dramWatts: number | null, dramJoules: number) => ({
      processes: [processRow(7, 'load', 10, { dramWatts, dramJoules })],
      exitedProcesses: energyRow(0, { dramWatts }),
    });
    const over = (last: number | null, lastJoules: number) => {
      const summer = spanSummer(2);
      summer.add(window(0, dramOf(1, 6)));
      summer.add(window(1, dramOf(null, 6)));
      const summed = summer.add(window(2, dramOf(last, lastJoules)));
      return [summed?.processes[0]?.dramWatts, summed?.exitedProcesses.dramWatts];
    };
    expect(over(null, 6)).toEqual([null, null]);
    expect(over(0, 6)).toEqual([0, 0]);
    expect(over(null, 8)).toEqual([1, null]);
  });

  it('takes a new interval at once', () => {
    const summer = spanSummer(60);
    summer.add(window(0));
    expect(summer.add(window(1))).toBeUndefined();
    summer.setInterval(2);
    expect(summer.add(window(2))?.window.durationSeconds).toBe(2);
  });
});
