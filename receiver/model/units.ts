// SPDX-License-Identifier: Apache-2.0
/**
 * Branded units and the only conversions between them.
 *
 * Raw energy and clock values are `bigint`: microjoule totals pass 2^53 after 104 days at 1 kW. What
 * one window adds stays far below 2^53, so per-window times are `number`.
 */
declare const unit: unique symbol;
interface Unit<Name extends string> {
  readonly [unit]: Name;
}

/** Energy, integer microjoules. Every sum that must be exact is kept in this unit. */
export type Microjoules = bigint & Unit<'uJ'>;
/** Energy for people and for export. */
export type Joules = number & Unit<'J'>;
export type Watts = number & Unit<'W'>;
/** A point on CLOCK_MONOTONIC or a long duration. */
export type Nanos = bigint & Unit<'ns'>;
/** A duration inside one window: below 2^53. */
export type WindowNanos = number & Unit<'window-ns'>;

export const NANOS_PER_SECOND = 1_000_000_000;
export const NANOS_PER_MILLISECOND = 1_000_000;
export const MICROJOULES_PER_JOULE = 1_000_000;
export const MICROWATTS_PER_WATT = 1_000_000;
export const JOULES_PER_KILOWATT_HOUR = 3_600_000;
export const JOULES_PER_WATT_HOUR = 3600;
export const MILLIS_PER_SECOND = 1000;

export const microjoules = (value: bigint): Microjoules => value as Microjoules;
export const nanos = (value: bigint): Nanos => value as Nanos;
export const windowNanos = (value: number): WindowNanos => value as WindowNanos;
export const watts = (value: number): Watts => value as Watts;
export const joules = (value: number): Joules => value as Joules;

export const ZERO_MICROJOULES: Microjoules = microjoules(0n);

export const addMicrojoules = (a: Microjoules, b: Microjoules): Microjoules =>
  (a + b) as Microjoules;
export const subtractMicrojoules = (a: Microjoules, b: Microjoules): Microjoules =>
  (a - b) as Microjoules;

/** Exact up to 2^53 J with microjoule resolution lost only beyond 9 TJ of total. */
export const joulesOf = (energyMicrojoules: Microjoules): Joules => {
  const whole = energyMicrojoules / 1_000_000n;
  const rest = energyMicrojoules % 1_000_000n;
  return (Number(whole) + Number(rest) / MICROJOULES_PER_JOULE) as Joules;
};

/** Rounds to the nearest microjoule. */
export const microjoulesOfJoules = (energyJoules: number): Microjoules =>
  BigInt(Math.round(energyJoules * MICROJOULES_PER_JOULE)) as Microjoules;

/** Mean power of an energy over a span; 0 for an empty span. */
export const meanWatts = (energyMicrojoules: Microjoules, spanNanos: Nanos): Watts =>
  (spanNanos <= 0n ? 0 : (Number(energyMicrojoules) * 1000) / Number(spanNanos)) as Watts;

/** Energy of a constant power over a span, rounded down to the microjoule. */
export const energyOf = (powerWatts: Watts, spanNanos: Nanos): Microjoules =>
  BigInt(Math.floor((powerWatts * Number(spanNanos)) / 1000)) as Microjoules;

export const secondsOf = (durationNanos: Nanos | WindowNanos): number =>
  Number(durationNanos) / NANOS_PER_SECOND;

export const millisToNanos = (durationMillis: number): Nanos =>
  BigInt(Math.round(durationMillis * NANOS_PER_MILLISECOND)) as Nanos;
