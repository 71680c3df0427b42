// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { busyRatios } from '../../../receiver/energy/busy-ratio.js';
import type { CpuSample } from '../../../receiver/model/activity.js';
import type { HostTopology } from '../../../receiver/model/host-topology.js';
import { nanos, windowNanos } from '../../../receiver/model/units.js';
import { cpuSample } from '../../support/windows.js';

const sample = (cpu: number, cpuDomain: number, over: Partial<CpuSample>): CpuSample => ({
  ...cpuSample({ cpu, cpuDomain }),
  ...over,
});

/** Package 0 has two core types, package 1 one. */
const TOPOLOGY: HostTopology = {
  cpus: [],
  cpuDomains: [
    { index: 0, packageId: 0, coreType: 'core', nodeId: 0 },
    { index: 1, packageId: 0, coreType: 'atom', nodeId: 0 },
    { index: 2, packageId: 1, coreType: 'cpu', nodeId: 1 },
  ],
  packageIds: [0, 1],
};
const SECOND = nanos(1_000_000_000n);
const millis = (value: number): ReturnType<typeof windowNanos> => windowNanos(value * 1e6);

describe('busyRatios', () => {
  it('adds up the core types of a package', () => {
    const cpus = [
      sample(0, 0, { taskNanos: millis(1000) }),
      sample(1, 1, { taskNanos: millis(500) }),
      sample(2, 2, { taskNanos: millis(100) }),
    ];
    const ratios = busyRatios(cpus, TOPOLOGY, SECOND);
    expect([...ratios.byPackage]).toEqual([
      [0, 0.75],
      [1, 0.1],
    ]);
    expect(ratios.ofHost).toBeCloseTo(1.6 / 3, 12);
  });

  it('does not count steal: wall time with a task is no task time', () => {
    const cpus = [
      sample(0, 0, {
        taskNanos: millis(300),
        busyNanos: millis(1000),
        stealNanos: millis(700),
      }),
    ];
    expect(busyRatios(cpus, TOPOLOGY, SECOND).byPackage.get(0)).toBe(0.3);
  });

  it('counts interrupts where the kernel tells them', () => {
    const cpus = [sample(0, 0, { taskNanos: millis(300), irqNanos: millis(100) })];
    expect(busyRatios(cpus, TOPOLOGY, SECOND).byPackage.get(0)).toBeCloseTo(0.4, 12);
  });

  it('leaves offline CPUs out, and clamps', () => {
    const cpus = [
      sample(0, 0, { taskNanos: millis(1010) }),
      sample(1, 0, { isOnline: false, taskNanos: millis(5) }),
    ];
    expect(busyRatios(cpus, TOPOLOGY, SECOND).byPackage.get(0)).toBe(1);
  });
});
