// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SumStream } from '../../../receiver/export/stream.js';

const at = (second: number): [number, number] => [second, 0];

describe('SumStream', () => {
  it('repeats the start time and the total in cumulative mode', () => {
    const stream = new SumStream({}, at(10), 'microjoules');
    stream.point(1_500_000n, at(20), 'cumulative')?.deliver();
    const point = stream.point(2_500_000n, at(30), 'cumulative');
    expect(point).toMatchObject({ startTime: at(10), endTime: at(30), value: 2.5 });
  });

  it('measures a delta against what was delivered, not against what was tried', () => {
    const stream = new SumStream({}, at(10), 'count');
    stream.point(5n, at(20), 'delta');
    const point = stream.point(7n, at(30), 'delta');
    expect(point).toMatchObject({ startTime: at(10), endTime: at(30), value: 7 });
    point?.deliver();
    expect(stream.point(8n, at(40), 'delta')).toMatchObject({ startTime: at(30), value: 1 });
  });

  it('says nothing about a delta of nothing', () => {
    const stream = new SumStream({}, at(10), 'count');
    expect(stream.point(0n, at(20), 'delta')).toBeUndefined();
  });

  it('never falls', () => {
    const stream = new SumStream({}, at(10), 'count');
    stream.point(9n, at(20), 'cumulative');
    expect(stream.point(4n, at(30), 'cumulative')?.value).toBe(9);
  });

  it('never ends before it starts when the wall clock steps back', () => {
    const stream = new SumStream({}, at(100), 'count');
    expect(stream.point(1n, at(50), 'cumulative')).toMatchObject({
      startTime: at(100),
      endTime: at(100),
    });
  });

  it('loses and repeats nothing in delta mode, whichever exports fail', () => {
    const exports = fc.array(fc.record({ rise: fc.nat({ max: 100 }), arrives: fc.boolean() }));
    fc.assert(
      fc.property(exports, (steps) => {
        const stream = new SumStream({}, at(0), 'count');
        let total = 0n;
        let received = 0;
        for (const [second, { rise, arrives }] of [
          ...steps,
          { rise: 0, arrives: true },
        ].entries()) {
          total += BigInt(rise);
          const point = stream.point(total, at(second + 1), 'delta');
          if (!arrives || point === undefined) continue;
          received += point.value;
          point.deliver();
        }
        expect(received).toBe(Number(total));
      }),
    );
  });
});
