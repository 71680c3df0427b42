// SPDX-License-Identifier: Apache-2.0
/** How busy each package was: what the power model is computed from. Pure. */
import type { CpuSample } from '../model/activity.js';
import type { HostTopology } from '../model/host-topology.js';
import type { Nanos } from '../model/units.js';

export interface BusyRatios {
  /** 0..1 per package. */
  readonly byPackage: ReadonlyMap<number, number>;
  /** 0..1 over all online CPUs. */
  readonly ofHost: number;
}

/** Task time has no steal in it: what the hypervisor gave to others is not ours. Interrupts are. */
const busyNanosOf = (cpu: CpuSample): number => cpu.taskNanos + (cpu.irqNanos ?? 0);

const ratio = (busyNanos: number, capacityNanos: number): number =>
  capacityNanos <= 0 ? 0 : Math.min(1, Math.max(0, busyNanos / capacityNanos));

export const busyRatios = (
  cpus: readonly CpuSample[],
  topology: HostTopology,
  spanNanos: Nanos,
): BusyRatios => {
  const packageOf = new Map(topology.cpuDomains.map(({ index, packageId }) => [index, packageId]));
  const busy = new Map<number, number>();
  const online = new Map<number, number>();
  const span = Number(spanNanos);
  for (const cpu of cpus) {
    if (!cpu.isOnline) continue;
    const packageId = packageOf.get(cpu.cpuDomain) ?? topology.packageIds[0] ?? 0;
    busy.set(packageId, (busy.get(packageId) ?? 0) + busyNanosOf(cpu));
    online.set(packageId, (online.get(packageId) ?? 0) + 1);
  }
  const sum = (values: Iterable<number>): number => [...values].reduce((a, b) => a + b, 0);
  return {
    byPackage: new Map(
      [...online].map(([id, count]) => [id, ratio(busy.get(id) ?? 0, count * span)]),
    ),
    ofHost: ratio(sum(busy.values()), sum(online.values()) * span),
  };
};
