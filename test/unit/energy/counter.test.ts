// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BOGUS_VALUE, advanceCounter } from '../../../receiver/energy/counter.js';
import {
  INITIAL_COUNTER,
  type CounterReading,
  type CounterShape,
  type CounterStep,
} from '../../../receiver/energy/counter-state.js';
import { MICROJOULE_UNIT, parseEnergyUnit } from '../../../receiver/energy/energy-unit.js';
import { nanos } from '../../../receiver/model/units.js';

const SECOND = 1_000_000_000n;
const RANGE = 262_143_328_850n;

const shape = (over: Partial<CounterShape> = {}): CounterShape => ({
  unit: MICROJOULE_UNIT,
  maxRaw: RANGE,
  maxWatts: 400,
  mustMove: true,
  ...over,
});

const at = (seconds: number, raw: bigint, more: Partial<CounterReading> = {}): CounterReading => ({
  raw,
  atNanos: nanos(BigInt(Math.round(seconds * 1e9))),
  boottimeOffsetNanos: nanos(0n),
  ...more,
});

/** Runs readings through the counter and gives the steps. */
const run = (of: CounterShape, readings: readonly CounterReading[]): readonly CounterStep[] => {
  let state = INITIAL_COUNTER;
  return readings.map((reading) => {
    const advance = advanceCounter(of, state, reading);
    state = advance.state;
    return advance.step;
  });
};

const brief = (step: CounterStep): string => {
  switch (step._tag) {
    case 'First':
      return 'first';
    case 'Advanced':
      return `${step.wrapped ? 'wrap' : '+'}${String(step.deltaMicrojoules)}`;
    case 'Rejected':
      return step.reason;
  }
};
const briefs = (of: CounterShape, readings: readonly CounterReading[]): readonly string[] =>
  run(of, readings).map(brief);

const total = (steps: readonly CounterStep[]): bigint =>
  steps.reduce((sum, step) => (step._tag === 'Advanced' ? sum + step.deltaMicrojoules : sum), 0n);

