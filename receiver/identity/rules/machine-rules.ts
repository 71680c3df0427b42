// SPDX-License-Identifier: Apache-2.0
/** System containers and virtual machines: LXC, systemd-nspawn, libvirt, Proxmox. */
import { container, type Rule } from './rule.js';

export const MACHINE_RULES: readonly Rule[] = [
  {
    name: 'lxc-monitor',
    segments: [/^lxc\.monitor(?:\..+)?$/],
    find: () => ({ isHelper: true }),
  },
  {
    name: 'lxc-payload',
    segments: [/^lxc\.payload\.(?<name>.+)$/],
    find: ({ name }) => container('lxc', name, name),
  },
  {
    name: 'lxc-payload-directory',
    segments: [/^lxc\.payload$/, /^(?<name>.+)$/],
    find: ({ name }) => container('lxc', name, name),
  },
  {
    name: 'lxc-directory',
    segments: [/^lxc$/, /^(?<name>.+)$/],
    find: ({ name }) => container('lxc', name, name),
  },
  {
    name: 'nspawn-supervisor',
    segments: [/^(?<unit>systemd-nspawn@.+\.service)$/, /^supervisor$/],
    find: ({ unit = '' }) => ({ isHelper: true, unit: { name: unit, manager: 'system' } }),
  },
  {
    name: 'nspawn-service',
    segments: [/^systemd-nspawn@(?<name>.+)\.service$/],
    find: ({ name }) => container('systemd-nspawn', name, name),
  },
  {
    name: 'libvirt-qemu-scope',
    segments: [/^machine-qemu-(?<id>\d+-(?<name>.+))\.scope$/],
    find: ({ id, name }) => container('libvirt-qemu', id && `qemu-${id}`, name),
  },
  {
    name: 'libvirt-lxc-scope',
    segments: [/^machine-lxc-(?<id>\d+-(?<name>.+))\.scope$/],
    find: ({ id, name }) => container('libvirt-lxc', id && `lxc-${id}`, name),
  },
  {
    // Without systemd: `qemu-2-vm.libvirt-qemu`; before libvirt 1.2 without the number.
    name: 'libvirt-cgroupfs',
    segments: [/^(?<id>(?:(?:qemu|lxc)-\d+-)?(?<name>.+))\.libvirt-(?<kind>qemu|lxc)$/],
    find: ({ id, name, kind }) =>
      container(kind === 'lxc' ? 'libvirt-lxc' : 'libvirt-qemu', id, name),
  },
  {
    name: 'machined-scope',
    segments: [/^machine-(?<name>.+)\.scope$/],
    find: ({ name }) => container('systemd-machined', name, name),
  },
  {
    name: 'proxmox-qemu',
    segments: [/^qemu\.slice$/, /^(?<id>\d+)\.scope$/],
    find: ({ id }) => container('proxmox-qemu', id),
  },
  {
    name: 'firecracker',
    segments: [/^firecracker$/, /^(?<id>[\w-]{1,64})$/],
    find: ({ id }) => container('firecracker', id),
  },
];
