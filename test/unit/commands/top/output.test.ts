// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { jsonLine } from '../../../../receiver/commands/top/json.js';
import { topOptionsOf, type RawTopOptions } from '../../../../receiver/commands/top/options.js';
import { plainBlock } from '../../../../receiver/commands/top/plain.js';
import { rowsOf } from '../../../../receiver/commands/top/rows.js';
import {
  NO_DRAM,
  WINDOW_END_UNIX_MILLIS,
  agentReport,
  domainRow,
  energyRow,
  processRow,
} from '../../../support/agent-report.js';

const context = {
  origin: { _tag: 'Own' } as const,
  nowUnixMillis: WINDOW_END_UNIX_MILLIS + 10,
  skippedWindows: 0,
};

const block = (raw: RawTopOptions, report = agentReport(), columns?: number): string => {
  const options = topOptionsOf(raw);
  const rows = rowsOf(report, { ...options, isReversed: false });
  return `\n${plainBlock(report, rows, options, context, columns).join('\n')}\n`;
};

const json = (raw: RawTopOptions, report = agentReport()): unknown =>
  JSON.parse(jsonLine(report, topOptionsOf(raw), context));

describe('plainBlock', () => {
  it('is a block of lines that cuts nothing', () => {
    expect(block({})).toMatchInlineSnapshot(`
      "
      # wattfeed on node-7, measuring itself, window 99, 1.000 s, ended 2023-11-14T22:15:00.000Z
      # measured (powercap), split by CPU time
      # package    41.50 W  idle 10.38, irq 0.500, unattributed 0.250, processes 30.38
      # dram        4.00 W  idle 1.00, irq 0.500, unattributed 0.250, processes 2.25
      # cpu 77.0 % of 4, steal 1.2 %, 5210 switches/s, slots 312 of 65536
      PID USER     WATTS  DRAM  ENERGY  CPU% NAME          CGROUP
      901 alice    12.25  1.23  1348 J 122.5 stress-ng-cpu /user.slice/user-1000.slice
      902 alice    11.75  1.18  1293 J 117.5 stress-ng-cpu /user.slice/user-1000.slice
      812 postgres  6.50 0.650 715.0 J  65.0 postgres      /system.slice/postgresql.service
        -          0.500 0.050 55.00 J   5.0 (exited)
      900 alice    0.200 0.020 22.00 J   2.0 stress-ng     /user.slice/user-1000.slice
       17 root     0.040 0.004 4.400 J   0.4 kworker/0:1   /
        1 root     0.010 0.001 1.100 J   0.1 systemd       /init.scope
      "
    `);
  });

  it('sums by name', () => {
    expect(block({ by: 'name', sort: 'joules' })).toMatchInlineSnapshot(`
      "
      # wattfeed on node-7, measuring itself, window 99, 1.000 s, ended 2023-11-14T22:15:00.000Z
      # measured (powercap), split by CPU time
      # package    41.50 W  idle 10.38, irq 0.500, unattributed 0.250, processes 30.38
      # dram        4.00 W  idle 1.00, irq 0.500, unattributed 0.250, processes 2.25
      # cpu 77.0 % of 4, steal 1.2 %, 5210 switches/s, slots 312 of 65536
      PROCS USER     WATTS  DRAM  ENERGY  CPU% NAME          CGROUP
          2 alice    24.00  2.40  2640 J 240.0 stress-ng-cpu /user.slice/user-1000.slice
          1 postgres  6.50 0.650 715.0 J  65.0 postgres      /system.slice/postgresql.service
          -          0.500 0.050 55.00 J   5.0 (exited)
          1 alice    0.200 0.020 22.00 J   2.0 stress-ng     /user.slice/user-1000.slice
          1 root     0.040 0.004 4.400 J   0.4 kworker/0:1   /
          1 root     0.010 0.001 1.100 J   0.1 systemd       /init.scope
      "
    `);
  });

  it('says why it is empty', () => {
    const lastComment = (text: string): string | undefined =>
      text.split('\n').findLast((line) => line.startsWith('# '));
    expect(lastComment(block({ threads: 812 }))).toBe(
      '# no thread of process 812 has run since this viewer asked for them',
    );
    expect(lastComment(block({ threads: 813 }))).toBe(
      '# there is no process 813: it has ended, or never was',
    );
    expect(lastComment(block({ filter: 'nginx' }))).toBe('# no row matches /nginx/ in this window');
    expect(block({})).not.toContain('# no');
  });

  it('keeps long and hostile names whole, without control bytes', () => {
    const name = `evil\x1b[2J\u202e${'x'.repeat(200)}`;
    const text = block({}, agentReport({ processes: [processRow(5, name, 1)] }));
    expect(text).toContain('x'.repeat(200));
    expect(text).not.toMatch(/[\x00-\x09\x0b-\x1f\u202e]/);
  });

  it('fits the terminal where it is one', () => {
    const widest = Math.max(
      ...block({}, agentReport(), 80)
        .split('\n')
        .map((line) => line.length),
    );
    expect(widest).toBeLessThanOrEqual(80);
  });
});

