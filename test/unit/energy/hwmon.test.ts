// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { readHwmon } from '../../../receiver/energy/hwmon.js';
import { readBatteries } from '../../../receiver/energy/power-supply.js';
import { rootsWith } from '../../support/machines/temporary-tree.js';

const chip = (
  index: number,
  name: string,
  files: Readonly<Record<string, string>>,
): Record<string, string> => {
  const directory = `sys/class/hwmon/hwmon${String(index)}`;
  const entries: Record<string, string> = { [`${directory}/name`]: name };
  for (const [file, text] of Object.entries(files)) entries[`${directory}/${file}`] = text;
  return entries;
};

const read = (...chips: readonly Record<string, string>[]): ReturnType<typeof readHwmon> =>
  readHwmon(rootsWith(...chips).sysfs);

describe('readHwmon', () => {
  it('reads an ACPI meter without a label as the whole machine', () => {
    const [meter] = read(chip(0, 'power_meter', { 'device/power1_average': '412000000' }));
    expect(meter).toMatchObject({
      id: 'hwmon/power_meter/power1',
      kind: 'platform',
      quantity: 'power',
      packageId: undefined,
    });
  });

  it('tells the rails of a Grace socket apart', () => {
    const sensors = read(
      ...['Module', 'Grace', 'CPU', 'SysIO'].map((rail, index) =>
        chip(index, 'power_meter', {
          'device/power1_average': '1',
          'device/power1_oem_info': `${rail} Power Socket 1`,
        }),
      ),
    );
    expect(sensors.map(({ kind, packageId }) => [kind, packageId])).toEqual([
      [undefined, undefined],
      ['package', 1],
      ['core', 1],
      ['uncore', 1],
    ]);
  });

  it('takes the CPU power of an Ampere SoC and leaves its IO power', () => {
    const sensors = read(
      chip(0, 'apm_xgene', {
        power1_input: '80000000',
        power1_label: 'CPU power',
        power2_input: '9000000',
        power2_label: 'IO power',
      }),
    );
    expect(sensors.map(({ kind }) => kind)).toEqual(['package', undefined]);
  });

  it('takes the sockets of amd_energy and leaves its cores', () => {
    const sensors = read(
      chip(0, 'amd_energy', {
        energy1_input: '5',
        energy1_label: 'Ecore000',
        energy2_input: '7',
        energy2_label: 'Esocket1',
      }),
    );
    expect(sensors.map(({ kind, packageId, quantity }) => [kind, packageId, quantity])).toEqual([
      [undefined, undefined, 'energy'],
      ['package', 1, 'energy'],
    ]);
  });

  it('prefers the average of a channel to its instant', () => {
    const [sensor] = read(chip(0, 'power_meter', { power1_input: '1', power1_average: '2' }));
    expect(sensor?.attribute).toBe('power1_average');
  });

  it('uses no sensor of a chip it does not know', () => {
    const sensors = read(chip(3, 'amdgpu', { power1_average: '1', power1_label: 'PPT' }));
    expect(sensors[0]).toMatchObject({
      kind: undefined,
      why: 'no rule for chip amdgpu: not a CPU',
    });
  });

  it('gives two like meters two ids', () => {
    const ids = read(
      chip(0, 'power_meter', { power1_average: '1' }),
      chip(1, 'power_meter', { power1_average: '1' }),
    ).map(({ id }) => id);
    expect(ids).toEqual(['hwmon/power_meter/power1', 'hwmon/power_meter/power1#2']);
  });
});

describe('readBatteries', () => {
  const supply = (name: string, files: Readonly<Record<string, string>>): Record<string, string> =>
    Object.fromEntries(
      Object.entries(files).map(([file, text]) => [`sys/class/power_supply/${name}/${file}`, text]),
    );

  it('finds batteries of the machine, by what they tell', () => {
    const roots = rootsWith(
      supply('AC', { type: 'Mains', online: '1' }),
      supply('BAT0', { type: 'Battery', status: 'Full', power_now: '0' }),
      supply('BAT1', {
        type: 'Battery',
        status: 'Discharging',
        current_now: '1',
        voltage_now: '2',
      }),
      supply('BAT2', { type: 'Battery', energy_now: '1' }),
      supply('hid', { type: 'Battery', scope: 'Device', power_now: '1' }),
    );
    expect(
      readBatteries(roots.sysfs).map(({ name, inputs, status }) => [name, inputs, status]),
    ).toEqual([
      ['BAT0', 'power', 'Full'],
      ['BAT1', 'current-voltage', 'Discharging'],
      ['BAT2', undefined, 'Unknown'],
    ]);
  });
});
