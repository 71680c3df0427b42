// SPDX-License-Identifier: Apache-2.0
/** Logical CPUs and how they share cores and packages, read once from sysfs. */
export interface HostCpu {
  readonly cpu: number;
  readonly packageId: number;
  readonly dieId: number;
  readonly coreId: number;
  readonly nodeId: number;
  /** `core`, `atom`, … on hybrid CPUs; `cpu` elsewhere. */
  readonly coreType: string;
  /** The other hardware thread of the core; undefined without SMT or with more than two threads. */
  readonly smtSibling: number | undefined;
  readonly isOnline: boolean;
  /** Index into `cpuDomains`. */
  readonly cpuDomain: number;
}

/** package x core type x NUMA node: the granularity at which the kernel keeps a task apart. */
export interface CpuDomain {
  readonly index: number;
  readonly packageId: number;
  readonly coreType: string;
  /** Where nodes had to be merged (too many domains): the first of them. */
  readonly nodeId: number;
}

export interface HostTopology {
  readonly cpus: readonly HostCpu[];
  readonly cpuDomains: readonly CpuDomain[];
  readonly packageIds: readonly number[];
}