describe('plainBlock and jsonLine without DRAM', () => {
  const report = agentReport({
    domains: [domainRow('package', 41.5)],
    processes: [processRow(5, 'a', 1, NO_DRAM), processRow(6, 'a', 2, NO_DRAM)],
    exitedProcesses: energyRow(0.5, NO_DRAM),
  });

  it('show that it is absent, not that it is zero', () => {
    expect(block({}, report)).toMatchInlineSnapshot(`
      "
      # wattfeed on node-7, measuring itself, window 99, 1.000 s, ended 2023-11-14T22:15:00.000Z
      # measured (powercap), split by CPU time
      # package    41.50 W  idle 10.38, irq 0.500, unattributed 0.250, processes 30.38
      # dram     not measured on this machine
      # cpu 77.0 % of 4, steal 1.2 %, 5210 switches/s, slots 312 of 65536
      PID USER WATTS DRAM  ENERGY CPU% NAME     CGROUP
        6 root  2.00    - 200.0 J 20.0 a        /system.slice/some.service
        5 root  1.00    - 100.0 J 10.0 a        /system.slice/some.service
        -      0.500    - 50.00 J  5.0 (exited)
      "
    `);
    expect(json({ by: 'name' }, report)).toMatchObject({
      processes: [NO_DRAM, NO_DRAM],
      groups: [
        { name: 'a', packageWatts: 3, ...NO_DRAM },
        { name: '(exited)', ...NO_DRAM },
      ],
    });
  });
});

describe('jsonLine', () => {
  it('is the report on one line, in the order asked for', () => {
    expect(jsonLine(agentReport(), topOptionsOf({}), context)).not.toContain('\n');
    const all = json({});
    expect(all).toMatchObject({
      schema: 1,
      window: { index: '99' },
      processes: [{ pid: 901, name: 'stress-ng-cpu' }, { pid: 902 }, { pid: 812 }, {}, {}, {}],
      viewer: { isJoined: false, skippedWindows: 0 },
    });
    expect(all).toMatchObject({ ...agentReport(), processes: expect.any(Array) });
  });

  it('keeps fields of a newer agent', () => {
    const newer = { ...processRow(5, 'a', 1), added: 'kept' };
    expect(json({}, agentReport({ processes: [newer] }))).toMatchObject({
      processes: [{ added: 'kept' }],
    });
  });

  it('filters and limits', () => {
    expect(json({ filter: 'stress', rows: 2 })).toMatchObject({
      processes: [{ pid: 901 }, { pid: 902 }],
    });
  });

  it('adds groups for sums, and leaves the processes whole', () => {
    expect(json({ by: 'user', rows: 1 })).toMatchObject({
      by: 'user',
      groups: [{ name: 'alice', processes: 3 }],
      processes: expect.objectContaining({ length: 6 }),
    });
  });
});
