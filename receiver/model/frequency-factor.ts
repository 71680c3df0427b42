// SPDX-License-Identifier: Apache-2.0
/**
 * phi(f): energy of one cycle at frequency f beside that at the reference frequency. Dynamic energy
 * goes with the voltage squared, and the voltage falls about linearly with the frequency until it
 * reaches a floor.
 */

/** Relative fall of the voltage over a relative fall of the frequency. */
export const VOLTAGE_SLOPE = 0.45;
/** The voltage's floor, relative to that at the reference frequency. */
export const VOLTAGE_FLOOR = 0.72;

/** The kernel's table: entry i holds for [i, i + 1) x this. 512 entries reach 8.2 GHz. */
export const FACTOR_STEP_MEGAHERTZ = 16;
export const FACTOR_STEPS = 512;

const KILOHERTZ_PER_MEGAHERTZ = 1_000;

/** max(v_min, 1 - s (1 - f/f_ref)) squared; 1 where either frequency is not known. */
export const frequencyFactor = (
  frequencyKhz: number | undefined,
  referenceKhz: number | undefined,
): number => {
  if (frequencyKhz === undefined || referenceKhz === undefined) return 1;
  if (!(frequencyKhz > 0) || !(referenceKhz > 0)) return 1;
  const voltage = 1 - VOLTAGE_SLOPE * (1 - frequencyKhz / referenceKhz);
  return Math.max(VOLTAGE_FLOOR, voltage) ** 2;
};

/** phi at the middle of each step, for the kernel to look up. */
export const frequencyFactorTable = (referenceKhz: number | undefined): readonly number[] =>
  Array.from({ length: FACTOR_STEPS }, (_, step) =>
    frequencyFactor((step + 0.5) * FACTOR_STEP_MEGAHERTZ * KILOHERTZ_PER_MEGAHERTZ, referenceKhz),
  );
