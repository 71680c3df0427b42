// SPDX-License-Identifier: Apache-2.0
/**
 * Watts per hardware thread by CPU generation, for machines that measure nothing.
 *
 * Numbers: minimum and maximum watts per thread of the Cloud Carbon Footprint project's
 * `output/coefficients-{aws,azure,gcp}-use.csv` (repository cloud-carbon-coefficients), which are means
 * over SPECpower_ssj2008 results (spec.org/power_ssj2008), rounded to 10 mW. SPECpower measures a
 * whole server at the plug: the figures contain memory, fans and power supply. CPU family and model:
 * the kernel's arch/x86/include/asm/intel-family.h and the family 17h/19h model ranges of AMD's
 * processor programming references.
 */
import type { CpuModel } from '../host/cpu-model.js';

export interface Architecture {
  readonly name: string;
  /** Per hardware thread. */
  readonly idleWatts: number;
  readonly maxWatts: number;
}

interface TableRow extends Architecture {
  readonly vendor: string;
  readonly family: number;
  /** Inclusive ranges of CPU models. */
  readonly models: readonly (readonly [number, number])[];
}

const INTEL = 'GenuineIntel';
const AMD = 'AuthenticAMD';

const ROWS: readonly TableRow[] = [
  {
    name: 'Sandy Bridge',
    vendor: INTEL,
    family: 6,
    models: [
      [0x2a, 0x2a],
      [0x2d, 0x2d],
    ],
    idleWatts: 2.17,
    maxWatts: 8.58,
  },
  {
    name: 'Ivy Bridge',
    vendor: INTEL,
    family: 6,
    models: [
      [0x3a, 0x3a],
      [0x3e, 0x3e],
    ],
    idleWatts: 3.04,
    maxWatts: 8.25,
  },
  {
    name: 'Haswell',
    vendor: INTEL,
    family: 6,
    models: [
      [0x3c, 0x3c],
      [0x3f, 0x3f],
      [0x45, 0x46],
    ],
    idleWatts: 1.9,
    maxWatts: 6.01,
  },
  {
    name: 'Broadwell',
    vendor: INTEL,
    family: 6,
    models: [
      [0x3d, 0x3d],
      [0x47, 0x47],
      [0x4f, 0x4f],
      [0x56, 0x56],
    ],
    idleWatts: 0.71,
    maxWatts: 3.69,
  },
  // 0x55 is Skylake-SP, Cascade Lake and Cooper Lake; the first two differ by 5 %.
  {
    name: 'Skylake',
    vendor: INTEL,
    family: 6,
    models: [
      [0x4e, 0x4e],
      [0x55, 0x55],
      [0x5e, 0x5e],
    ],
    idleWatts: 0.64,
    maxWatts: 4.19,
  },
  {
    name: 'Coffee Lake',
    vendor: INTEL,
    family: 6,
    models: [
      [0x8e, 0x8e],
      [0x9e, 0x9e],
    ],
    idleWatts: 1.14,
    maxWatts: 5.42,
  },
  {
    name: 'EPYC 1st Gen',
    vendor: AMD,
    family: 0x17,
    models: [[0x00, 0x0f]],
    idleWatts: 0.82,
    maxWatts: 2.55,
  },
  {
    name: 'EPYC 2nd Gen',
    vendor: AMD,
    family: 0x17,
    models: [[0x30, 0x3f]],
    idleWatts: 0.47,
    maxWatts: 1.69,
  },
  {
    name: 'EPYC 3rd Gen',
    vendor: AMD,
    family: 0x19,
    models: [[0x00, 0x0f]],
    idleWatts: 0.45,
    maxWatts: 2.02,
  },
];

/** undefined for a generation that SPECpower's figures do not cover: better no row than an invented one. */
export const architectureOf = (cpu: CpuModel): Architecture | undefined => {
  const { model } = cpu;
  if (model === undefined) return undefined;
  return ROWS.find(
    (row) =>
      row.vendor === cpu.vendor &&
      row.family === cpu.family &&
      row.models.some(([first, last]) => model >= first && model <= last),
  );
};
