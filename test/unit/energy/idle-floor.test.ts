// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  advanceIdleFloor,
  initialIdleFloor,
  type IdleFloorState,
} from '../../../receiver/energy/idle-floor.js';
import { nanos, watts } from '../../../receiver/model/units.js';

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
});
