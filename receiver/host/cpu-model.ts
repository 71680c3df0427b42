// SPDX-License-Identifier: Apache-2.0
/** Who made the CPU and which one it is, from /proc/cpuinfo. */
import { pipe } from 'fp-ts/lib/function.js';
import * as E from 'fp-ts/lib/Either.js';
import { readText } from './files.js';
import type { HostRoots } from './roots.js';

export interface CpuModel {
  /** `GenuineIntel`, `AuthenticAMD`, `ARM`, …; empty where unknown. */
  readonly vendor: string;
  readonly family: number | undefined;
  readonly model: number | undefined;
  /** For people, e.g. `Intel(R) Xeon(R) Gold 6338 CPU @ 2.00GHz`. */
  readonly name: string;
  /** The CPU itself says that it runs under a hypervisor (x86 only). */
  readonly hasHypervisorFlag: boolean;
}

/** Implementer and part of `MIDR_EL1`, as in the kernel's arch/arm64/include/asm/cputype.h. */
const ARM_IMPLEMENTERS: Readonly<Record<string, string>> = {
  '0x41': 'ARM',
  '0x4e': 'NVIDIA',
  '0x61': 'Apple',
  '0xc0': 'Ampere',
};
const ARM_PARTS: Readonly<Record<string, string>> = {
  '0x41/0xd08': 'Cortex-A72',
  '0x41/0xd0b': 'Cortex-A76',
  '0x41/0xd0c': 'Neoverse-N1',
  '0x41/0xd40': 'Neoverse-V1',
  '0x41/0xd49': 'Neoverse-N2',
  '0x41/0xd4f': 'Neoverse-V2',
  '0xc0/0xac3': 'Ampere-1',
  '0xc0/0xac4': 'Ampere-1a',
};

const UNKNOWN: CpuModel = {
  vendor: '',
  family: undefined,
  model: undefined,
  name: 'unknown CPU',
  hasHypervisorFlag: false,
};

const integerOf = (text: string | undefined): number | undefined =>
  text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined;

/** The first CPU's block decides: parts of one machine differ in stepping at most. */
export const parseCpuModel = (cpuinfo: string): CpuModel => {
  const fields = new Map<string, string>();
  for (const line of cpuinfo.split('\n')) {
    const colon = line.indexOf(':');
    if (colon < 0) continue;
    const key = line.slice(0, colon).trim();
    if (!fields.has(key)) fields.set(key, line.slice(colon + 1).trim());
  }
  const implementer = fields.get('CPU implementer')?.toLowerCase();
  if (implementer !== undefined) {
    const part = fields.get('CPU part')?.toLowerCase() ?? '?';
    const vendor = ARM_IMPLEMENTERS[implementer] ?? `arm64 implementer ${implementer}`;
    const name = ARM_PARTS[`${implementer}/${part}`] ?? `part ${part}`;
    return { ...UNKNOWN, vendor, name: `${vendor} ${name}` };
  }
  return {
    vendor: fields.get('vendor_id') ?? '',
    family: integerOf(fields.get('cpu family')),
    model: integerOf(fields.get('model')),
    name: fields.get('model name') ?? UNKNOWN.name,
    hasHypervisorFlag: (fields.get('flags') ?? '').split(' ').includes('hypervisor'),
  };
};

/** `flags` of the first CPU (x86); empty elsewhere. */
export const readCpuFlags = (roots: HostRoots): ReadonlySet<string> =>
  pipe(
    readText(`${roots.procfs}/cpuinfo`),
    E.map((text) => new Set(/^flags\s*:\s*(.*)$/m.exec(text)?.[1]?.split(/\s+/) ?? [])),
    E.getOrElse(() => new Set<string>()),
  );

export const readCpuModel = (roots: HostRoots): CpuModel =>
  pipe(
    readText(`${roots.procfs}/cpuinfo`),
    E.map(parseCpuModel),
    E.getOrElse(() => UNKNOWN),
  );
