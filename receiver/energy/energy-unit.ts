// SPDX-License-Identifier: Apache-2.0
/**
 * Exact conversion of a counter's units to microjoules. perf counts in 2^-32 J, which no binary
 * double product may round per window: the fraction is carried, so sums never drift.
 */
import { microjoules, type Microjoules } from '../model/units.js';

/** Microjoules per raw unit, as a fraction. */
export interface EnergyUnit {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

export const MICROJOULE_UNIT: EnergyUnit = { numerator: 1n, denominator: 1n };

/** Exponent of ten from joules to microjoules. */
const MICRO_EXPONENT = 6;
/** 10^-60 J is far below any counter; bounds the size of the fraction a hostile file can ask for. */
const EXPONENT_LIMIT = 60;

const power10 = (exponent: number): bigint => 10n ** BigInt(exponent);

/**
 * The decimal text of a perf `.scale` file (joules per unit), e.g. `2.3283064365386962890625e-10`,
 * which is exactly 2^-32. undefined unless it is a positive number.
 */
export const parseEnergyUnit = (scaleText: string): EnergyUnit | undefined => {
  const match = /^(\d{1,40})(?:\.(\d{1,60}))?(?:e([+-]?\d{1,3}))?$/i.exec(scaleText.trim());
  if (match?.[1] === undefined) return undefined;
  const fraction = match[2] ?? '';
  const digits = BigInt(match[1] + fraction);
  const exponent = Number(match[3] ?? 0) - fraction.length + MICRO_EXPONENT;
  if (digits === 0n || Math.abs(exponent) > EXPONENT_LIMIT) return undefined;
  return exponent >= 0
    ? { numerator: digits * power10(exponent), denominator: 1n }
    : { numerator: digits, denominator: power10(-exponent) };
};

/** Whole microjoules of `rawUnits` and the fraction's remainder (in 1/denominator) to carry on. */
export const convertUnits = (
  unit: EnergyUnit,
  rawUnits: bigint,
  remainder: bigint,
): { readonly energyMicrojoules: Microjoules; readonly remainder: bigint } => {
  const scaled = rawUnits * unit.numerator + remainder;
  return {
    energyMicrojoules: microjoules(scaled / unit.denominator),
    remainder: scaled % unit.denominator,
  };
};
