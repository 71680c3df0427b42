// SPDX-License-Identifier: Apache-2.0
/**
 * What a control group stands for: container, pod, batch job, systemd unit, or just a cgroup. One
 * cgroup may be several of them at once (a container in a pod); of several containers inside
 * each other the innermost is the workload, and the others are kept as `outerContainers`.
 */

/** Container runtimes, machine managers and the like, as they are exported (`container.runtime.name`). */
export interface ContainerRef {
  /** As the runtime calls it: 64 hex digits, or the name of a machine (LXC, nspawn, QEMU). */
  readonly id: string;
  /** Undefined where the path does not say (cgroupfs driver of Kubernetes). */
  readonly runtime: string | undefined;
  /** Only where the path itself carries one (machines, Nomad tasks), or the runtime was asked. */
  readonly name: string | undefined;
}

export type PodSystem = 'kubernetes' | 'podman' | 'ecs' | 'nomad';
export type PodQos = 'guaranteed' | 'burstable' | 'besteffort';

/** A group of containers that is scheduled as one. */
export interface PodRef {
  readonly system: PodSystem;
  /** Kubernetes: the pod's uid with dashes. ECS: the task. Nomad: the allocation. */
  readonly uid: string;
  readonly qos: PodQos | undefined;
  /** Only where the runtime was asked (`identity.cri_socket`). */
  readonly name?: string;
  readonly namespace?: string;
}

/** A job of a batch system. */
export interface JobRef {
  /** `slurm`, `pbs`, `torque`, `oar`, `lsf`, `htcondor`, `flux`, `grid-engine`. */
  readonly system: string;
  readonly id: string;
  readonly step: string | undefined;
  readonly task: string | undefined;
  /** From the path, where it says so; else the owner is that of the job's processes. */
  readonly uid: number | undefined;
  readonly user: string | undefined;
}

export interface UnitRef {
  /** Innermost unit, e.g. `nginx.service`, `session-3.scope`. */
  readonly name: string;
  /** `user`: below a `user@UID.service`. */
  readonly manager: 'system' | 'user';
}

export type WorkloadKind = 'root' | 'container' | 'pod' | 'job' | 'unit' | 'cgroup';

export interface CgroupIdentity {
  /** The most specific of what was found. */
  readonly kind: WorkloadKind;
  /** Name of the rule that found it: `cgroup` if none did. */
  readonly rule: string;
  /** All that matched, outermost first. */
  readonly rules: readonly string[];
  readonly container: ContainerRef | undefined;
  /** Containers around this one, outermost first. */
  readonly outerContainers: readonly ContainerRef[];
  readonly pod: PodRef | undefined;
  readonly job: JobRef | undefined;
  readonly unit: UnitRef | undefined;
  /** Innermost slice, e.g. `system.slice`. */
  readonly slice: string | undefined;
  /** Uid in the name of a user's slice. */
  readonly sliceUid: number | undefined;
  /** A runtime's own process (conmon, slurmstepd, monitor): never counted as the container. */
  readonly isHelper: boolean;
}

/** A cgroup of which nothing is known but that it is one. */
export const PLAIN_CGROUP: CgroupIdentity = {
  kind: 'cgroup',
  rule: 'cgroup',
  rules: [],
  container: undefined,
  outerContainers: [],
  pod: undefined,
  job: undefined,
  unit: undefined,
  slice: undefined,
  sliceUid: undefined,
  isHelper: false,
};
