// SPDX-License-Identifier: Apache-2.0
/** The second shape: two packages with a memory node each, and memory that stays where it was first used. */
import { beforeAll, describe, expect, it } from 'vitest';

import { bootAndRun, hookMillis, patientMillis, type Run } from './harness/files.js';
import { ownersOfZone, processNamed } from './harness/truth.js';

const LIMIT_MILLIS = patientMillis(100);

let run: Run;

beforeAll(async () => {
  run = await bootAndRun('numa', '7.3', 'bash /vm/guest/numa.sh', LIMIT_MILLIS);
}, hookMillis(LIMIT_MILLIS));

describe('numa shape', () => {
  it('has two packages with their zones, and the MMIO duplicate of each when asked for', () => {
    expect(run.rows('zones.tsv').map(([zone, name]) => `${zone ?? ''} ${name ?? ''}`)).toEqual([
      'intel-rapl-mmio:0 package-0',
      'intel-rapl-mmio:1 package-1',
      'intel-rapl:0 package-0',
      'intel-rapl:0:0 core',
      'intel-rapl:0:1 uncore',
      'intel-rapl:0:2 dram',
      'intel-rapl:1 package-1',
      'intel-rapl:1:0 core',
      'intel-rapl:1:1 uncore',
      'intel-rapl:1:2 dram',
    ]);
    expect(run.lines('nodes.txt')).toEqual(['0-1', '2-3']);
    expect(run.text('power-cpumask.txt')).toBe('0,2\n');
  });

  it('charges memory to the node where it is when its task has moved away', () => {
    const before = processNamed(run.truth('moved-0'), 'stream');
    const after = processNamed(run.truth('moved-1'), 'stream');
    expect(after.home).toBe(1);
    const rise = (node: number, part: 'own' | 'mem' | 'dram'): bigint =>
      (after.energy[node]?.[part] ?? 0n) - (before.energy[node]?.[part] ?? 0n);
    // it computed on package 0 and its lines were served by node 1
    expect(rise(0, 'own')).toBeGreaterThan(0n);
    expect(rise(1, 'dram')).toBeGreaterThan(100_000_000n);
    expect(rise(1, 'mem')).toBeGreaterThan(0n);
    expect(rise(0, 'dram')).toBe(0n);
    expect(rise(0, 'mem')).toBe(0n);
  });

  it('closes the books of both packages to the nanojoule', () => {
    for (const name of ['moved-0', 'moved-1', 'end']) {
      const truth = run.truth(name);
      for (const zone of truth.zones)
        expect(ownersOfZone(truth, zone.name)).toBe(zone.totalNanojoules);
    }
  });

  it('reads the power PMU of each package', () => {
    const sockets = run
      .rows('perf-power.csv', ',')
      .filter(([socket]) => /^S[01]$/.test(socket ?? ''));
    expect(sockets.map((fields) => `${fields[0] ?? ''} ${fields[4] ?? ''}`).toSorted()).toEqual([
      'S0 power/energy-pkg/',
      'S0 power/energy-ram/',
      'S1 power/energy-pkg/',
      'S1 power/energy-ram/',
    ]);
    for (const fields of sockets) expect(Number(fields[2])).toBeGreaterThan(3);
  });
});
