// SPDX-License-Identifier: Apache-2.0
/** Power that the discharging batteries deliver together, from one window's raw readings. Pure. */
import * as E from 'fp-ts/lib/Either.js';
import type { RawReading } from '../model/activity.js';
import { MICROWATTS_PER_WATT, type Nanos } from '../model/units.js';
import { readingsOfBattery, type BatteryInputs } from './measure.js';
import { readingInteger, readingText, type ReadFailure } from './readings.js';

export interface BatteryPower {
  readonly microwatts: bigint;
  readonly atNanos: Nanos;
}

/** Some drivers give the discharge as a negative number. */
const magnitude = (value: bigint): bigint => (value < 0n ? -value : value);

const NOT_READ: ReadFailure = { reason: 'unreadable', detail: 'was not read' };

const dischargeOf = (
  { inputs }: BatteryInputs,
  readings: readonly RawReading[],
): E.Either<ReadFailure, BatteryPower | undefined> => {
  const [status, first, second] = readings;
  if (status === undefined || first === undefined) return E.left(NOT_READ);
  const state = readingText(status);
  if (E.isLeft(state)) return state;
  if (state.right !== 'Discharging') return E.right(undefined);
  const value = readingInteger(first);
  if (E.isLeft(value)) return value;
  const atNanos = first.afterNanos;
  if (inputs === 'power') return E.right({ microwatts: magnitude(value.right), atNanos });
  if (second === undefined) return E.left(NOT_READ);
  const microvolts = readingInteger(second);
  if (E.isLeft(microvolts)) return microvolts;
  // uA x uV = pW.
  const picowatts = magnitude(value.right) * magnitude(microvolts.right);
  return E.right({ microwatts: picowatts / BigInt(MICROWATTS_PER_WATT), atNanos });
};

/** undefined: none discharges. `readings`: those of the batteries, one behind the other. */
export const readBattery = (
  batteries: readonly BatteryInputs[],
  readings: readonly RawReading[],
): E.Either<ReadFailure, BatteryPower | undefined> => {
  let total: BatteryPower | undefined;
  let next = 0;
  for (const battery of batteries) {
    const count = readingsOfBattery(battery);
    const power = dischargeOf(battery, readings.slice(next, next + count));
    next += count;
    if (E.isLeft(power)) return power;
    if (power.right === undefined) continue;
    total = {
      microwatts: (total?.microwatts ?? 0n) + power.right.microwatts,
      atNanos: power.right.atNanos,
    };
  }
  return E.right(total);
};
