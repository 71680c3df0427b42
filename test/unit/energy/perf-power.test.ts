// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { readPerfPower } from '../../../receiver/energy/perf-power.js';
import { parseEnergyUnit } from '../../../receiver/energy/energy-unit.js';
import { perfTree } from '../../support/machines/tree.js';
import { rootsWith } from '../../support/machines/temporary-tree.js';

const POWER = 'sys/bus/event_source/devices/power';

describe('readPerfPower', () => {
  it('reads type, events, scales and where to open them', () => {
    const roots = rootsWith(perfTree('power', 24, '0,32', ['energy-pkg', 'energy-ram']));
    expect(readPerfPower(roots.sysfs)).toEqual([
      {
        pmu: 'power',
        pmuType: 24,
        cpus: [0, 32],
        events: [
          {
            name: 'energy-pkg',
            config: 2n,
            scaleText: '2.3283064365386962890625e-10',
            unit: parseEnergyUnit('2.3283064365386962890625e-10'),
          },
          {
            name: 'energy-ram',
            config: 3n,
            scaleText: '2.3283064365386962890625e-10',
            unit: parseEnergyUnit('2.3283064365386962890625e-10'),
          },
        ],
      },
    ]);
  });

  it('reads both PMUs of an AMD server', () => {
    const roots = rootsWith(
      perfTree('power', 14, '0', ['energy-pkg']),
      perfTree('power_core', 15, '0-3', ['energy-core']),
    );
    expect(readPerfPower(roots.sysfs).map(({ pmu }) => pmu)).toEqual(['power', 'power_core']);
  });

  it('puts each term where its format says', () => {
    const roots = rootsWith(perfTree('power', 1, '0', ['energy-pkg']), {
      [`${POWER}/events/energy-pkg`]: 'event=0x02,umask=0x10',
      [`${POWER}/format/umask`]: 'config:8-15',
    });
    expect(readPerfPower(roots.sysfs)[0]?.events[0]?.config).toBe(0x1002n);
  });

  it('has no unit for an event that is not in joules', () => {
    const roots = rootsWith(perfTree('power', 1, '0', ['energy-pkg']), {
      [`${POWER}/events/energy-pkg.unit`]: 'Watts',
    });
    expect(readPerfPower(roots.sysfs)[0]?.events[0]?.unit).toBeUndefined();
  });

  it('is empty without the PMU', () => {
    expect(readPerfPower(rootsWith().sysfs)).toEqual([]);
  });
});
