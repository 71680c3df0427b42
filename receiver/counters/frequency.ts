// SPDX-License-Identifier: Apache-2.0
/** What cpufreq says of each CPU: where its current frequency is read, and what phi(f) refers to. */
import type { CpuModel } from '../host/cpu-model.js';
import { integerAt, textAt } from '../host/values.js';
import { frequencyFactorTable } from '../model/frequency-factor.js';
import type { HostTopology } from '../model/host-topology.js';

const KILOHERTZ_PER_GIGAHERTZ = 1_000_000;

const cpufreqOf = (sysfs: string, cpu: number): string =>
  `${sysfs}/devices/system/cpu/cpu${String(cpu)}/cpufreq`;

const kilohertzAt = (path: string): number | undefined => {
  const value = integerAt(path);
  return value !== undefined && value > 0n && value < 2n ** 32n ? Number(value) : undefined;
};

/** `… @ 2.00GHz`, as Intel writes its base frequency into the name. */
const ofName = (name: string): number | undefined => {
  const gigahertz = /@\s*(\d+(?:\.\d+)?)\s*GHz/i.exec(name)?.[1];
  return gigahertz === undefined ? undefined : Number(gigahertz) * KILOHERTZ_PER_GIGAHERTZ;
};

/**
 * f_ref of a CPU, kHz: its base frequency, else the nominal one of ACPI CPPC (arm64, AMD), else the one
 * in its name, else its highest. Which of them it is only scales phi, and shares do not see that.
 */
export const referenceKhz = (
  sysfs: string,
  cpu: number,
  { name }: CpuModel,
): number | undefined => {
  const cpufreq = cpufreqOf(sysfs, cpu);
  const nominalMegahertz = kilohertzAt(
    `${sysfs}/devices/system/cpu/cpu${String(cpu)}/acpi_cppc/nominal_freq`,
  );
  return (
    kilohertzAt(`${cpufreq}/base_frequency`) ??
    (nominalMegahertz === undefined ? undefined : nominalMegahertz * 1_000) ??
    ofName(name) ??
    kilohertzAt(`${cpufreq}/cpuinfo_max_freq`)
  );
};

/** One table per CPU domain, from the reference frequency of its first CPU. */
export const frequencyFactorsOf = (
  sysfs: string,
  topology: HostTopology,
  model: CpuModel,
): readonly (readonly number[])[] =>
  topology.cpuDomains.map(({ index }) => {
    const first = topology.cpus.find(({ cpuDomain, isOnline }) => cpuDomain === index && isOnline);
    return frequencyFactorTable(
      first === undefined ? undefined : referenceKhz(sysfs, first.cpu, model),
    );
  });

/** Index = CPU number; empty where cpufreq does not know the CPU. */
export const frequencyFilesOf = (sysfs: string, cpuCount: number): readonly string[] =>
  Array.from({ length: cpuCount }, (_, cpu) => {
    const path = `${cpufreqOf(sysfs, cpu)}/scaling_cur_freq`;
    return textAt(path) === undefined ? '' : path;
  });
