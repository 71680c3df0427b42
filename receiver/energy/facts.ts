// SPDX-License-Identifier: Apache-2.0
/** Everything this machine offers to measure energy with. Reading it changes nothing and judges nothing. */
import { readCpuModel, type CpuModel } from '../host/cpu-model.js';
import type { HostRoots } from '../host/roots.js';
import { readTopology, type TopologyReading } from '../host/topology.js';
import { readVirtualization, type Virtualization } from '../host/virtualization.js';
import { readHwmon, type HwmonSensor } from './hwmon.js';
import { readPerfPower, type PerfPowerPmu } from './perf-power.js';
import { readBatteries, type Battery } from './power-supply.js';
import { readPowercap, type PowercapZone } from './powercap.js';

export interface EnergyFacts {
  readonly zones: readonly PowercapZone[];
  readonly pmus: readonly PerfPowerPmu[];
  readonly sensors: readonly HwmonSensor[];
  readonly batteries: readonly Battery[];
  readonly cpuModel: CpuModel;
  readonly virtualization: Virtualization;
  readonly host: TopologyReading;
}

export const readEnergyFacts = (roots: HostRoots): EnergyFacts => {
  const cpuModel = readCpuModel(roots);
  return {
    zones: readPowercap(roots.sysfs),
    pmus: readPerfPower(roots.sysfs),
    sensors: readHwmon(roots.sysfs),
    batteries: readBatteries(roots.sysfs),
    cpuModel,
    virtualization: readVirtualization(roots, cpuModel),
    host: readTopology(roots),
  };
};
