// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { columnsOf } from '../../../receiver/commands/top/columns.js';
import { GROUPINGS } from '../../../receiver/commands/top/row.js';
import {
  fitColumns,
  headingText,
  placeColumns,
  rowText,
  type Column,
} from '../../../receiver/terminal/table.js';
import { displayWidth } from '../../../receiver/terminal/width.js';

const column = (title: string, over: Partial<Column<string>> = {}): Column<string> => ({
  title,
  width: 4,
  grow: 0,
  align: 'left',
  keep: 'start',
  rank: 0,
  cell: (row) => row,
  ...over,
});

describe('placeColumns', () => {
  it('shares what is left, to the last column', () => {
    const placed = placeColumns([column('A', { grow: 1 }), column('B', { grow: 2 })], 20);
    expect(placed.map(({ width }) => width)).toEqual([7, 12]);
  });

  it('leaves out the least important columns where they do not fit', () => {
    const columns = [column('A'), column('B', { rank: 2 }), column('C', { rank: 1 })];
    const titles = (width: number) =>
      placeColumns(columns, width).map((placed) => placed.column.title);
    expect([titles(14), titles(13), titles(8)]).toEqual([['A', 'B', 'C'], ['A', 'C'], ['A']]);
  });

  it('makes every row of every view exactly as wide as asked, from 24 columns on', () => {
    const views = GROUPINGS.flatMap((grouping) => [
      columnsOf(grouping, false, false),
      columnsOf(grouping, true, false),
      columnsOf(grouping, false, true),
    ]);
    fc.assert(
      fc.property(
        fc.constantFrom(...views),
        fc.integer({ min: 24, max: 300 }),
        (columns, width) => {
          const fitted = placeColumns(columns, width);
          const total = fitted.reduce((sum, placed) => sum + placed.width + 1, -1);
          expect(total).toBe(width);
        },
      ),
    );
  });
});

describe('rowText', () => {
  it('aligns and cuts by columns of the terminal', () => {
    const columns = [column('A', { align: 'right' }), column('B', { keep: 'end', width: 5 })];
    const placed = placeColumns(columns, 10);
    expect(headingText(placed)).toBe('   A B    ');
    expect(rowText(placed, 'x')).toBe('   x x    ');
    expect(rowText(placed, 'abcdefg')).toBe('abc… …defg');
    expect(displayWidth(rowText(placed, '漢字漢字'))).toBe(10);
  });
});

describe('fitColumns', () => {
  it('cuts nothing', () => {
    const rows = ['a', 'a much longer text'];
    expect(rowText(fitColumns([column('A')], rows), rows[1] ?? '')).toBe(rows[1]);
  });
});
