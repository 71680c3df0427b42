// SPDX-License-Identifier: Apache-2.0
/** Sums of what each entity got of each kind of energy of each package. Pure; whole microjoules. */
import type { ActivityWindow, TaskSample } from '../model/activity.js';
import type { HostTopology } from '../model/host-topology.js';
import type { WindowShares } from '../model/window.js';

export type ZoneSums = Map<string, number>;

export interface ProcessSums {
  readonly pid: number;
  readonly startBoottimeNanos: bigint;
  name: string;
  uid: number;
  cgroupId: bigint;
  cpuNanos: number;
  hasExited: boolean;
  readonly zones: ZoneSums;
}

export interface CgroupSums {
  readonly id: bigint;
  cpuNanos: number;
  readonly zones: ZoneSums;
}

const add = (zones: ZoneSums, zone: string, amount: number): void => {
  if (amount > 0) zones.set(zone, (zones.get(zone) ?? 0) + amount);
};

export class EntityZones {
  public readonly processes = new Map<string, ProcessSums>();
  public readonly cgroups = new Map<bigint, CgroupSums>();
  /** Task time without a slot: of a cgroup, of no process. */
  public readonly overflow: ZoneSums = new Map();
  private readonly packageOfDomain: ReadonlyMap<number, number>;

  public constructor({ cpuDomains }: HostTopology) {
    this.packageOfDomain = new Map(cpuDomains.map(({ index, packageId }) => [index, packageId]));
  }

  public book({ tasks, overflow }: ActivityWindow, shares: WindowShares): void {
    tasks.forEach((task, row) => {
      const process = this.processOf(task);
      const cgroup = this.cgroupOf(task.cgroupId);
      process.cpuNanos += task.runtimeNanos;
      cgroup.cpuNanos += task.runtimeNanos;
      if (task.isGroupDead) process.hasExited = true;
      const packageId = this.packageOfDomain.get(task.cpuDomain) ?? 0;
      for (const kind of ['package', 'dram'] as const) {
        const zone = `${kind}-${packageId.toString()}`;
        const energy = shares.tasks[kind][row] ?? 0;
        add(process.zones, zone, energy);
        add(cgroup.zones, zone, energy);
      }
    });
    overflow.forEach(({ cgroupId, cpuDomain, runtimeNanos }, row) => {
      const cgroup = this.cgroupOf(cgroupId);
      cgroup.cpuNanos += runtimeNanos;
      const packageId = this.packageOfDomain.get(cpuDomain) ?? 0;
      for (const kind of ['package', 'dram'] as const) {
        const zone = `${kind}-${packageId.toString()}`;
        const energy = shares.overflow[kind][row] ?? 0;
        add(cgroup.zones, zone, energy);
        add(this.overflow, zone, energy);
      }
    });
  }

  private processOf(task: TaskSample): ProcessSums {
    const key = `${task.tgid.toString()}/${task.processStartBoottimeNanos.toString()}`;
    const known = this.processes.get(key);
    if (known !== undefined) {
      known.name = task.processComm;
      known.uid = task.uid;
      known.cgroupId = task.cgroupId;
      return known;
    }
    const made: ProcessSums = {
      pid: task.tgid,
      startBoottimeNanos: task.processStartBoottimeNanos,
      name: task.processComm,
      uid: task.uid,
      cgroupId: task.cgroupId,
      cpuNanos: 0,
      hasExited: false,
      zones: new Map(),
    };
    this.processes.set(key, made);
    return made;
  }

  private cgroupOf(id: bigint): CgroupSums {
    const known = this.cgroups.get(id);
    if (known !== undefined) return known;
    const made: CgroupSums = { id, cpuNanos: 0, zones: new Map() };
    this.cgroups.set(id, made);
    return made;
  }
}
