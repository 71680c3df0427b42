// SPDX-License-Identifier: Apache-2.0
/**
 * Sensors that say power but not energy: their readings are integrated by the trapezoid rule. The
 * joules are still measured, with the error of everything that happened between two readings.
 */
import type { RejectReason } from '../model/window.js';
import {
  MICROWATTS_PER_WATT,
  NANOS_PER_SECOND,
  microjoules,
  nanos,
  type Nanos,
} from '../model/units.js';
import { BOGUS_VALUE } from './counter.js';
import type { CounterStep } from './counter-state.js';

export interface PowerReading {
  readonly microwatts: bigint;
  readonly atNanos: Nanos;
  readonly boottimeOffsetNanos: Nanos;
}

export interface PowerState {
  readonly last: PowerReading | undefined;
  /** A reading failed or was rejected since `last`. */
  readonly isBroken: boolean;
  /** Fraction of a microjoule not handed out yet, in 1/POWER_DENOMINATOR. */
  readonly remainder: bigint;
}

export const INITIAL_POWER: PowerState = { last: undefined, isBroken: false, remainder: 0n };

/** (uW + uW) x ns -> uJ: half of 10^-9. */
const POWER_DENOMINATOR = 2n * BigInt(NANOS_PER_SECOND);
/** Across a failed reading the line between its neighbours is drawn over no more than this. */
const BRIDGE_LIMIT_NANOS = 10_000_000_000n;
const SUSPEND_TOLERANCE_NANOS = 50_000_000n;

interface PowerAdvance {
  readonly step: CounterStep;
  readonly state: PowerState;
}

const rejected = (state: PowerState, reason: RejectReason, detail: string): PowerAdvance => ({
  step: { _tag: 'Rejected', reason, detail },
  state,
});

export const breakPower = (state: PowerState): PowerState => ({ ...state, isBroken: true });

/** Pure. The first reading only opens the span; sums never drift because the fraction is carried. */
export const advancePower = (
  maxWatts: number,
  state: PowerState,
  reading: PowerReading,
): PowerAdvance => {
  const { microwatts, atNanos } = reading;
  if (microwatts < 0n || microwatts === BOGUS_VALUE)
    return rejected(breakPower(state), 'out-of-range', `power ${String(microwatts)} uW`);
  if (Number(microwatts) > maxWatts * MICROWATTS_PER_WATT)
    return rejected(
      breakPower(state),
      'implausible',
      `${String(microwatts)} uW is more than ${String(maxWatts)} W can be`,
    );
  const next: PowerState = { ...state, last: reading, isBroken: false };
  const { last } = state;
  if (last === undefined) return { step: { _tag: 'First' }, state: next };
  if (reading.boottimeOffsetNanos - last.boottimeOffsetNanos > SUSPEND_TOLERANCE_NANOS)
    return rejected(next, 'suspend', 'machine slept since the last reading');
  const span = atNanos - last.atNanos;
  if (state.isBroken && span > BRIDGE_LIMIT_NANOS)
    return rejected(next, 'gap', `${String(span / 1_000_000n)} ms without a power reading`);
  const scaled = (last.microwatts + microwatts) * span + state.remainder;
  return {
    step: {
      _tag: 'Advanced',
      deltaMicrojoules: microjoules(scaled / POWER_DENOMINATOR),
      spanNanos: nanos(span),
      wrapped: false,
    },
    state: { ...next, remainder: scaled % POWER_DENOMINATOR },
  };
};
