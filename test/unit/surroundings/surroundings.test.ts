// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseNumaStat } from '../../../receiver/surroundings/numa-stat.js';
import { SurroundingsReader } from '../../../receiver/surroundings/reader.js';
import {
  cpusOfMax,
  cpusOfQuota,
  cpusOfShares,
  cpusOfWeight,
} from '../../../receiver/surroundings/reservation.js';
import { manualClock } from '../../support/manual-clock.js';
import { activityWindow, taskSample } from '../../support/windows.js';

describe('parseNumaStat', () => {
  it('takes anonymous memory and page cache of v2, not their parts', () => {
    const text =
      'anon N0=300 N1=100\nfile N0=0 N1=400\nkernel_stack N0=9 N1=9\nanon_thp N0=300 N1=0\n';
    expect(parseNumaStat(text)).toEqual([300 / 800, 500 / 800]);
  });

  it('takes the total of v1, not the hierarchical one', () => {
    const text = 'total=40 N0=10 N1=30\nfile=1 N0=1 N1=0\nhierarchical_total=99 N0=99 N1=0\n';
    expect(parseNumaStat(text)).toEqual([0.25, 0.75]);
  });

  it('says nothing of nothing, and never fails on any text', () => {
    expect(parseNumaStat('anon N0=0 N1=0')).toBeUndefined();
    fc.assert(
      fc.property(fc.string(), (text) => {
        const shares = parseNumaStat(`anon ${text}\n${text}`);
        if (shares !== undefined) expect(shares.reduce((a, b) => a + b, 0)).toBeCloseTo(1, 9);
      }),
    );
  });
});

describe('reservations', () => {
  it('turns Kubernetes’ weights and shares back into CPUs', () => {
    expect(cpusOfWeight('79')).toBeCloseTo(2, 1);
    expect(cpusOfWeight('100')).toBeUndefined();
    expect(cpusOfShares('2048')).toBe(2);
    expect(cpusOfShares('1024')).toBeUndefined();
  });

  it('reads limits, and knows none', () => {
    expect(cpusOfMax('150000 100000')).toBe(1.5);
    expect(cpusOfMax('max 100000')).toBeUndefined();
    expect(cpusOfQuota('50000', '100000')).toBe(0.5);
    expect(cpusOfQuota('-1', '100000')).toBeUndefined();
    expect(cpusOfMax('')).toBeUndefined();
  });
});

describe('SurroundingsReader', () => {
  let root = '';
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'wattfeed-surroundings-'));
  });
  afterEach(() => {
    rmSync(root, { recursive: true });
  });

  const write = (path: string, text: string): void => {
    mkdirSync(join(root, path, '..'), { recursive: true });
    writeFileSync(join(root, path), text);
  };

  const reader = (clock = manualClock(), over = {}) =>
    new SurroundingsReader({
      memoryDirectory: root,
      cpuDirectory: root,
      isV2: true,
      requestSource: 'weight',
      wantsResident: true,
      procfs: root,
      pageBytes: 4096,
      cgroupPath: (id) => (id === 404n ? '(deleted:404)' : `/pod/c${String(id)}`),
      clock,
      ...over,
    });

  const ran = (cgroupId: bigint, tgid = 100) => taskSample({ cgroupId, tgid, runtimeNanos: 1 });

  it('reads where memory lies, what is resident, and the nearest reservation above', () => {
    write('pod/c7/memory.numa_stat', 'anon N0=1 N1=3\n');
    write('pod/c7/cpu.weight', '100\n');
    write('pod/cpu.weight', '79\n');
    write('100/statm', '900 25 5 1 0 9 0\n');
    const seen = reader().read(activityWindow({ tasks: [ran(7n), ran(404n, 200)] }));
    expect(seen.memory?.nodeSharesOfCgroup).toEqual(new Map([[7n, [0.25, 0.75]]]));
    expect(seen.memory?.residentBytesOfProcess).toEqual(new Map([[100, 25 * 4096]]));
    expect(seen.reservations?.get(7n)).toBeCloseTo(2, 1);
    expect(seen.reservations?.has(404n)).toBe(false);
  });

  it('believes what it read for ten seconds', () => {
    const clock = manualClock();
    const own = reader(clock);
    const window = activityWindow({ tasks: [ran(7n)] });
    const shares = () => own.read(window).memory?.nodeSharesOfCgroup.get(7n);
    write('pod/c7/memory.numa_stat', 'anon N0=1 N1=0\n');
    expect(shares()).toEqual([1, 0]);
    write('pod/c7/memory.numa_stat', 'anon N0=0 N1=1\n');
    expect(shares()).toEqual([1, 0]);
    clock.pass(10_001);
    expect(shares()).toEqual([0, 1]);
  });

  it('reads a bounded number of files a window and the rest in later ones', () => {
    const tasks = Array.from({ length: 150 }, (_, at) => ran(BigInt(at), 1000 + at));
    for (let at = 0; at < 150; at++) write(`pod/c${at}/memory.numa_stat`, 'anon N0=1\n');
    const own = reader(manualClock(), { wantsResident: false, cpuDirectory: undefined });
    const known = () => own.read(activityWindow({ tasks })).memory?.nodeSharesOfCgroup.size;
    expect([known(), known(), known()]).toEqual([64, 128, 150]);
  });

  it('touches no file where nothing is wanted', () => {
    const none = { memoryDirectory: undefined, cpuDirectory: undefined, wantsResident: false };
    expect(reader(manualClock(), none).read(activityWindow({ tasks: [ran(7n)] }))).toEqual({});
  });
});
