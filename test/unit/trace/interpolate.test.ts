// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { valueAt } from '../../../receiver/trace/interpolate.js';

const value = (atNanos: bigint, reading: bigint) => ({ atNanos, value: reading });

describe('valueAt', () => {
  it('lies on the line between the two readings', () => {
    expect(valueAt(value(0n, 100n), value(10n, 200n), 3n, undefined, true)).toBe(130n);
  });

  it('goes on over the wrap of a counter', () => {
    expect(valueAt(value(0n, 90n), value(10n, 9n), 5n, 99n, true)).toBe(99n);
    expect(valueAt(value(0n, 90n), value(10n, 9n), 8n, 99n, true)).toBe(5n);
  });

  it('is unknown where a counter fell that cannot wrap', () => {
    expect(valueAt(value(0n, 90n), value(10n, 9n), 5n, undefined, true)).toBeUndefined();
  });

  it('falls with a power that falls', () => {
    expect(valueAt(value(0n, 90n), value(10n, 40n), 5n, undefined, false)).toBe(65n);
  });

  it('never leaves the span and never falls in time', () => {
    const point = fc.bigInt({ min: 0n, max: 2n ** 63n });
    fc.assert(
      fc.property(point, point, fc.nat(1000), fc.nat(1000), (a, b, x, y) => {
        const [low, high] = a < b ? [a, b] : [b, a];
        const at = (ms: number) =>
          valueAt(value(0n, low), value(1000n, high), BigInt(ms), undefined, true);
        const [early, late] = [at(Math.min(x, y)), at(Math.max(x, y))];
        expect(early).toBeDefined();
        expect((early ?? 0n) >= low && (late ?? 0n) <= high && (early ?? 0n) <= (late ?? 0n)).toBe(
          true,
        );
      }),
    );
  });
});
