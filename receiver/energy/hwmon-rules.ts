// SPDX-License-Identifier: Apache-2.0
/** What the sensors of known hwmon chips measure. A sensor that no rule names is reported and not used. */
import type { EnergyDomainKind } from '../model/energy-domain.js';

export interface SensorMeaning {
  readonly kind: EnergyDomainKind | undefined;
  readonly packageId: number | undefined;
  readonly why: string;
}

interface SensorRule {
  readonly chip: RegExp;
  readonly label: RegExp;
  readonly quantity?: 'energy' | 'power';
  readonly kind: EnergyDomainKind | undefined;
  readonly why: string;
}

/** Group 1 of `label`, where there is one, is the socket. The first rule that fits decides. */
const RULES: readonly SensorRule[] = [
  // NVIDIA Grace, ACPI meters by oem_info. Grace = CPU + SysIO + memory + regulators; Module = Grace + GPU.
  {
    chip: /^power_meter$/,
    label: /^grace power socket (\d+)$/i,
    kind: 'package',
    why: 'Grace socket: CPU, SysIO, memory and regulators',
  },
  {
    chip: /^power_meter$/,
    label: /^cpu power socket (\d+)$/i,
    kind: 'core',
    why: 'CPU rail inside the Grace socket',
  },
  {
    chip: /^power_meter$/,
    label: /^sysio power socket (\d+)$/i,
    kind: 'uncore',
    why: 'SysIO rail inside the Grace socket',
  },
  {
    chip: /^power_meter$/,
    label: /^module power socket (\d+)$/i,
    kind: undefined,
    why: 'module with its GPU: neither a package nor the whole machine',
  },
  {
    chip: /^power_meter$/,
    label: /^(?:total power socket|cpu power)\s*(\d+)?$/i,
    kind: 'package',
    why: 'CPU socket by its ACPI meter',
  },
  {
    chip: /^power_meter$/,
    label: /.*/,
    kind: 'platform',
    why: 'ACPI power meter of the whole machine',
  },
  // Ampere eMAG and Altra (xgene-hwmon), one chip per machine.
  {
    chip: /^apm_xgene$/,
    label: /^cpu power$/i,
    kind: 'package',
    why: 'CPU power of the Ampere SoC',
  },
  {
    chip: /^apm_xgene$/,
    label: /^io power$/i,
    kind: undefined,
    why: 'IO power of the SoC, outside its CPU power',
  },
  // amd_energy (out of tree since 5.13): one counter per socket and one per core.
  {
    chip: /^amd_energy$/,
    label: /^esocket(\d+)$/i,
    quantity: 'energy',
    kind: 'package',
    why: 'AMD socket energy',
  },
  {
    chip: /^amd_energy$/,
    label: /^ecore\d+$/i,
    kind: undefined,
    why: 'energy of one core: the package contains it',
  },
  // POWER servers: the service processor's total.
  {
    chip: /^ibmpowernv$/,
    label: /^system$/i,
    kind: 'platform',
    why: 'whole machine by its service processor',
  },
  {
    chip: /^corsairpsu$/,
    label: /^power total$/i,
    kind: 'platform',
    why: 'input of the power supply',
  },
];

export const meaningOfSensor = (
  chip: string,
  label: string,
  quantity: 'energy' | 'power',
): SensorMeaning => {
  for (const rule of RULES) {
    if (!rule.chip.test(chip) || (rule.quantity ?? quantity) !== quantity) continue;
    const match = rule.label.exec(label);
    if (match === null) continue;
    const isOfSocket = rule.kind !== undefined && rule.kind !== 'platform';
    return {
      kind: rule.kind,
      packageId: isOfSocket ? Number(match[1] ?? 0) : undefined,
      why: rule.why,
    };
  }
  return { kind: undefined, packageId: undefined, why: `no rule for chip ${chip}: not a CPU` };
};
