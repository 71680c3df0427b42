// SPDX-License-Identifier: Apache-2.0
/**
 * Cgroup paths as they are met in the field, and what each stands for. Written as
 * `kind rule key=value…`; what is not named must not be there. `#63` and so on: the real case behind it.
 */
const hex = (digit: string): string => digit.repeat(64);
/** Ids and uids of the corpus, short to write. */
export const ID = { A: hex('a'), B: hex('b'), C: hex('c1').slice(0, 64) } as const;
export const UID = '5f32d849-6210-4886-a48d-e0d90e1d0206';
export const UID_ = UID.replaceAll('-', '_');
const TASK = '0123456789abcdef0123456789abcdef';
const { A, B } = ID;
const besteffort = `kubepods.slice/kubepods-besteffort.slice/kubepods-besteffort-pod${UID_}.slice`;

export type CorpusEntry = readonly [path: string, expected: string];

const KUBERNETES: readonly CorpusEntry[] = [
  [
    `/${besteffort}/docker-${A}.scope`,
    `container docker-scope c=docker:A p=kubernetes:UID:besteffort s=kubepods-besteffort-podUID_.slice`,
  ], // #63
  [
    `/kubepods/burstable/pod${UID}/${A}`,
    'container bare-container-id c=?:A p=kubernetes:UID:burstable',
  ], // #64
  [`/kubepods/pod${UID}/${A}`, 'container bare-container-id c=?:A p=kubernetes:UID:guaranteed'], // #65
  [
    `/kubepods/besteffort/pod${UID}/crio-${A}`,
    'container cri-o-scope c=cri-o:A p=kubernetes:UID:besteffort',
  ],
  [
    `/../../../${besteffort.slice('kubepods.slice/'.length)}/cri-containerd-${A}.scope`,
    'container containerd-cri-scope c=containerd:A p=kubernetes:UID:besteffort s=kubepods-besteffort-podUID_.slice',
  ], // #67
  [
    `/../../kubepods-besteffort-pod${UID_}.slice/cri-containerd-${A}.scope`,
    'container containerd-cri-scope c=containerd:A p=kubernetes:UID:besteffort s=kubepods-besteffort-podUID_.slice',
  ],
  [`/../cri-containerd-${A}.scope`, 'container containerd-cri-scope c=containerd:A'],
  [
    `/sys/fs/cgroup/${besteffort}/crio-${A}.scope`,
    'container cri-o-scope c=cri-o:A p=kubernetes:UID:besteffort s=kubepods-besteffort-podUID_.slice',
  ], // #68
  [
    `/kubepods.slice/kubepods-pod${UID_}.slice/crio-${A}.scope/container`,
    'container cri-o-scope c=cri-o:A p=kubernetes:UID:guaranteed s=kubepods-podUID_.slice',
  ],
  [
    `/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod${UID_}.slice/crio-conmon-${A}.scope`,
    'pod cri-o-conmon p=kubernetes:UID:burstable s=kubepods-burstable-podUID_.slice helper',
  ],
  [
    `/kubepods/burstable/pod${UID}/crio-conmon-${A}`,
    'pod cri-o-conmon p=kubernetes:UID:burstable helper',
  ],
  [
    `/${besteffort}`,
    'pod kubernetes-systemd p=kubernetes:UID:besteffort s=kubepods-besteffort-podUID_.slice',
  ],
  ['/kubepods.slice/kubepods-burstable.slice', 'cgroup systemd-slice s=kubepods-burstable.slice'],
  ['/kubepods/burstable', 'cgroup cgroup'],
  [
    `/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod${TASK}.slice/cri-containerd-${A}.scope`,
    `container containerd-cri-scope c=containerd:A p=kubernetes:${TASK}:burstable s=kubepods-burstable-pod${TASK}.slice`,
  ],
  [
    `/system.slice/containerd.service/kubepods-burstable-pod${UID_}.slice:cri-containerd:${A}`,
    'container containerd-cri-scope c=containerd:A p=kubernetes:UID:burstable u=containerd.service s=kubepods-burstable-podUID_.slice',
  ],
  [
    `/kubepods-pod${UID_}.slice:cri-containerd:${A}`,
    'container containerd-cri-scope c=containerd:A p=kubernetes:UID:guaranteed s=kubepods-podUID_.slice',
  ],
  [
    `/system.slice/k3s.service/kubepods/besteffort/pod${UID}/${A}`,
    'container bare-container-id c=?:A p=kubernetes:UID:besteffort u=k3s.service s=system.slice',
  ], // #71
  [
    `/user.slice/user-1000.slice/user@1000.service/k3s-rootless.service/evac/kubepods/pod${UID}/${A}`,
    'container bare-container-id c=?:A p=kubernetes:UID:guaranteed u=user:k3s-rootless.service s=user-1000.slice uid=1000',
  ],
  ['/system.slice/k3s.service', 'unit systemd-unit u=k3s.service s=system.slice'],
  [
    `/docker/${B}/kubelet/kubepods/burstable/pod${UID}/${A}`,
    'container bare-container-id c=?:A o=docker:B p=kubernetes:UID:burstable',
  ], // kind
  [
    `/system.slice/docker-${B}.scope/kubelet.slice/kubelet-kubepods.slice/kubelet-kubepods-besteffort.slice/kubelet-kubepods-besteffort-pod${UID_}.slice/cri-containerd-${A}.scope`,
    'container containerd-cri-scope c=containerd:A o=docker:B p=kubernetes:UID:besteffort s=kubelet-kubepods-besteffort-podUID_.slice',
  ],
  [
    `/system.slice/docker-${B}.scope/kubelet.slice/kubelet.service`,
    'container docker-scope c=docker:B u=kubelet.service s=kubelet.slice',
  ],
  [
    `/kubepods/burstable/pod${UID}/kata_${A}`,
    'container kata-sandbox c=kata:A p=kubernetes:UID:burstable',
  ],
  [`/kata_overhead/${A}`, 'cgroup kata-overhead helper'],
];

