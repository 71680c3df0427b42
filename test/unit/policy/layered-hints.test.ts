// SPDX-License-Identifier: Apache-2.0
import * as E from 'fp-ts/lib/Either.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  HINT_OVER_BUDGET,
  HINT_SPINNING,
  hintChanges,
  LayeredHints,
  type HintedTask,
} from '../../../policy/layered-hints.js';

const task = fc.record({
  tid: fc.integer({ min: 1, max: 6 }),
  isOverBudget: fc.boolean(),
  isSpinning: fc.boolean(),
});
const windows = fc.array(fc.uniqueArray(task, { selector: ({ tid }) => tid, maxLength: 6 }), {
  maxLength: 20,
});

/** A hint map in memory; `isThere` false: the scheduler has not pinned it. */
const fakeMap = () => {
  const hints = new Map<number, number>();
  const fake = { isThere: true, hints };
  const port = {
    openHintMap: () =>
      fake.isThere
        ? E.right({
            set: (tids: readonly number[], hint: number) => {
              for (const tid of tids) hints.set(tid, hint);
              return E.right(tids.length);
            },
            clear: (tids: readonly number[]) => {
              for (const tid of tids) hints.delete(tid);
              return E.right(tids.length);
            },
            close: () => undefined,
          })
        : E.left({
            _tag: 'NativeError' as const,
            operation: 'open',
            errno: 2,
            code: 'ENOENT',
            detail: '',
          }),
  };
  return { fake, port };
};

const expected = ({ isOverBudget, isSpinning }: HintedTask): number | undefined =>
  isSpinning ? HINT_SPINNING : isOverBudget ? HINT_OVER_BUDGET : undefined;

describe('LayeredHints', () => {
  it('leaves in the map exactly what each thread deserved when it ran last', () => {
    fc.assert(
      fc.property(windows, (sequence) => {
        const { fake, port } = fakeMap();
        const hints = new LayeredHints(port, '/pin');
        const last = new Map<number, number>();
        for (const tasks of sequence) {
          expect(E.isRight(hints.apply(tasks))).toBe(true);
          for (const one of tasks) {
            const hint = expected(one);
            if (hint === undefined) last.delete(one.tid);
            else last.set(one.tid, hint);
          }
          expect(fake.hints).toEqual(last);
        }
        hints.close();
        expect(fake.hints.size).toBe(0);
      }),
    );
  });

  it('waits for a scheduler that has not pinned its map yet', () => {
    const { fake, port } = fakeMap();
    fake.isThere = false;
    const hints = new LayeredHints(port, '/pin');
    const over = [{ tid: 5, isOverBudget: true, isSpinning: false }];
    expect(hints.apply(over)).toMatchObject({ left: { code: 'ENOENT' } });
    fake.isThere = true;
    expect(hints.apply(over)).toEqual(E.right(1));
    expect(fake.hints.get(5)).toBe(HINT_OVER_BUDGET);
  });
});

describe('hintChanges', () => {
  it('writes nothing when nothing changed', () => {
    const over = [{ tid: 5, isOverBudget: true, isSpinning: false }];
    const first = hintChanges(new Map(), over);
    const again = hintChanges(first.held, over);
    expect([again.set.size, again.clear.length]).toEqual([0, 0]);
  });
});
