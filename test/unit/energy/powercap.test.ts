// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import {
  largestConstraintWatts,
  meaningOfName,
  readPowercap,
} from '../../../receiver/energy/powercap.js';
import { powercapTree, type ZoneShape } from '../../support/machines/tree.js';
import { rootsWith } from '../../support/machines/temporary-tree.js';

const read = (zones: readonly ZoneShape[]): ReturnType<typeof readPowercap> =>
  readPowercap(rootsWith(powercapTree(zones)).sysfs);

describe('meaningOfName', () => {
  it.each([
    ['package-0', 'package', 0, undefined],
    ['package-12', 'package', 12, undefined],
    ['package-1-die-3', 'die', 1, 3],
    ['core', 'core', undefined, undefined],
    ['uncore', 'uncore', undefined, undefined],
    ['dram', 'dram', undefined, undefined],
    ['psys', 'platform', undefined, undefined],
    ['package-', undefined, undefined, undefined],
    ['package-0-die', undefined, undefined, undefined],
    ['DRAM', undefined, undefined, undefined],
    ['constructor', undefined, undefined, undefined],
    ['', undefined, undefined, undefined],
  ])('reads %j', (name, kind, packageId, dieId) => {
    expect(meaningOfName(name)).toEqual({ kind, packageId, dieId });
  });
});

describe('readPowercap', () => {
  it('goes by the name of a sub-zone, whatever its index', () => {
    const server = read([
      { id: 'intel-rapl:0', name: 'package-0' },
      { id: 'intel-rapl:0:0', name: 'dram' },
    ]);
    const client = read([
      { id: 'intel-rapl:0', name: 'package-0' },
      { id: 'intel-rapl:0:0', name: 'core' },
      { id: 'intel-rapl:0:1', name: 'uncore' },
    ]);
    expect(server.map(({ kind }) => kind)).toEqual(['package', 'dram']);
    expect(client.map(({ kind }) => kind)).toEqual(['package', 'core', 'uncore']);
  });

  it("gives sub-zones their parent's package and die", () => {
    const zones = read([
      { id: 'intel-rapl:0', name: 'package-1-die-1' },
      { id: 'intel-rapl:0:0', name: 'dram' },
    ]);
    expect(zones[1]).toMatchObject({ packageId: 1, dieId: 1, parentId: 'intel-rapl:0' });
  });

  it('tells the package by its name, not by the number of its zone', () => {
    const zones = read([
      { id: 'intel-rapl:0', name: 'psys' },
      { id: 'intel-rapl:1', name: 'package-1' },
      { id: 'intel-rapl:2', name: 'package-0' },
    ]);
    expect(zones.map(({ packageId }) => packageId)).toEqual([undefined, 1, 0]);
  });

  it('finds every zone once: flat links and nested directories are the same zones', () => {
    const roots = rootsWith(
      powercapTree([
        { id: 'intel-rapl:0', name: 'package-0' },
        { id: 'intel-rapl:0:0', name: 'core' },
        { id: 'intel-rapl-mmio:0', name: 'package-0' },
      ]),
      // As in real sysfs: every zone links back to its class and its parent.
      {
        'sys/devices/virtual/powercap/intel-rapl/intel-rapl:0/subsystem': {
          target: '../../../../../class/powercap',
        },
        'sys/devices/virtual/powercap/intel-rapl/intel-rapl:0/device': {
          target: '../../intel-rapl',
        },
      },
    );
    const ids = readPowercap(roots.sysfs).map(({ id }) => id);
    expect(ids).toEqual(['intel-rapl-mmio:0', 'intel-rapl:0', 'intel-rapl:0:0']);
  });

  it('finds zones where only the device tree is mounted', () => {
    const roots = rootsWith({
      'sys/devices/virtual/powercap/intel-rapl/intel-rapl:0/name': 'package-0',
      'sys/devices/virtual/powercap/intel-rapl/intel-rapl:0/intel-rapl:0:0/name': 'dram',
    });
    expect(readPowercap(roots.sysfs).map(({ id }) => id)).toEqual([
      'intel-rapl:0',
      'intel-rapl:0:0',
    ]);
  });

  it.each([
    ['262143328850', 262_143_328_850n],
    ['0', undefined],
    ['', undefined],
    ['many', undefined],
    ['-1', undefined],
  ])('reads a range of %j', (range, expected) => {
    const [zone] = read([{ id: 'intel-rapl:0', name: 'package-0', range }]);
    expect(zone?.maxEnergyRangeMicrojoules).toBe(expected);
  });

  it('reports a zone of unknown name without a kind', () => {
    expect(read([{ id: 'dtpm:0', name: 'soc' }])[0]).toMatchObject({
      name: 'soc',
      kind: undefined,
    });
  });

  it('is empty where there is no powercap', () => {
    expect(readPowercap(rootsWith().sysfs)).toEqual([]);
  });
});

describe('largestConstraintWatts', () => {
  it('takes the largest limit or maximum of all constraints', () => {
    const [zone] = read([
      {
        id: 'intel-rapl:0',
        name: 'package-0',
        constraints: {
          long_term: ['15000000', '28000000'],
          short_term: ['64000000', '0'],
          peak_power: ['', 'x'],
        },
      },
    ]);
    expect(zone && largestConstraintWatts(zone)).toBe(64);
  });

  it('is undefined where no constraint says anything', () => {
    const [zone] = read([
      { id: 'intel-rapl:0', name: 'package-0', constraints: { long_term: ['0', ''] } },
    ]);
    expect(zone && largestConstraintWatts(zone)).toBeUndefined();
  });
});
