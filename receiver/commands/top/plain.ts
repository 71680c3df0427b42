// SPDX-License-Identifier: Apache-2.0
/** A window as text for a pipe or a file: nothing is cut, nothing moves. Pure. */
import type { AgentReport } from '../../model/agent-report.js';
import { clipLine, span, textOf, type Line } from '../../terminal/line.js';
import {
  fitColumns,
  headingText,
  placeColumns,
  rowText,
  type PlacedColumn,
} from '../../terminal/table.js';
import { safeText } from '../../terminal/width.js';
import { columnsOf } from './columns.js';
import { headerLines, originText, type HeaderContext } from './header.js';
import { emptyTableText } from './empty-text.js';
import type { TopOptions } from './options.js';
import type { ViewRow } from './row.js';

const titleText = ({ agent, window }: AgentReport, context: HeaderContext): string =>
  `wattfeed on ${agent.hostName}, ${originText(context.origin)}, window ${window.index}, ` +
  `${window.durationSeconds.toFixed(3)} s, ended ${new Date(window.endUnixMillis).toISOString()}`;

const placedFor = (
  options: TopOptions,
  rows: readonly ViewRow[],
  columns: number | undefined,
): readonly PlacedColumn<ViewRow>[] => {
  const wanted = columnsOf(options.grouping, options.threadsOf !== undefined, options.isTree);
  return columns === undefined ? fitColumns(wanted, rows) : placeColumns(wanted, columns);
};

/** Lines that begin with `#` are not rows. `columns`: of the terminal, if it is one. */
export const plainBlock = (
  report: AgentReport,
  rows: readonly ViewRow[],
  options: TopOptions,
  context: HeaderContext,
  columns?: number,
): readonly string[] => {
  const comment = (line: Line): string => `# ${textOf(line)}`;
  const placed = placedFor(options, rows, columns);
  const lines = [
    comment([span(titleText(report, context))]),
    ...headerLines(report, context).slice(1).map(comment),
    ...(rows.length === 0 ? [comment([span(emptyTableText(report, options), 'warning')])] : []),
    headingText(placed),
    ...rows.map((row) => rowText(placed, row)),
  ].map((line) => line.trimEnd());
  return columns === undefined
    ? lines.map(safeText)
    : lines.map((line) => textOf(clipLine([span(line)], columns)));
};
