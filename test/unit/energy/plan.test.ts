// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { sourceLabel } from '../../../receiver/energy/source-label.js';
import { sourceSpecs } from '../../../receiver/energy/plan-types.js';
import { alive, denied, droppedAs, planOf, planned, still } from '../../support/energy/plan-of.js';
import { perfTree, powercapTree } from '../../support/machines/tree.js';

const TWO = { packages: 2, coresPerPackage: 2, threadsPerCore: 1 };
const PACKAGE = { id: 'intel-rapl:0', name: 'package-0' };
const POWER = perfTree('power', 9, '0', ['energy-pkg', 'energy-ram']);

describe('planEnergy', () => {
  it('attributes packages and dram, shows core and uncore, and attributes psys to nobody', () => {
    const zones = powercapTree([
      PACKAGE,
      { id: 'intel-rapl:0:0', name: 'core' },
      { id: 'intel-rapl:0:1', name: 'uncore' },
      { id: 'intel-rapl:0:2', name: 'dram' },
      { id: 'intel-rapl:1', name: 'psys' },
    ]);
    const plan = planOf([zones], {
      'intel-rapl:0': alive(20),
      'intel-rapl:0:0': alive(8),
      'intel-rapl:0:1': still,
      'intel-rapl:0:2': alive(2),
      'intel-rapl:1': alive(35),
    });
    expect(planned(plan)).toEqual([
      'intel-rapl:0 package attributed',
      'intel-rapl:0:2 dram attributed',
      'intel-rapl:0:0 core',
      'intel-rapl:0:1 uncore',
      'intel-rapl:1 platform',
    ]);
    const parents = plan.domains.map(({ domain }) => domain.parentId);
    // DRAM is outside the package; the platform contains both.
    expect(parents).toEqual([
      'intel-rapl:1',
      'intel-rapl:1',
      'intel-rapl:0',
      'intel-rapl:0',
      undefined,
    ]);
    expect(sourceSpecs(plan)).toHaveLength(5);
  });

  it('reads perf before powercap before hwmon', () => {
    const meter = {
      'sys/class/hwmon/hwmon0/name': 'power_meter',
      'sys/class/hwmon/hwmon0/power1_average': '1',
      'sys/class/hwmon/hwmon0/power1_oem_info': 'Grace Power Socket 0',
    };
    const id = 'hwmon/power_meter/grace-power-socket-0';
    const parts = [POWER, powercapTree([PACKAGE]), meter];
    const all = { 'power/energy-pkg:0': alive(20), 'intel-rapl:0': alive(20), [id]: alive(20) };
    expect(planned(planOf(parts, all))[0]).toContain('power/energy-pkg:0');
    expect(planned(planOf(parts, { ...all, 'power/energy-pkg:0': still }))[0]).toContain(
      'intel-rapl:0',
    );
    const plan = planOf(parts, { ...all, 'power/energy-pkg:0': still, 'intel-rapl:0': denied });
    expect(planned(plan)).toEqual([`${id} package attributed`]);
    expect(droppedAs(plan)).toMatchObject({
      'power/energy-pkg:0': 'dead',
      'intel-rapl:0': 'unreadable',
      'power/energy-ram:0': 'unreadable',
    });
  });

  it('models a package when nothing counts, and says that it guesses', () => {
    const plan = planOf([POWER], { 'power/energy-pkg:0': still, 'power/energy-ram:0': still });
    expect(planned(plan)[0]).toBe('model/package:0 package attributed');
    expect(plan.domains[0]?.domain.origin).toBe('modelled');
    expect(plan.model?.isGuess).toBe(true);
  });

  it('needs no energy source at all', () => {
    const plan = planOf([], {});
    expect(planned(plan)).toEqual(['model/package:0 package attributed']);
    expect(sourceLabel(plan).text).toBe('modelled (guess: set energy.model, see wattfeed check)');
  });

  it('drops the MMIO duplicate of a package, and keeps it if it is alone', () => {
    const both = [powercapTree([PACKAGE, { id: 'intel-rapl-mmio:0', name: 'package-0' }])];
    const plan = planOf(both, { 'intel-rapl:0': alive(9), 'intel-rapl-mmio:0': alive(9) });
    expect(planned(plan)).toEqual(['intel-rapl:0 package attributed']);
    expect(droppedAs(plan)).toEqual({ 'intel-rapl-mmio:0': 'duplicate' });
    const alone = planOf(both, { 'intel-rapl:0': still, 'intel-rapl-mmio:0': alive(9) });
    expect(planned(alone)).toEqual(['intel-rapl-mmio:0 package attributed']);
  });

  it('takes dies only where no package counts', () => {
    const dies = [
      { id: 'intel-rapl:1', name: 'package-0-die-0' },
      { id: 'intel-rapl:2', name: 'package-0-die-1' },
    ];
    const counts = { 'intel-rapl:1': alive(30), 'intel-rapl:2': alive(28) };
    const plan = planOf([powercapTree([PACKAGE, ...dies])], {
      ...counts,
      'intel-rapl:0': alive(58),
    });
    expect(planned(plan)).toEqual(['intel-rapl:0 package attributed']);
    expect(droppedAs(plan)).toEqual({ 'intel-rapl:1': 'contained', 'intel-rapl:2': 'contained' });
    expect(planned(planOf([powercapTree(dies)], counts))).toEqual([
      'intel-rapl:1 die attributed',
      'intel-rapl:2 die attributed',
    ]);
  });

  it('counts a package mirrored to its dies once', () => {
    const dies = powercapTree([
      { id: 'intel-rapl:0', name: 'package-0-die-0' },
      { id: 'intel-rapl:1', name: 'package-0-die-1' },
    ]);
    const plan = planOf([dies], {
      'intel-rapl:0': alive(30, 777n),
      'intel-rapl:1': alive(30, 777n),
    });
    expect(planned(plan)).toEqual(['intel-rapl:0 die attributed']);
    expect(droppedAs(plan)).toEqual({ 'intel-rapl:1': 'mirror' });
  });

  it('reads the perf PMU per die where its mask has two dies of a package', () => {
    const shape = { packages: 1, diesPerPackage: 2, coresPerPackage: 4, threadsPerCore: 1 };
    const pmu = perfTree('power', 9, '0,2', ['energy-pkg']);
    const counts = { 'power/energy-pkg:0:0': alive(30), 'power/energy-pkg:0:1': alive(20) };
    expect(planned(planOf([pmu], counts, { shape }))).toEqual([
      'power/energy-pkg:0:0 die attributed',
      'power/energy-pkg:0:1 die attributed',
    ]);
  });

  it('plans each socket by itself: one may be measured and the other modelled', () => {
    const zones = powercapTree([PACKAGE, { id: 'intel-rapl:1', name: 'package-1' }]);
    const plan = planOf(
      [zones],
      { 'intel-rapl:0': alive(50), 'intel-rapl:1': still },
      { shape: TWO },
    );
    expect(planned(plan)).toEqual([
      'intel-rapl:0 package attributed',
      'model/package:1 package attributed',
    ]);
    expect(sourceLabel(plan)).toMatchObject({ origin: 'modelled', kinds: ['powercap', 'model'] });
    expect(sourceLabel(plan).text).toContain('measured (powercap), in part modelled');
  });

  it('keeps a dram zone that cannot be read, and says so', () => {
    const zones = powercapTree([PACKAGE, { id: 'intel-rapl:0:0', name: 'dram' }]);
    const plan = planOf([zones], { 'intel-rapl:0': alive(50), 'intel-rapl:0:0': denied });
    expect(planned(plan)).toEqual([
      'intel-rapl:0 package attributed',
      'intel-rapl:0:0 dram attributed',
    ]);
    expect(plan.notes).toMatchObject([{ id: 'domain-failing', cause: 'permission (EACCES)' }]);
    expect(sourceLabel(plan).text).toBe('measured (powercap)');
  });

  it('prefers a dram source that can be read to one that cannot', () => {
    const zones = powercapTree([PACKAGE, { id: 'intel-rapl:0:0', name: 'dram' }]);
    const plan = planOf([POWER, zones], {
      'power/energy-pkg:0': alive(50),
      'power/energy-ram:0': denied,
      'intel-rapl:0': alive(50),
      'intel-rapl:0:0': alive(4),
    });
    expect(planned(plan)).toEqual([
      'power/energy-pkg:0 package attributed',
      'intel-rapl:0:0 dram attributed',
    ]);
  });

  it.each([
    ['implausible', { _tag: 'Implausible', detail: '9 kW' } as const],
    ['dead', still],
    ['unreadable', denied],
  ])('never plans a package that is %s', (reason, liveness) => {
    const plan = planOf([powercapTree([PACKAGE])], { 'intel-rapl:0': liveness });
    expect(planned(plan)).toEqual(['model/package:0 package attributed']);
    expect(droppedAs(plan)).toEqual({ 'intel-rapl:0': reason });
  });

  it('never plans what was not probed: presence proves nothing', () => {
    expect(planned(planOf([powercapTree([PACKAGE])], {}))).toEqual([
      'model/package:0 package attributed',
    ]);
  });

  it('drops the core zone of AMD, which counts one core', () => {
    const zones = powercapTree([PACKAGE, { id: 'intel-rapl:0:0', name: 'core' }]);
    const amd = { 'proc/cpuinfo': 'vendor_id\t: AuthenticAMD\ncpu family\t: 25\nmodel\t: 1' };
    const counts = { 'intel-rapl:0': alive(50), 'intel-rapl:0:0': alive(1) };
    expect(droppedAs(planOf([zones, amd], counts))).toEqual({ 'intel-rapl:0:0': 'unfit' });
    expect(droppedAs(planOf([zones], counts))).toEqual({});
  });

  it('takes the whole-machine meter that reads most, and psys once', () => {
    const meters = {
      'sys/class/hwmon/hwmon0/name': 'power_meter',
      'sys/class/hwmon/hwmon0/power1_average': '1',
      'sys/class/hwmon/hwmon1/name': 'power_meter',
      'sys/class/hwmon/hwmon1/power1_average': '1',
    };
    const psys = perfTree('power', 9, '0', ['energy-psys']);
    const zones = powercapTree([PACKAGE, { id: 'intel-rapl:1', name: 'psys' }]);
    const plan = planOf([meters, psys, zones], {
      'hwmon/power_meter/power1': alive(90),
      'hwmon/power_meter/power1#2': alive(180),
      'power/energy-psys:0': alive(120),
      'intel-rapl:0': alive(60),
      'intel-rapl:1': alive(120),
    });
    expect(planned(plan).slice(1)).toEqual([
      'power/energy-psys:0 platform',
      'hwmon/power_meter/power1#2 platform',
    ]);
    expect(droppedAs(plan)).toEqual({
      'hwmon/power_meter/power1': 'duplicate',
      'intel-rapl:1': 'duplicate',
    });
  });

  it('notes a meter that reads less than its parts', () => {
    const zones = powercapTree([PACKAGE, { id: 'intel-rapl:1', name: 'psys' }]);
    const plan = planOf([zones], { 'intel-rapl:0': alive(60), 'intel-rapl:1': alive(40) });
    expect(plan.notes).toMatchObject([{ id: 'meter-contradicts' }]);
    expect(plan.notes[0]?.cause).toBe('the machine reads 40.0 W, its parts 60.0 W');
  });

  it('notes two packages that show one value', () => {
    const zones = powercapTree([PACKAGE, { id: 'intel-rapl:1', name: 'package-1' }]);
    const plan = planOf(
      [zones],
      { 'intel-rapl:0': alive(60, 5n), 'intel-rapl:1': alive(60, 5n) },
      { shape: TWO },
    );
    expect(plan.notes).toMatchObject([{ id: 'packages-equal' }]);
  });

  it('uses only the sources of the configuration, in their order', () => {
    const parts = [POWER, powercapTree([PACKAGE])];
    const counts = { 'power/energy-pkg:0': alive(20), 'intel-rapl:0': alive(20) };
    const plan = planOf(parts, counts, { config: { sources: ['powercap', 'perf'] } });
    expect(planned(plan)[0]).toContain('intel-rapl:0');
    const only = planOf(
      parts,
      { ...counts, 'intel-rapl:0': still },
      { config: { sources: ['powercap'] } },
    );
    expect(planned(only)).toEqual([]);
    expect(droppedAs(only)).toMatchObject({ 'power/energy-pkg:0': 'excluded' });
    expect(only.notes).toMatchObject([{ id: 'package-without-source' }]);
  });

  it('knows how long a window may be: 0.9 of the shortest possible turn', () => {
    const zones = powercapTree([
      { ...PACKAGE, range: '999999999', constraints: { long_term: ['200000000', '100000000'] } },
    ]);
    // 1 kJ at twice 200 W is 2.5 s.
    expect(planOf([zones], { 'intel-rapl:0': alive(9) }).longestWindowMillis).toBe(2250);
  });

  it('derives the plausible power from the constraints of the package, for perf too', () => {
    const zones = powercapTree([{ ...PACKAGE, constraints: { long_term: ['300000000', ''] } }]);
    const plan = planOf([POWER, zones], {
      'power/energy-pkg:0': alive(20),
      'power/energy-ram:0': alive(2),
      'intel-rapl:0': alive(20),
    });
    const limits = plan.domains.map(({ measure }) =>
      measure._tag === 'Counter' ? measure.shape.maxWatts : undefined,
    );
    expect(limits).toEqual([600, 500]);
  });

  it('lists what it does not know, unused', () => {
    const zones = powercapTree([PACKAGE, { id: 'dtpm:0', name: 'soc' }]);
    const plan = planOf([zones], { 'intel-rapl:0': alive(9), 'dtpm:0': alive(9) });
    expect(droppedAs(plan)).toEqual({ 'dtpm:0': 'unknown' });
  });
});
