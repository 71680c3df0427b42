// SPDX-License-Identifier: Apache-2.0
/** Quantities as a person reads them. Every function says its unit or prints it. */
import { JOULES_PER_KILOWATT_HOUR, JOULES_PER_WATT_HOUR } from '../../model/units.js';

/** From here a number of joules says less than watt-hours: 10 kJ are 2.8 Wh. */
const WATT_HOURS_FROM_JOULES = 10_000;

/** Watts without unit. Milliwatts stay visible; exactly nothing is `0`. */
export const wattsText = (powerWatts: number): string => {
  const size = Math.abs(powerWatts);
  if (size === 0) return '0';
  if (size < 1) return powerWatts.toFixed(3);
  return powerWatts.toFixed(size < 1000 ? 2 : 1);
};

/** Four significant digits at least, the unit behind. */
const withUnit = (value: number, unit: string): string => {
  const size = Math.abs(value);
  const decimals = size < 10 ? 3 : size < 100 ? 2 : size < 1000 ? 1 : 0;
  return `${value.toFixed(decimals)} ${unit}`;
};

/** J, Wh from 10 kJ, kWh from one. */
export const energyText = (energyJoules: number): string => {
  const size = Math.abs(energyJoules);
  if (size === 0) return '0 J';
  if (size < WATT_HOURS_FROM_JOULES) return withUnit(energyJoules, 'J');
  return size < JOULES_PER_KILOWATT_HOUR
    ? withUnit(energyJoules / JOULES_PER_WATT_HOUR, 'Wh')
    : withUnit(energyJoules / JOULES_PER_KILOWATT_HOUR, 'kWh');
};

/** Per cent of one CPU. */
export const cpuText = (cpuRatio: number): string => (cpuRatio * 100).toFixed(1);

export const percentText = (ratio: number): string => `${(ratio * 100).toFixed(1)} %`;

export const secondsText = (durationSeconds: number): string =>
  `${durationSeconds.toFixed(durationSeconds < 10 ? 1 : 0)} s`;