describe('advanceCounter', () => {
  it('yields no energy on the first reading', () => {
    expect(briefs(shape(), [at(0, 5_000_000n)])).toEqual(['first']);
  });

  it('yields the difference and its span', () => {
    const [, step] = run(shape(), [at(0, 10n), at(1.5, 90_000_010n)]);
    expect(step).toEqual({
      _tag: 'Advanced',
      deltaMicrojoules: 90_000_000n,
      spanNanos: 1_500_000_000n,
      wrapped: false,
    });
  });

  it('wraps by the range of the zone plus one unit', () => {
    expect(briefs(shape(), [at(0, RANGE - 4n), at(1, 0n)])).toEqual(['first', 'wrap5']);
    const dram = shape({ maxRaw: 65_712_999_613n });
    expect(briefs(dram, [at(0, 65_712_999_613n), at(1, 6_000_000n)])).toEqual([
      'first',
      'wrap6000001',
    ]);
  });

  it('takes a fall that cannot be a wrap for a reset, at the cost of one window', () => {
    const readings = [
      at(0, 200_000_000_000n),
      at(1, 1_000n),
      at(2, 60_001_000n),
      at(3, 60_002_000n),
    ];
    expect(briefs(shape(), readings)).toEqual(['first', 'reset', '+60000000', '+1000']);
  });

  it('never wraps where the range is unknown', () => {
    const readings = [at(0, 900n), at(1, 5n), at(2, 25n)];
    expect(briefs(shape({ maxRaw: undefined }), readings)).toEqual(['first', 'reset', '+20']);
  });

  it('rejects more than the largest plausible power and loses nothing of it', () => {
    const readings = [at(0, 0n), at(1, 900_000_000n), at(2, 120_000_000n)];
    expect(briefs(shape(), readings)).toEqual(['first', 'implausible', '+120000000']);
  });

  it.each([
    ['above the range', RANGE + 1n],
    ['0xFFFFFFFF x 1000', BOGUS_VALUE],
    ['negative', -1n],
  ])('rejects a value %s and keeps the baseline', (_name, raw) => {
    expect(
      briefs(shape({ maxRaw: raw === BOGUS_VALUE ? undefined : RANGE }), [
        at(0, 100n),
        at(1, raw),
        at(2, 160n),
      ]),
    ).toEqual(['first', 'out-of-range', '+60']);
  });

  it('drops the window of a suspend, wrap or not, and goes on from there', () => {
    const slept = { boottimeOffsetNanos: nanos(3_600n * SECOND) };
    const readings = [at(0, 500n), at(1, 20n, slept), at(2, 70n, slept)];
    expect(briefs(shape(), readings)).toEqual(['first', 'suspend', '+50']);
  });

  it('bears the jitter of two clocks read one after the other', () => {
    const jitter = { boottimeOffsetNanos: nanos(900_000n) };
    expect(briefs(shape(), [at(0, 500n), at(1, 520n, jitter)])).toEqual(['first', '+20']);
  });

  it('starts afresh after a gap in which the counter may have wrapped twice', () => {
    // 262 kJ at 400 W is 655 s.
    const readings = [at(0, 0n), at(656, 1_000_000n), at(657, 1_000_500n)];
    expect(briefs(shape(), readings)).toEqual(['first', 'gap', '+500']);
    expect(briefs(shape(), [at(0, 0n), at(650, 1_000_000n)])).toEqual(['first', '+1000000']);
  });

  it('says that a package standing still is not counting, and books it all when it moves again', () => {
    const readings = [at(0, 7n), at(1, 7n), at(2, 7n), at(3, 150_000_007n)];
    const steps = run(shape(), readings);
    expect(steps.map(brief)).toEqual(['first', 'not-counting', 'not-counting', '+150000000']);
    expect(steps[3]).toMatchObject({ spanNanos: 3n * SECOND });
  });

  it('lets a sub-domain rest at its value', () => {
    const resting = shape({ mustMove: false });
    expect(briefs(resting, [at(0, 0n), at(1, 0n), at(2, 0n)])).toEqual(['first', '+0', '+0']);
  });

  it('lets a package rest for less than the probe waits', () => {
    expect(briefs(shape(), [at(0, 9n), at(0.02, 9n), at(0.04, 19n)])).toEqual([
      'first',
      '+0',
      '+10',
    ]);
  });

  it('judges a jump after short windows without a move over all of them', () => {
    const standing = Array.from({ length: 9 }, (_unused, window) => at(window * 0.02, 9n));
    // 60 J in 0.18 s is below 400 W x 0.2 s, and far above 400 W x 20 ms.
    expect(briefs(shape(), [...standing, at(0.18, 60_000_009n)]).at(-1)).toBe('+60000000');
    const longer = Array.from({ length: 12 }, (_unused, window) => at(window * 0.02, 9n));
    expect(briefs(shape(), longer).slice(-3)).toEqual(['+0', 'not-counting', 'not-counting']);
  });

  it('measures the first move after a reset from the first reading after it', () => {
    const readings = [at(0, 200_000_000_000n), at(1, 0n), at(2, 0n), at(3, 600_000_000n)];
    const steps = run(shape(), readings);
    expect(steps.map(brief)).toEqual(['first', 'reset', 'reset', '+600000000']);
    expect(steps[3]).toMatchObject({ spanNanos: 2n * SECOND });
  });

  it('believes a resting sub-domain that was reset after three equal readings', () => {
    const resting = shape({ mustMove: false, maxRaw: undefined });
    const readings = [at(0, 500n), at(1, 0n), at(2, 0n), at(3, 0n), at(4, 10n)];
    expect(briefs(resting, readings)).toEqual(['first', 'reset', 'reset', '+0', '+10']);
  });

  it('recovers from a garbage first reading within two windows', () => {
    const readings = [at(0, 99_000_000_000n), at(1, 60_000_000n), at(2, 120_000_000n)];
    expect(briefs(shape(), readings)).toEqual(['first', 'reset', '+60000000']);
  });

  it('does not take a stuck garbage value for a reset', () => {
    const stuck = 250_000_000_000n;
    const readings = [at(0, 0n), at(1, stuck), at(2, stuck), at(3, stuck), at(4, 240_000_000n)];
    expect(briefs(shape(), readings)).toEqual([
      'first',
      'implausible',
      'implausible',
      'implausible',
      '+240000000',
    ]);
  });

  it('takes a step back by a few units for noise', () => {
    const readings = [at(0, 0n), at(1, 50_000_000n), at(2, 49_999_939n), at(3, 150_000_000n)];
    expect(briefs(shape(), readings)).toEqual(['first', '+50000000', 'reset', '+100000000']);
  });

  describe('of a perf event', () => {
    const unit = parseEnergyUnit('2.3283064365386962890625e-10') ?? MICROJOULE_UNIT;
    const perf = shape({ unit, maxRaw: undefined });
    const counted = (enabled: number, running = enabled): Partial<CounterReading> => ({
      perf: {
        enabledNanos: BigInt(enabled) * SECOND,
        runningNanos: BigInt(running) * SECOND,
      },
    });

    it('rejects a span in which the event did not count all the time', () => {
      const joule = 1n << 32n;
      const readings = [
        at(0, 0n, counted(1)),
        at(1, joule, counted(2)),
        at(2, 2n * joule, { perf: { enabledNanos: 3n * SECOND, runningNanos: 2_500_000_000n } }),
        at(3, 3n * joule, { perf: { enabledNanos: 4n * SECOND, runningNanos: 3_500_000_000n } }),
      ];
      expect(briefs(perf, readings)).toEqual(['first', '+1000000', 'not-counting', '+1000000']);
    });

    it('rejects an event that never ran', () => {
      expect(briefs(perf, [at(0, 0n, counted(0)), at(1, 0n, counted(0))])).toEqual([
        'first',
        'not-counting',
      ]);
    });

    it('starts afresh when the event was opened again', () => {
      const readings = [
        at(0, 1n << 40n, counted(9)),
        at(1, 5n, counted(1)),
        at(2, 1n << 32n, counted(2)),
      ];
      expect(briefs(perf, readings)).toEqual(['first', 'reset', '+999999']);
    });

    it('never drifts: 20,000 odd steps add up to the floor of their sum', () => {
      let state = INITIAL_COUNTER;
      let raw = 0n;
      let sum = 0n;
      for (let step = 0; step <= 20_000; step += 1) {
        const advance = advanceCounter(perf, state, at(step, raw, counted(step + 1)));
        state = advance.state;
        if (advance.step._tag === 'Advanced') sum += advance.step.deltaMicrojoules;
        raw += 12_345_678_901n + BigInt(step % 7);
      }
      const last = raw - (12_345_678_901n + BigInt(20_000 % 7));
      expect(sum).toBe((last * 1_000_000n) >> 32n);
    });
  });

  describe('laws', () => {
    /** Millijoules per 1 s window up to 390 J, and where the counter starts. */
    const energies = fc.array(fc.bigInt({ min: 1n, max: 390_000_000n }), {
      minLength: 1,
      maxLength: 60,
    });
    const start = fc.bigInt({ min: 0n, max: RANGE });
    const isGarbage = (value: bigint, truth: bigint): boolean => {
      const forward = (value - truth + 2n * (RANGE + 1n)) % (RANGE + 1n);
      // Neither a plausible advance nor one that the good reading behind it follows from.
      return forward > 30_000_000_000n && forward < RANGE - 30_000_000_000n;
    };

    it('sums to the true energy over any number of wraps', () => {
      fc.assert(
        fc.property(start, energies, (from, deltas) => {
          let truth = from;
          const readings = [at(0, from)];
          deltas.forEach((delta, index) => {
            truth += delta;
            readings.push(at(index + 1, truth % (RANGE + 1n)));
          });
          const steps = run(shape(), readings);
          expect(total(steps)).toBe(truth - from);
          expect(steps.slice(1).every((step) => step._tag === 'Advanced')).toBe(true);
        }),
      );
    });

    it('loses nothing to isolated garbage and never books it', () => {
      fc.assert(
        fc.property(
          start,
          fc.array(
            fc.record({
              energy: fc.bigInt({ min: 1n, max: 390_000_000n }),
              garbage: fc.option(fc.bigInt({ min: 0n, max: 2n * RANGE }), { nil: undefined }),
            }),
            { minLength: 1, maxLength: 40 },
          ),
          (from, windows) => {
            let truth = from;
            let seconds = 0;
            const readings = [at(0, from)];
            const push = (raw: bigint): void => {
              seconds += 1;
              readings.push(at(seconds, raw));
            };
            for (const { energy, garbage } of windows) {
              const honest = truth % (RANGE + 1n);
              if (garbage !== undefined && (garbage > RANGE || isGarbage(garbage, honest)))
                push(garbage);
              truth += energy;
              push(truth % (RANGE + 1n));
            }
            expect(total(run(shape(), readings))).toBe(truth - from);
          },
        ),
      );
    });

    it('never yields negative energy, more than the plausible power, or an energy without a span', () => {
      fc.assert(
        fc.property(
          fc.array(
            fc.tuple(fc.bigInt({ min: -5n, max: 2n * RANGE }), fc.integer({ min: 1, max: 900 })),
            {
              minLength: 1,
              maxLength: 40,
            },
          ),
          (pairs) => {
            let seconds = 0;
            const readings = pairs.map(([raw, gap]) => at((seconds += gap), raw));
            for (const step of run(shape(), readings)) {
              if (step._tag !== 'Advanced') continue;
              expect(step.deltaMicrojoules).toBeGreaterThanOrEqual(0n);
              expect(step.spanNanos).toBeGreaterThan(0n);
              const ceiling = (400_000_000n * (step.spanNanos + 20_000_000n)) / SECOND + 1n;
              expect(step.deltaMicrojoules).toBeLessThanOrEqual(ceiling);
            }
          },
        ),
      );
    });
  });
});
