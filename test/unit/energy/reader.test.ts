// SPDX-License-Identifier: Apache-2.0
import { constants } from 'node:os';
import { describe, expect, it } from 'vitest';
import { createEnergyReader, type EnergyReader } from '../../../receiver/energy/reader.js';
import type { EnergyPlan } from '../../../receiver/energy/plan-types.js';
import type { RawReading } from '../../../receiver/model/activity.js';
import { nanos } from '../../../receiver/model/units.js';
import type { DomainReading } from '../../../receiver/model/window.js';
import { alive, fileReading, perfReading, planOf, still } from '../../support/energy/plan-of.js';
import { perfTree, powercapTree } from '../../support/machines/tree.js';

const { EACCES, ENODEV, EINVAL } = constants.errno;

const window = (
  reader: EnergyReader,
  second: number,
  readings: readonly RawReading[],
  busyRatios: ReadonlyMap<number, number> = new Map(),
): readonly DomainReading[] =>
  reader.read({
    readings,
    startNanos: nanos(BigInt(second - 1) * 1_000_000_000n),
    endNanos: nanos(BigInt(second) * 1_000_000_000n),
    boottimeOffsetNanos: nanos(0n),
    busyRatios,
  });

const brief = ({ step }: DomainReading): string => {
  switch (step._tag) {
    case 'First':
      return 'first';
    case 'Advanced':
      return `+${String(step.deltaMicrojoules)}`;
    default:
      return `${step.reason}: ${step.detail}`;
  }
};

const twoZones = (): EnergyPlan =>
  planOf(
    [
      powercapTree([
        { id: 'intel-rapl:0', name: 'package-0' },
        { id: 'intel-rapl:0:0', name: 'dram' },
      ]),
    ],
    { 'intel-rapl:0': alive(50), 'intel-rapl:0:0': alive(3) },
  );

