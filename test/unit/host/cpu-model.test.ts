// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { parseCpuModel } from '../../../receiver/host/cpu-model.js';
import { readVirtualization } from '../../../receiver/host/virtualization.js';
import { rootsWith } from '../../support/machines/temporary-tree.js';

const INTEL = [
  'vendor_id\t: GenuineIntel',
  'cpu family\t: 6',
  'model\t\t: 106',
  'model name\t: Xeon',
  'flags\t\t: fpu vme',
].join('\n');

describe('parseCpuModel', () => {
  it('reads vendor, family, model and name of the first CPU', () => {
    const second = INTEL.replace('106', '999').replace('Xeon', 'Other');
    expect(parseCpuModel(`${INTEL}\n\n${second}`)).toEqual({
      vendor: 'GenuineIntel',
      family: 6,
      model: 106,
      name: 'Xeon',
      hasHypervisorFlag: false,
    });
  });

  it('sees the hypervisor flag, and not a flag that contains the word', () => {
    expect(parseCpuModel(`${INTEL} hypervisor`).hasHypervisorFlag).toBe(true);
    expect(parseCpuModel(`${INTEL} nohypervisor`).hasHypervisorFlag).toBe(false);
  });

  it('names arm64 cores by implementer and part', () => {
    const text = 'CPU implementer\t: 0x41\nCPU part\t: 0xd4f';
    expect(parseCpuModel(text)).toMatchObject({ vendor: 'ARM', name: 'ARM Neoverse-V2' });
    expect(parseCpuModel('CPU implementer\t: 0x99\nCPU part\t: 0x1').name).toBe(
      'arm64 implementer 0x99 part 0x1',
    );
  });

  it('says unknown where cpuinfo says nothing', () => {
    expect(parseCpuModel('').name).toBe('unknown CPU');
  });
});

describe('readVirtualization', () => {
  const dmi = (product: string): Record<string, string> => ({
    'sys/class/dmi/id/product_name': product,
    'sys/class/dmi/id/sys_vendor': 'Amazon EC2',
  });
  const model = parseCpuModel(INTEL);
  const arm = parseCpuModel('CPU implementer\t: 0x41\nCPU part\t: 0xd0c');

  it('believes the flag of an x86 CPU', () => {
    const guest = { ...model, hasHypervisorFlag: true };
    expect(readVirtualization(rootsWith(dmi('c5.large')), guest)).toEqual({
      isVirtual: true,
      hypervisor: 'Amazon EC2',
    });
    expect(readVirtualization(rootsWith(dmi('c5.metal')), model).isVirtual).toBe(false);
  });

  it('goes by firmware on arm64', () => {
    expect(readVirtualization(rootsWith(dmi('c6g.large')), arm).isVirtual).toBe(true);
    expect(readVirtualization(rootsWith(dmi('c6g.metal')), arm).isVirtual).toBe(false);
    expect(readVirtualization(rootsWith(), arm).isVirtual).toBe(false);
  });
});
