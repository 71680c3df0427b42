// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  advanceIdleFloor,
  initialIdleFloor,
  settleIdle,
  type IdleFloorState,
} from '../../../receiver/energy/idle-floor.js';
import { microjoules, nanos, watts } from '../../../receiver/model/units.js';

const SECOND = nanos(1_000_000_000n);

const feed = (
  state: IdleFloorState,
  powers: readonly number[],
  busyRatio: number,
  spanNanos = SECOND,
): IdleFloorState =>
  powers.reduce(
    (next, power) => advanceIdleFloor(next, { powerWatts: watts(power), busyRatio, spanNanos }),
    state,
  );
const repeat = (power: number, times: number): readonly number[] =>
  Array.from({ length: times }, () => power);

describe('advanceIdleFloor', () => {
  it('is unknown until enough quiet windows were seen', () => {
    const four = feed(initialIdleFloor(undefined), repeat(12, 4), 0);
    expect(four.floorWatts).toBeUndefined();
    expect(feed(four, [12], 0).floorWatts).toBe(12);
  });

  it('learns nothing from busy windows while it is unknown', () => {
    expect(feed(initialIdleFloor(undefined), repeat(80, 1000), 0.5).floorWatts).toBeUndefined();
  });

  it('does not rise under load, however long', () => {
    const idle = feed(initialIdleFloor(undefined), repeat(12, 50), 0.001);
    expect(feed(idle, repeat(200, 10_000), 1).floorWatts).toBe(12);
  });

  it('falls at once to any lower power, even of a busy window', () => {
    const idle = feed(initialIdleFloor(undefined), repeat(12, 50), 0);
    expect(feed(idle, [9.5, 9.5], 0.3).floorWatts).toBe(9.5);
  });

  it('rises slowly with quiet windows that draw more, and stops at their level', () => {
    const cold = feed(initialIdleFloor(undefined), repeat(12, 10), 0);
    const minute = feed(cold, repeat(13, 200), 0);
    expect(minute.floorWatts).toBeGreaterThan(12);
    expect(minute.floorWatts).toBeLessThan(12.3);
    expect(feed(cold, repeat(13, 5_000), 0).floorWatts).toBeCloseTo(13, 6);
  });

  it('recovers from one reading that was too low', () => {
    const idle = feed(initialIdleFloor(undefined), repeat(12, 130), 0);
    const hurt = feed(idle, [0, 0], 0);
    expect(hurt.floorWatts).toBe(0);
    expect(feed(hurt, repeat(12, 7_000), 0).floorWatts).toBeCloseTo(12, 6);
  });

  it('lets the configured floor win', () => {
    const state = feed(initialIdleFloor(8), [...repeat(3, 100), 500], 0);
    expect(state.floorWatts).toBe(8);
  });

  it('sums short windows up, so that a counter’s jitter does not make the floor', () => {
    const short = nanos(50_000_000n);
    // 0.4 ms of energy more in one window and less in the next.
    const jittering = Array.from({ length: 400 }, (_, at) => 12 * (at % 2 === 0 ? 1.008 : 0.992));
    const state = feed(initialIdleFloor(undefined), jittering, 0, short);
    expect(state.floorWatts).toBeCloseTo(12, 9);
    expect(feed(initialIdleFloor(undefined), repeat(1, 50), 0, short).floorWatts).toBeUndefined();
  });

  it('takes off what little ran in a quiet window, half of it at most', () => {
    const with_ = (activeWatts: number): number | undefined => {
      let state = initialIdleFloor(undefined);
      for (let at = 0; at < 10; at++)
        state = advanceIdleFloor(state, {
          powerWatts: watts(12),
          busyRatio: 0.01,
          spanNanos: SECOND,
          activeWatts,
        });
      return state.floorWatts;
    };
    expect(with_(0.5)).toBe(11.5);
    expect(with_(50)).toBe(6);
    expect(with_(-3)).toBe(12);
  });

  it('is never above the lowest power seen before the first rise', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.tuple(
            fc.double({ min: 1, max: 300, noNaN: true }),
            fc.double({ min: 0, max: 1, noNaN: true }),
          ),
          {
            minLength: 1,
            maxLength: 100,
          },
        ),
        (windows) => {
          let state = initialIdleFloor(undefined);
          for (const [power, busy] of windows) {
            state = feed(state, [power, power], busy);
            if (state.floorWatts !== undefined && busy >= 0.02)
              expect(state.floorWatts).toBeLessThanOrEqual(power * 1.002);
          }
        },
      ),
    );
  });

  describe('on a host that never rests', () => {
    const TENTH = 0.1;
    const light = (
      state: IdleFloorState,
      times: number,
      window: { readonly powerWatts: number; readonly activeWatts?: number },
    ): IdleFloorState => {
      let next = state;
      for (let at = 0; at < times; at++)
        next = advanceIdleFloor(next, {
          powerWatts: watts(window.powerWatts),
          activeWatts: window.activeWatts,
          busyRatio: TENTH,
          spanNanos: SECOND,
        });
      return next;
    };

    it('takes light windows less what ran in them, provisionally', () => {
      const seven = light(initialIdleFloor(undefined), 7, { powerWatts: 18, activeWatts: 4 });
      expect(seven.floorWatts).toBeUndefined();
      const eight = light(seven, 1, { powerWatts: 18, activeWatts: 4 });
      expect(eight).toMatchObject({ floorWatts: 14, isProvisional: true });
    });

    it('learns nothing from light windows in which nothing is predicted', () => {
      const state = light(initialIdleFloor(undefined), 100, { powerWatts: 18 });
      expect(state.floorWatts).toBeUndefined();
    });

    it('is not moved by a single light window that was predicted wrong', () => {
      const known = light(initialIdleFloor(undefined), 20, { powerWatts: 18, activeWatts: 4 });
      const odd = light(known, 2, { powerWatts: 18, activeWatts: 9 });
      expect(odd.floorWatts).toBe(14);
    });

    it('gives way to quiet windows, up or down', () => {
      const light14 = light(initialIdleFloor(undefined), 20, { powerWatts: 18, activeWatts: 4 });
      for (const power of [12, 15.5]) {
        const quiet = feed(light14, repeat(power, 5), 0.001);
        expect(quiet.floorWatts).toBeCloseTo(power, 6);
        expect(quiet.isProvisional).toBe(false);
        expect(light(quiet, 50, { powerWatts: 30, activeWatts: 4 }).floorWatts).toBe(
          quiet.floorWatts,
        );
      }
    });

    it('leaves a configured floor alone', () => {
      const state = light(initialIdleFloor(13), 50, { powerWatts: 18, activeWatts: 1 });
      expect(state).toMatchObject({ floorWatts: 13, isProvisional: false });
    });
  });
});

