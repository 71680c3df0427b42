// SPDX-License-Identifier: Apache-2.0
/** Whether the machine is a guest, and of which hypervisor, from what firmware and CPU say. */
import type { CpuModel } from './cpu-model.js';
import type { HostRoots } from './roots.js';
import { textAt } from './values.js';

export interface Virtualization {
  readonly isVirtual: boolean;
  /** For people; undefined on bare metal. */
  readonly hypervisor: string | undefined;
}

/** DMI strings of common hypervisors. A metal instance of a cloud carries the vendor but no flag. */
const DMI_NAMES: readonly (readonly [RegExp, string])[] = [
  [/QEMU|KVM|Bochs/i, 'KVM/QEMU'],
  [/VMware/i, 'VMware'],
  [/VirtualBox|innotek/i, 'VirtualBox'],
  [/Virtual Machine/i, 'Hyper-V'],
  [/Google Compute Engine/i, 'Google Compute Engine'],
  [/HVM domU|Xen/i, 'Xen'],
  [/Amazon EC2/i, 'Amazon EC2'],
];

const textOf = (path: string): string => textAt(path) ?? '';

export const readVirtualization = (roots: HostRoots, cpuModel: CpuModel): Virtualization => {
  const dmi = `${roots.sysfs}/class/dmi/id`;
  const product = textOf(`${dmi}/product_name`);
  const described = `${textOf(`${dmi}/sys_vendor`)} ${product}`;
  const named = DMI_NAMES.find(([pattern]) => pattern.test(described))?.[1];
  const xen = textOf(`${roots.sysfs}/hypervisor/type`);
  // arm64 has no CPU flag: only firmware tells. `metal` is in the product name of bare-metal cloud machines.
  const isTold = xen !== '' || (named !== undefined && !/metal/i.test(product));
  const isX86 = cpuModel.family !== undefined;
  const isVirtual = isX86 ? cpuModel.hasHypervisorFlag || xen === 'xen' : isTold;
  return {
    isVirtual,
    hypervisor: isVirtual ? (named ?? (xen || 'an unnamed hypervisor')) : undefined,
  };
};