const CONTAINERS: readonly CorpusEntry[] = [
  [`/system.slice/docker-${A}.scope`, 'container docker-scope c=docker:A s=system.slice'], // #66
  [`/docker/${A}`, 'container docker-cgroupfs c=docker:A'],
  [`/docker/${A}/docker/${B}`, 'container docker-cgroupfs c=docker:B o=docker:A'],
  [
    `/system.slice/docker-${A}.scope/docker/${B}`,
    'container docker-cgroupfs c=docker:B o=docker:A s=system.slice',
  ],
  [`/system.slice/docker-${A}.scope/init`, 'container docker-scope c=docker:A s=system.slice'],
  [`/system.slice:docker:${A}`, 'container docker-scope c=docker:A s=system.slice'],
  [`/my.slice/docker-${A}.scope`, 'container docker-scope c=docker:A s=my.slice'],
  [`/actions_job/${A}`, 'container bare-container-id c=docker:A'],
  [
    `/user.slice/user-1000.slice/user@1000.service/app.slice/docker-${A}.scope`,
    'container docker-scope c=docker:A u=user@1000.service s=app.slice uid=1000',
  ],
  ['/system.slice/docker.service', 'unit systemd-unit u=docker.service s=system.slice'],
  ['/system.slice/containerd.service', 'unit systemd-unit u=containerd.service s=system.slice'],
  [`/default/${A}`, 'container bare-container-id c=?:A'],
  [`/k8s.io/${A}`, 'container bare-container-id c=?:A'],
  [`/system.slice/nerdctl-${A}.scope`, 'container nerdctl-scope c=containerd:A s=system.slice'],
  [
    '/buildkit/0123456789abcdefghijklmno',
    'container buildkit-cgroupfs c=buildkit:0123456789abcdefghijklmno',
  ],
  [`/machine.slice/libpod-${A}.scope`, 'container podman-scope c=podman:A s=machine.slice'],
  [
    `/machine.slice/libpod-${A}.scope/container`,
    'container podman-scope c=podman:A s=machine.slice',
  ],
  [`/machine.slice/libpod-conmon-${A}.scope`, 'cgroup podman-conmon s=machine.slice helper'],
  [`/libpod_parent/libpod-${A}`, 'container podman-scope c=podman:A'],
  [`/libpod_parent/libpod-${A}/conmon`, 'container podman-conmon-cgroupfs c=podman:A helper'],
  ['/libpod_parent/conmon', 'cgroup podman-conmon-cgroupfs helper'],
  [`/libpod_parent/${B}/libpod-${A}`, 'container podman-pod-cgroupfs c=podman:A p=podman:B'],
  [
    `/machine.slice/machine-libpod_pod_${B}.slice/libpod-${A}.scope`,
    'container podman-scope c=podman:A p=podman:B s=machine-libpod_pod_B.slice',
  ],
  [
    `/user.slice/user-1000.slice/user@1000.service/user.slice/libpod-${A}.scope/container`,
    'container podman-scope c=podman:A u=user@1000.service s=user.slice uid=1000',
  ],
  [
    `/user.slice/user-1000.slice/user@1000.service/user.slice/user-libpod_pod_${B}.slice/libpod-${A}.scope`,
    'container podman-scope c=podman:A p=podman:B u=user@1000.service s=user-libpod_pod_B.slice uid=1000',
  ],
  [
    `/system.slice/web.service/libpod-payload-${A}`,
    'container podman-payload c=podman:A u=web.service s=system.slice',
  ],
  [
    '/system.slice/web.service/runtime',
    'unit podman-split-runtime u=web.service s=system.slice helper',
  ],
  [`/ecs/${TASK}/${A}`, `container ecs c=docker:A p=ecs:${TASK}`],
  [`/ecs/${TASK}/${TASK}-2531612879`, `container ecs c=docker:${TASK}-2531612879 p=ecs:${TASK}`],
  [`/ecs/production/${UID}/${A}`, 'container ecs-cluster c=docker:A p=ecs:UID'],
  [
    `/ecstasks.slice/ecstasks-${TASK}.slice/docker-${A}.scope`,
    `container docker-scope c=docker:A p=ecs:${TASK} s=ecstasks-${TASK}.slice`,
  ],
  [
    `/nomad.slice/share.slice/${UID}.web.scope`,
    'container nomad-task c=nomad:UID.web=web p=nomad:UID s=share.slice',
  ],
  [`/nomad/reserve/${UID}.db-1`, 'container nomad-task c=nomad:UID.db-1=db-1 p=nomad:UID'],
  [`/nomad.slice/docker-${A}.scope`, 'container docker-scope c=docker:A s=nomad.slice'],
  [`/mesos/${UID}`, 'container mesos c=mesos:UID'],
  [`/garden/${UID}`, 'container garden c=garden:UID'],
  [
    `/system.slice/containerd-${A}.scope`,
    'container containerd-scope c=containerd:A s=system.slice',
  ],
  [`/system.slice/buildkit-${A}.scope`, 'container buildkit-scope c=buildkit:A s=system.slice'],
  ['/firecracker/vm-7', 'container firecracker c=firecracker:vm-7'],
  ['/pbspro.service/jobid/7.head', 'job pbs-pro-service j=pbs:7.head'],
];