describe('settleIdle', () => {
  const TEN_WATTS: IdleFloorState = { ...initialIdleFloor(undefined), floorWatts: watts(10) };
  const IDLE_MICROJOULES = 10_000_000n;

  /** Energy above idle as the attribution takes it: what is left beside the idle energy and what is owed. */
  const activeOf = (energies: readonly bigint[]): bigint => {
    let state = TEN_WATTS;
    let active = 0n;
    for (const energy of energies) {
      const idle = IDLE_MICROJOULES + state.owedMicrojoules;
      if (energy > idle) active += energy - idle;
      state = settleIdle(state, microjoules(energy), SECOND);
    }
    return active;
  };

  it('makes no active energy of a counter that only moves energy over the windows\u2019 edges', () => {
    const lag = fc.integer({ min: 0, max: 10_000 });
    fc.assert(
      fc.property(fc.array(lag, { minLength: 2, maxLength: 300 }), (lags) => {
        // each reading is up to 1 ms old: what one window lacks the next has too much
        const energies = lags
          .slice(1)
          .map((late, at) => IDLE_MICROJOULES - BigInt(late) + BigInt(lags[at] ?? 0));
        expect(activeOf(energies)).toBeLessThanOrEqual(10_000n);
      }),
    );
  });

  it('leaves all that was really drawn above idle', () => {
    const drawn = fc.bigInt({ min: 0n, max: 50_000_000n });
    fc.assert(
      fc.property(fc.array(drawn, { minLength: 1, maxLength: 50 }), (extra) => {
        const sum = extra.reduce((a, b) => a + b, 0n);
        expect(activeOf(extra.map((one) => IDLE_MICROJOULES + one))).toBe(sum);
      }),
    );
  });

  it('owes no more than one update of the slowest counter, however wrong the floor is', () => {
    const state = [0n, 0n, 0n].reduce(
      (next, energy) => settleIdle(next, microjoules(energy), SECOND),
      TEN_WATTS,
    );
    expect(state.owedMicrojoules).toBe(200_000n);
    expect(settleIdle(state, microjoules(20_000_000n), SECOND).owedMicrojoules).toBe(0n);
  });
});
