// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BOGUS_VALUE } from '../../../receiver/energy/counter.js';
import type { CounterStep } from '../../../receiver/energy/counter-state.js';
import { INITIAL_POWER, advancePower, breakPower } from '../../../receiver/energy/power.js';
import { nanos } from '../../../receiver/model/units.js';

const MAX_WATTS = 2000;

/** [seconds, microwatts] or a broken reading. */
type Event = readonly [number, bigint] | 'broken';

const run = (events: readonly Event[], sleptFrom = Infinity): readonly CounterStep[] => {
  let state = INITIAL_POWER;
  return events.flatMap((event) => {
    if (event === 'broken') {
      state = breakPower(state);
      return [];
    }
    const [seconds, microwatts] = event;
    const advance = advancePower(MAX_WATTS, state, {
      microwatts,
      atNanos: nanos(BigInt(Math.round(seconds * 1e9))),
      boottimeOffsetNanos: nanos(seconds >= sleptFrom ? 9_000_000_000n : 0n),
    });
    state = advance.state;
    return [advance.step];
  });
};
const brief = (step: CounterStep): string =>
  step._tag === 'Advanced'
    ? `+${String(step.deltaMicrojoules)}`
    : step._tag === 'First'
      ? 'first'
      : step.reason;

describe('advancePower', () => {
  it('integrates by the trapezoid rule', () => {
    expect(
      run([
        [0, 10_000_000n],
        [2, 30_000_000n],
      ]).map(brief),
    ).toEqual(['first', '+40000000']);
  });

  it('carries the fraction of a microjoule', () => {
    const steps = run(Array.from({ length: 1001 }, (_unused, i): Event => [i * 0.001, 1_500n]));
    const sum = steps.reduce(
      (total, s) => (s._tag === 'Advanced' ? total + s.deltaMicrojoules : total),
      0n,
    );
    expect(sum).toBe(1_500n);
  });

  it.each([
    [BOGUS_VALUE, 'out-of-range'],
    [-1n, 'out-of-range'],
    [2_000_000_001n, 'implausible'],
  ])('rejects a power of %s uW', (microwatts, reason) => {
    expect(
      run([
        [0, 1_000_000n],
        [1, microwatts],
        [2, 1_000_000n],
      ]).map(brief),
    ).toEqual([
      'first',
      reason,
      // The neighbours of one bad reading are joined by a line.
      '+2000000',
    ]);
  });

  it('bridges a failed reading, but not a long outage', () => {
    expect(run([[0, 5_000_000n], 'broken', [2, 5_000_000n]]).map(brief)).toEqual([
      'first',
      '+10000000',
    ]);
    expect(run([[0, 5_000_000n], 'broken', [11, 5_000_000n], [12, 5_000_000n]]).map(brief)).toEqual(
      ['first', 'gap', '+5000000'],
    );
  });

  it('says nothing about the time asleep', () => {
    expect(
      run(
        [
          [0, 5_000_000n],
          [1, 5_000_000n],
          [2, 5_000_000n],
        ],
        1,
      ).map(brief),
    ).toEqual(['first', 'suspend', '+5000000']);
  });

  it('never yields negative energy', () => {
    fc.assert(
      fc.property(fc.array(fc.bigInt({ min: -10n, max: 3_000_000_000n })), (values) => {
        for (const step of run(values.map((value, index): Event => [index, value])))
          if (step._tag === 'Advanced') expect(step.deltaMicrojoules).toBeGreaterThanOrEqual(0n);
      }),
    );
  });
});