const MACHINES: readonly CorpusEntry[] = [
  ['/lxc.payload.web-1', 'container lxc-payload c=lxc:web-1=web-1'],
  [
    '/lxc.payload.project_web/system.slice/nginx.service',
    'container lxc-payload c=lxc:project_web=project_web u=nginx.service s=system.slice',
  ],
  [
    `/lxc.payload.host/system.slice/docker-${A}.scope`,
    'container docker-scope c=docker:A o=lxc:host=host s=system.slice',
  ],
  ['/lxc.payload/web', 'container lxc-payload-directory c=lxc:web=web'],
  [
    '/lxc/101/ns/system.slice/cron.service',
    'container lxc-directory c=lxc:101=101 u=cron.service s=system.slice',
  ],
  ['/lxc.monitor.web-1', 'cgroup lxc-monitor helper'],
  ['/lxc.monitor/101', 'cgroup lxc-monitor helper'],
  [
    '/machine.slice/systemd-nspawn@debian.service/payload/system.slice/ssh.service',
    'container nspawn-service c=systemd-nspawn:debian=debian u=ssh.service s=system.slice',
  ],
  [
    '/machine.slice/systemd-nspawn@debian.service/supervisor',
    'unit nspawn-supervisor u=systemd-nspawn@debian.service s=machine.slice helper',
  ],
  [
    '/machine.slice/machine-debian.scope',
    'container machined-scope c=systemd-machined:debian=debian s=machine.slice',
  ],
  [
    '/machine.slice/machine-qemu\\x2d1\\x2dvm.scope',
    'container libvirt-qemu-scope c=libvirt-qemu:qemu-1-vm=vm s=machine.slice',
  ],
  [
    '/machine.slice/machine-qemu\\x2d12\\x2dinstance\\x2d00000001.scope/libvirt/vcpu0',
    'container libvirt-qemu-scope c=libvirt-qemu:qemu-12-instance-00000001=instance-00000001 s=machine.slice',
  ],
  [
    '/machine.slice/machine-qemu\\x2d12\\x2dinstance\\x2d00000001.scope/libvirt/emulator',
    'container libvirt-qemu-scope c=libvirt-qemu:qemu-12-instance-00000001=instance-00000001 s=machine.slice',
  ], // #50
  [
    '/machine.slice/machine-lxc\\x2d812\\x2dbox.scope',
    'container libvirt-lxc-scope c=libvirt-lxc:lxc-812-box=box s=machine.slice',
  ],
  [
    '/machine/qemu-2-old_guest.libvirt-qemu/emulator',
    'container libvirt-cgroupfs c=libvirt-qemu:qemu-2-old_guest=old_guest',
  ],
  [
    '/machine/instance-000065d3.libvirt-qemu/vcpu0',
    'container libvirt-cgroupfs c=libvirt-qemu:instance-000065d3=instance-000065d3',
  ],
  ['/qemu.slice/100.scope', 'container proxmox-qemu c=proxmox-qemu:100 s=qemu.slice'],
];