describe('createEnergyReader', () => {
  it('reads the domains in the order of the plan', () => {
    const reader = createEnergyReader(twoZones());
    window(reader, 1, [fileReading(1, '100\n'), fileReading(1, '7\n')]);
    const read = window(reader, 2, [fileReading(2, '50000100\n'), fileReading(2, '3000007\n')]);
    expect(read.map(({ domain, step }) => [domain.id, brief({ domain, step })])).toEqual([
      ['intel-rapl:0', '+50000000'],
      ['intel-rapl:0:0', '+3000000'],
    ]);
  });

  it.each([
    { reading: fileReading(2, '', EACCES), outcome: 'permission: EACCES' },
    { reading: fileReading(2, '', ENODEV), outcome: 'gone: ENODEV' },
    { reading: fileReading(2, '', EINVAL), outcome: 'unreadable: EINVAL' },
    { reading: fileReading(2, ''), outcome: 'empty: 0 bytes, no value' },
    { reading: fileReading(2, '\n'), outcome: 'empty: 1 bytes, no value' },
    { reading: fileReading(2, '\0\0\0\n'), outcome: 'empty: 4 bytes, no value' },
    { reading: fileReading(2, 'none\n'), outcome: 'not-a-number: "none"' },
    { reading: fileReading(2, '12 34\n'), outcome: 'not-a-number: "12 34"' },
    { reading: fileReading(2, '0x12\n'), outcome: 'not-a-number: "0x12"' },
    { reading: fileReading(2, '\u001b[2J5\n'), outcome: 'not-a-number: "?[2J5"' },
    { reading: fileReading(2, '9'.repeat(60)), outcome: 'not-a-number: 60 bytes in one attribute' },
    { reading: fileReading(2, '-5\n'), outcome: 'out-of-range: value -5 is negative' },
    {
      reading: fileReading(2, '262143328851\n'),
      outcome: "out-of-range: value 262143328851 is above the counter's largest, 262143328850",
    },
  ])('says "$outcome", and the other domain goes on', ({ reading, outcome }) => {
    const reader = createEnergyReader(twoZones());
    window(reader, 1, [fileReading(1, '100\n'), fileReading(1, '7\n')]);
    const broken = window(reader, 2, [reading, fileReading(2, '9\n')]);
    expect(broken.map(brief)).toEqual([outcome, '+2']);
    // Comes back by itself and loses nothing.
    const back = window(reader, 3, [fileReading(3, '90000100\n'), fileReading(3, '19\n')]);
    expect(back.map(brief)).toEqual(['+90000000', '+10']);
  });

  it('fails a domain that was not read, and only that', () => {
    const reader = createEnergyReader(twoZones());
    expect(window(reader, 1, [fileReading(1, '1\n')]).map(brief)).toEqual([
      'first',
      'unreadable: was not read',
    ]);
  });

  it('says how much of the energy is of windows that could not be read', () => {
    const reader = createEnergyReader(twoZones());
    const dram = fileReading(1, '7\n');
    window(reader, 1, [fileReading(1, '100\n'), dram]);
    window(reader, 2, [fileReading(2, '', EACCES), dram]);
    window(reader, 3, [fileReading(3, '', EACCES), dram]);
    const [late] = window(reader, 4, [fileReading(4, '150000100\n'), dram]);
    expect(late?.step).toMatchObject({
      _tag: 'Advanced',
      deltaMicrojoules: 150_000_000n,
      spanNanos: 3_000_000_000n,
      missedNanos: 2_000_000_000n,
    });
    const [next] = window(reader, 5, [fileReading(5, '200000100\n'), dram]);
    expect(next?.step).not.toHaveProperty('missedNanos');
  });

  it('takes zero-padded numbers', () => {
    const reader = createEnergyReader(twoZones());
    window(reader, 1, [fileReading(1, '000000000000000100\n'), fileReading(1, '0\n')]);
    const read = window(reader, 2, [fileReading(2, '000000000000000105\n'), fileReading(2, '0\n')]);
    expect(read.map(brief)).toEqual(['+5', '+0']);
  });

  it('reads perf events', () => {
    const plan = planOf([perfTree('power', 9, '0', ['energy-pkg'])], {
      'power/energy-pkg:0': alive(9),
    });
    const reader = createEnergyReader(plan);
    window(reader, 1, [perfReading(1, 0n)]);
    expect(window(reader, 2, [perfReading(2, 3n << 32n)]).map(brief)).toEqual(['+3000000']);
    expect(window(reader, 3, [perfReading(3, 0n, ENODEV)]).map(brief)).toEqual(['gone: ENODEV']);
  });

  it('models each package from its own busy ratio, over the window', () => {
    const plan = planOf(
      [],
      {},
      { config: { sources: 'auto', model: { idleWatts: 10, maxWatts: 30, gamma: 1 } } },
    );
    const reader = createEnergyReader(plan);
    expect(window(reader, 1, [], new Map([[0, 0.25]])).map(brief)).toEqual(['+15000000']);
    expect(window(reader, 2, [], new Map()).map(brief)).toEqual(['unreadable: no busy time known']);
  });

  it('integrates a power sensor', () => {
    const meter = {
      'sys/class/hwmon/hwmon0/name': 'apm_xgene',
      'sys/class/hwmon/hwmon0/power1_input': '80000000',
      'sys/class/hwmon/hwmon0/power1_label': 'CPU power',
    };
    const reader = createEnergyReader(planOf([meter], { 'hwmon/apm_xgene/cpu-power': alive(80) }));
    window(reader, 1, [fileReading(1, '80000000\n')]);
    expect(window(reader, 2, [fileReading(2, '60000000\n')]).map(brief)).toEqual(['+70000000']);
  });

  describe('of batteries', () => {
    const battery = (name: string, file: string): Record<string, string> => ({
      [`sys/class/power_supply/${name}/type`]: 'Battery',
      [`sys/class/power_supply/${name}/status`]: 'Discharging',
      [`sys/class/power_supply/${name}/${file}`]: '1',
      [`sys/class/power_supply/${name}/voltage_now`]: '1',
    });
    const plan = (): EnergyPlan =>
      planOf([battery('BAT0', 'power_now'), battery('BAT1', 'current_now')], {
        'power_supply/battery': alive(0),
      });
    const readings = (
      second: number,
      statuses: readonly [string, string],
      power: string,
    ): readonly RawReading[] =>
      [statuses[0], power, statuses[1], '-500000', '12000000'].map((text) =>
        fileReading(second, text),
      );

    it('adds up what discharges: power_now, or current times voltage', () => {
      const reader = createEnergyReader(plan());
      const both = ['Discharging', 'Discharging'] as const;
      window(reader, 1, readings(1, both, '4000000'));
      const [, meter] = window(reader, 2, readings(2, both, '4000000'));
      // 4 W and 0.5 A x 12 V.
      expect(meter && brief(meter)).toBe('+10000000');
      expect(meter?.domain).toMatchObject({ kind: 'platform', isAttributed: false });
    });

    it('does not count on mains, and starts afresh when unplugged', () => {
      const reader = createEnergyReader(plan());
      const meter = (second: number, status: string): string => {
        const [, read] = window(reader, second, readings(second, [status, 'Full'], '4000000'));
        return read ? brief(read) : '';
      };
      expect([meter(1, 'Discharging'), meter(2, 'Charging')]).toEqual([
        'first',
        'not-counting: no battery is discharging',
      ]);
      expect([meter(3, 'Discharging'), meter(4, 'Discharging')]).toEqual(['first', '+4000000']);
    });
  });

  it('marks a frozen package as not counting, and a resting dram as resting', () => {
    const plan = planOf(
      [
        powercapTree([
          { id: 'intel-rapl:0', name: 'package-0' },
          { id: 'intel-rapl:0:0', name: 'dram' },
        ]),
      ],
      { 'intel-rapl:0': alive(50), 'intel-rapl:0:0': still },
    );
    const reader = createEnergyReader(plan);
    window(reader, 1, [fileReading(1, '5'), fileReading(1, '0')]);
    expect(window(reader, 2, [fileReading(2, '5'), fileReading(2, '0')]).map(brief)).toEqual([
      'not-counting: value 5 has not changed for 1000 ms',
      '+0',
    ]);
  });
});
