// SPDX-License-Identifier: Apache-2.0
/** The ledger's sums as the exporter's measures. */
import type { Remainder } from '../model/ledger-view.js';
import type { Readings } from './lane.js';

export const readingsOf = ({ energy, cpuNanos }: Remainder): Readings => ({
  package: energy.package,
  dram: energy.dram,
  cpu: cpuNanos,
});

export const bothReadings = (one: Remainder, other: Remainder): Readings => {
  const [a, b] = [readingsOf(one), readingsOf(other)];
  return { package: a.package + b.package, dram: a.dram + b.dram, cpu: a.cpu + b.cpu };
};