const JOBS: readonly CorpusEntry[] = [
  ['/slurm/uid_1000/job_123/step_0/task_2', 'job slurm-task j=slurm:123/0/2@1000'],
  ['/slurm_node7/uid_1000/job_123/step_batch', 'job slurm-step j=slurm:123/batch@1000'],
  ['/slurm/uid_1000/job_123', 'job slurm-v1 j=slurm:123@1000'],
  [
    '/system.slice/slurmstepd.scope/job_1392969/step_0/user/task_0',
    'job slurm-task j=slurm:1392969/0/0 s=system.slice',
  ],
  [
    '/system.slice/node7_slurmstepd.scope/job_42/step_extern/user',
    'job slurm-step j=slurm:42/extern s=system.slice',
  ],
  [
    '/system.slice/slurmstepd.scope/job_42/step_batch/slurm',
    'job slurm-step-daemon j=slurm:42/batch s=system.slice helper',
  ],
  [
    '/system.slice/slurmstepd.scope/system',
    'unit slurmstepd u=slurmstepd.scope s=system.slice helper',
  ],
  [
    '/system.slice/slurmstepd.scope/job_42/step_batch/user/task_special',
    'job slurm-task j=slurm:42/batch/special s=system.slice',
  ],
  ['/pbs_jobs.service/jobid/2404743.opbs', 'job pbs j=pbs:2404743.opbs'],
  ['/pbs_jobs.service/jobs/12[3].server', 'job pbs j=pbs:12[3].server'],
  [
    '/pbspro.slice/pbspro-77.pbs\\x2dserver.slice',
    'job pbs-slice j=pbs:77.pbs-server s=pbspro-77.pbs-server.slice',
  ],
  ['/torque/99.head.cluster/cpus', 'job torque j=torque:99.head.cluster'],
  ['/oar/alice_4567', 'job oar-2 j=oar:4567@alice'],
  [
    '/oar.slice/oar-u1000.slice/oar-u1000-j45670.slice/oar-u1000-j45670-s3.scope',
    'job oar-slice j=oar:45670@1000 s=oar-u1000-j45670.slice',
  ],
  ['/oar.slice/alice_4567.scope', 'job oar-scope j=oar:4567@alice s=oar.slice'],
  ['/lsf/cluster1/job.1234.5678.1600000000', 'job lsf j=lsf:1234'],
  ['/lsf/cluster1/job.1234[7].5678.1600000000', 'job lsf j=lsf:1234[7]'],
  [
    '/htcondor/condor_var_lib_condor_execute_slot1_1@node.example',
    'job htcondor-slot j=htcondor:slot1_1@node.example',
  ],
  ['/system.slice/condor.service', 'unit systemd-unit u=condor.service s=system.slice'],
  [
    '/user.slice/user-500.slice/user@500.service/app.slice/imp-shell-0-f2qQnrpXo.service',
    'job flux j=flux:f2qQnrpXo u=user@500.service s=app.slice uid=500',
  ],
  ['/UGE/123.4', 'job grid-engine j=grid-engine:123.4'],
  [
    `/system.slice/slurmstepd.scope/job_42/step_0/user/task_0/apptainer-4711.scope`,
    'container apptainer c=apptainer:4711 j=slurm:42/0/0 s=system.slice',
  ],
];

