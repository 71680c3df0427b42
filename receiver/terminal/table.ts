// SPDX-License-Identifier: Apache-2.0
/**
 * Columns that share the width of a terminal. Own code: table libraries take fixed column widths
 * only, so they can neither keep a row within 80 columns while two columns share what is left, nor
 * leave out columns by importance, nor cut a path at its beginning.
 */
import { clipEnd, clipStart, displayWidth, padEnd, padStart, safeText } from './width.js';

export interface Column<Row> {
  readonly title: string;
  /** Least width; a column with `grow` takes a share of what is left. */
  readonly width: number;
  readonly grow: number;
  readonly align: 'left' | 'right';
  /** Which end of a long text is kept. */
  readonly keep: 'start' | 'end';
  /** When the terminal is too narrow the column with the highest rank goes first; 0 always stays. */
  readonly rank: number;
  readonly cell: (row: Row) => string;
}

export interface PlacedColumn<Row> {
  readonly column: Column<Row>;
  readonly width: number;
}

const GAP = 1;

const leastWidth = (columns: readonly Column<never>[]): number =>
  columns.reduce((sum, { width }) => sum + width + GAP, -GAP);

const leastImportant = <Row>(columns: readonly Column<Row>[]): Column<Row> | undefined =>
  columns.reduce<Column<Row> | undefined>(
    (worst, next) => (next.rank > (worst?.rank ?? 0) ? next : worst),
    undefined,
  );

/** Which columns are shown on `width`, and how wide each is. */
export const placeColumns = <Row>(
  columns: readonly Column<Row>[],
  width: number,
): readonly PlacedColumn<Row>[] => {
  const spare = width - leastWidth(columns);
  const dropped = spare < 0 ? leastImportant(columns) : undefined;
  if (dropped !== undefined) {
    return placeColumns(
      columns.filter((column) => column !== dropped),
      width,
    );
  }
  const shares = columns.reduce((sum, { grow }) => sum + grow, 0);
  let left = Math.max(0, spare);
  let sharesLeft = shares;
  return columns.map((column) => {
    const extra = sharesLeft === 0 ? 0 : Math.floor((left * column.grow) / sharesLeft);
    left -= extra;
    sharesLeft -= column.grow;
    return { column, width: column.width + extra };
  });
};

/** Widths that cut nothing, for files and pipes. */
export const fitColumns = <Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
): readonly PlacedColumn<Row>[] =>
  columns.map((column) => ({
    column,
    width: rows.reduce(
      (widest, row) => Math.max(widest, displayWidth(safeText(column.cell(row)))),
      displayWidth(column.title),
    ),
  }));

const fill = <Row>(text: string, { column, width }: PlacedColumn<Row>): string => {
  const safe = safeText(text);
  const clipped = column.keep === 'start' ? clipEnd(safe, width) : clipStart(safe, width);
  return column.align === 'left' ? padEnd(clipped, width) : padStart(clipped, width);
};

export const headingText = <Row>(placed: readonly PlacedColumn<Row>[]): string =>
  placed.map((at) => fill(at.column.title, at)).join(' '.repeat(GAP));

export const rowText = <Row>(placed: readonly PlacedColumn<Row>[], row: Row): string =>
  placed.map((at) => fill(at.column.cell(row), at)).join(' '.repeat(GAP));
