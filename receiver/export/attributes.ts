// SPDX-License-Identifier: Apache-2.0
/**
 * Every attribute that a data point or the resource may carry. OpenTelemetry's own names first, then
 * ours. The meaning goes into docs/metrics.md as it stands here.
 */
export const ATTRIBUTES = {
  hwId: ['hw.id', 'Id of the energy counter, unique on the host, e.g. `intel-rapl:0`.'],
  hwType: ['hw.type', '`cpu` for package, die, core and uncore domains, `memory` for DRAM.'],
  hwName: ['hw.name', 'The counter as the kernel names it: `package-0`, `dram`, `psys`.'],
  hwParent: [
    'hw.parent',
    '`hw.id` of the domain that contains this one. Sum only series without it: `core` is inside `package-0`.',
  ],
  processPid: ['process.pid', 'Process id in the initial pid namespace.'],
  processCreationTime: [
    'process.creation.time',
    'When the process started, ISO 8601 UTC. With the pid it names a process for ever: a re-used pid is another series.',
  ],
  processExecutableName: [
    'process.executable.name',
    'The command name (`comm`) of the main thread, escaped.',
  ],
  processCommandLine: [
    'process.command_line',
    'Only with `identity.command_line`; `redacted` leaves out what looks like a secret.',
  ],
  processOwner: ['process.owner', 'Login name; the uid in digits where there is none.'],
  processCgroup: [
    'process.linux.cgroup',
    'Path of the control group below the root of its hierarchy.',
  ],
  threadId: ['thread.id', 'Thread id (tid) in the initial pid namespace.'],
  threadName: ['thread.name', 'The name (`comm`) of the thread, escaped.'],
  threadCreationTime: [
    'wattfeed.thread.creation.time',
    'When the thread started, ISO 8601 UTC. With the tid it names a thread for ever: a long-lived process uses a tid again.',
  ],
  cgroupPath: [
    'wattfeed.cgroup.path',
    'Path of the control group below the root of its hierarchy.',
  ],
  cgroupId: ['wattfeed.cgroup.id', "The kernel's id of the control group, in decimal digits."],
  containerId: [
    'container.id',
    'Id of the container as its runtime calls it; of a machine its name.',
  ],
  containerRuntime: [
    'container.runtime.name',
    '`docker`, `containerd`, `cri-o`, `podman`, `lxc`, `libvirt-qemu`, …; absent where the path of the control group does not say.',
  ],
  containerName: [
    'container.name',
    'Only where the path carries one (machines, Nomad tasks), or from `identity.cri_socket`.',
  ],
  outerContainerId: [
    'wattfeed.container.outer.id',
    'Id of the container around this one. Sum by it for what an outer container burned in its inner ones.',
  ],
  rootContainerId: [
    'wattfeed.container.root.id',
    'Id of the outermost container around this one. What it burned with everything inside it, however deep: the series of its own `container.id` and those with this one.',
  ],
  podUid: ['k8s.pod.uid', 'Uid of the Kubernetes pod; names come from the collector by it.'],
  podName: ['k8s.pod.name', 'Only with `identity.cri_socket`; else the collector adds it.'],
  podNamespace: [
    'k8s.namespace.name',
    'Only with `identity.cri_socket`; else the collector adds it.',
  ],
  podSystem: ['wattfeed.pod.system', '`podman`, `ecs` or `nomad`; absent for Kubernetes.'],
  podId: ['wattfeed.pod.id', 'Id of the podman pod, the ECS task or the Nomad allocation.'],
  podQos: ['wattfeed.pod.qos', '`guaranteed`, `burstable` or `besteffort`.'],
  jobSystem: [
    'wattfeed.job.system',
    '`slurm`, `pbs`, `torque`, `oar`, `lsf`, `htcondor`, `flux` or `grid-engine`.',
  ],
  jobId: [
    'wattfeed.job.id',
    'Id of the job; of HTCondor the slot, which is all that its path says.',
  ],
  jobOwner: [
    'wattfeed.job.owner',
    'Login name of the owner; the uid in digits where there is none.',
  ],
  unitName: ['wattfeed.unit.name', 'Innermost systemd unit, e.g. `nginx.service`.'],
  unitSlice: ['wattfeed.unit.slice', 'Innermost slice, e.g. `system.slice`.'],
  unitOwner: ['wattfeed.unit.owner', 'Owner of a unit of a user’s own manager; else absent.'],
  userName: ['user.name', 'Login name; the uid in digits where there is none.'],
  userId: ['user.id', 'The uid in digits.'],
  spinKind: [
    'wattfeed.spin.kind',
    '`pause`, `flag`, `yield`, `poll`, `clock`, `syscall` or `polling` (by design): how the thread waits; see spin.md.',
  ],
  domain: [
    'wattfeed.domain',
    'What the energy counter covers. Attributed energy is `package` or `dram`, which never overlap.',
  ],
  origin: [
    'wattfeed.origin',
    '`measured` by a counter or `modelled` from CPU load. One modelled part makes the whole `modelled`.',
  ],
  split: [
    'wattfeed.split',
    'How energy was split among tasks: by hardware `counters`, by CPU `time`, by the `seed` formula, or (memory) by `rss`. When it changes, the series ends and a new one begins.',
  ],
  source: [
    'wattfeed.source',
    'Where the counter was read: `perf`, `powercap`, `hwmon`, `power-supply` or `model`.',
  ],
  reason: ['wattfeed.reason', 'Why: see the description of the metric.'],
  state: [
    'wattfeed.state',
    '`ok`, `first` (no delta yet), `rejected` or `failed`; exactly one of them is 1.',
  ],
  result: ['wattfeed.result', 'What became of it: see the description of the metric.'],
  event: [
    'wattfeed.event',
    'Name of the event; those of the accounting as in `enum acct_stat` of bpf/include/records.h.',
  ],
  stage: ['wattfeed.stage', 'Part of the work at the end of a window.'],
  package: ['wattfeed.package', 'Number of the physical package, as the kernel counts them.'],
  coefficients: [
    'wattfeed.coefficients',
    'Where the counter model’s coefficients come from: `prior` (the defaults), `calibrated` on this machine, `modelled` (energy is no measurement to learn from).',
  ],
  program: ['wattfeed.bpf.program', 'Name of the BPF program.'],
  level: [
    'wattfeed.level',
    '`process`, `cgroup`, `container`, `pod`, `job`, `unit`, `user`, `name` or, where exported, `thread`.',
  ],
  cpuMode: ['cpu.mode', '`user` or `system`.'],
  overflow: [
    'otel.metric.overflow',
    '`true` on the one series that holds everything without a series of its own.',
  ],
} as const satisfies Record<string, readonly [name: string, meaning: string]>;

export type AttributeKey = keyof typeof ATTRIBUTES;

/** The name on the wire, e.g. `hw.id`. */
export const attributeName = (key: AttributeKey): string => ATTRIBUTES[key][0];