const UNITS: readonly CorpusEntry[] = [
  ['/', 'root root'],
  ['/..', 'root root'],
  ['/../..', 'root root'],
  ['', 'root root'],
  ['/init.scope', 'unit systemd-unit u=init.scope'],
  ['/system.slice', 'cgroup systemd-slice s=system.slice'],
  ['/system.slice/nginx.service', 'unit systemd-unit u=nginx.service s=system.slice'],
  [
    '/system.slice/system-getty.slice/getty@tty1.service',
    'unit systemd-unit u=getty@tty1.service s=system-getty.slice',
  ],
  ['/system.slice/foo.service/worker/3', 'unit systemd-unit u=foo.service s=system.slice'],
  [
    '/system.slice/dev\\x2dhugepages.mount',
    'unit systemd-unit u=dev-hugepages.mount s=system.slice',
  ],
  [
    '/user.slice/user-1000.slice/session-3.scope',
    'unit systemd-unit u=session-3.scope s=user-1000.slice uid=1000',
  ],
  [
    '/user.slice/user-1000.slice/user@1000.service/app.slice/app-gnome-firefox-4242.scope',
    'unit systemd-unit u=user:app-gnome-firefox-4242.scope s=app.slice uid=1000',
  ],
  [
    '/user.slice/user-1000.slice/user@1000.service/init.scope',
    'unit systemd-unit u=user:init.scope s=user-1000.slice uid=1000',
  ],
  ['/process_api/2ecd92292e5af347c312789a61656638', 'cgroup cgroup'],
  ['/a/b/c', 'cgroup cgroup'],
  ['(deleted:42)', 'cgroup cgroup'],
];

export const CORPUS: readonly CorpusEntry[] = [
  ...KUBERNETES,
  ...CONTAINERS,
  ...MACHINES,
  ...JOBS,
  ...UNITS,
];
