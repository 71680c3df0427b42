// SPDX-License-Identifier: Apache-2.0
/** One picture of the live table: report, choices and size to lines. Pure. */
import type { AgentReport } from '../../model/agent-report.js';
import { clipLine, span, type Line, type Style } from '../../terminal/line.js';
import type { Viewport } from '../../terminal/screen.js';
import { headingText, placeColumns, rowText } from '../../terminal/table.js';
import { padEnd } from '../../terminal/width.js';
import { columnsOf } from './columns.js';
import { emptyTableText } from './empty-text.js';
import { headerLines, type HeaderContext } from './header.js';
import { helpLines } from './help.js';
import type { ViewRow } from './row.js';
import type { ViewState } from './view-state.js';

const FOOTER = 'wjC sort  pcnug rows  t tree  H threads  / filter  +- interval  ? help  q quit';

const STYLES: Readonly<Record<ViewRow['kind'], Style>> = {
  entity: 'plain',
  'kernel-thread': 'faint',
  exited: 'faint',
  remainder: 'faint',
};

const GROUP_TITLES: Readonly<Record<ViewState['grouping'], string>> = {
  process: 'processes',
  name: 'sums by command name',
  cgroup: 'cgroups (own tasks only)',
  user: 'sums by user',
  container: 'containers',
  pod: 'pods',
  job: 'batch jobs',
  unit: 'systemd units',
};

/** What the rows below are, so that no choice made by key is invisible. */
const contentLine = (state: ViewState, rowCount: number): Line => {
  const what =
    state.threads === undefined
      ? GROUP_TITLES[state.grouping]
      : `threads of ${state.threads.pid} ${state.threads.name}`;
  const order = `by ${state.sort}${state.isReversed ? ', reversed' : ''}`;
  return [
    span(`${rowCount} ${what}${state.isTree && !state.threads ? ' as a tree' : ''}, ${order}`),
    ...(state.filter === '' ? [] : [span(`, filter /${state.filter}/`, 'warning')]),
  ];
};

const lastLine = (state: ViewState): Line => {
  if (state.mode === 'filter') {
    const reason = state.notice === '' ? '' : `  (${state.notice})`;
    return [span('filter: ', 'strong'), span(`${state.draft}_`), span(reason, 'warning')];
  }
  return state.notice === '' ? [span(FOOTER, 'faint')] : [span(state.notice, 'warning')];
};

/** The first row drawn: the selected one stays in sight, the first rows if nothing is selected. */
export const firstRowOf = (
  rows: readonly ViewRow[],
  selectedKey: string | undefined,
  pageRows: number,
): number => {
  const selected = rows.findIndex(({ key }) => key === selectedKey);
  return selected < pageRows
    ? 0
    : Math.min(selected - Math.floor(pageRows / 2), rows.length - pageRows);
};

/** Rows that the table has, below the header and above the last line. */
export const pageRowsOf = (header: readonly Line[], viewport: Viewport): number =>
  Math.max(1, viewport.rows - header.length - 3);

const tableLines = (
  rows: readonly ViewRow[],
  state: ViewState,
  columns: number,
  pageRows: number,
): readonly Line[] => {
  const placed = placeColumns(
    columnsOf(state.grouping, state.threads !== undefined, state.isTree),
    columns,
  );
  const first = firstRowOf(rows, state.selectedKey, pageRows);
  const body = rows.slice(first, first + pageRows).map((row): Line => {
    const style = row.key === state.selectedKey ? 'selected' : STYLES[row.kind];
    return [span(padEnd(rowText(placed, row), columns), style)];
  });
  return [[span(padEnd(headingText(placed), columns), 'heading')], ...body];
};

/** On a very low terminal the table goes before the header: it is what one came for. */
const headerFor = (
  report: AgentReport,
  context: HeaderContext,
  viewport: Viewport,
): readonly Line[] => {
  const most = Math.max(1, viewport.rows - 8);
  return headerLines(report, context).slice(0, most);
};

export interface Frame {
  readonly lines: readonly Line[];
  /** Rows that a page key moves by. */
  readonly pageRows: number;
}

const shownOf = ({ threads, filter }: ViewState) => ({ threadsOf: threads?.pid, filter });

export const frameOf = (
  report: AgentReport,
  rows: readonly ViewRow[],
  state: ViewState,
  viewport: Viewport,
  context: HeaderContext,
): Frame => {
  const header = headerFor(report, context, viewport);
  const pageRows = pageRowsOf(header, viewport);
  const above =
    state.mode === 'help'
      ? helpLines()
      : [
          ...header,
          contentLine(state, rows.length),
          ...tableLines(rows, state, viewport.columns, pageRows),
          ...(rows.length === 0 ? [[span(emptyTableText(report, shownOf(state)), 'faint')]] : []),
        ];
  const body = above.slice(0, viewport.rows - 1);
  const gap = Array.from({ length: viewport.rows - 1 - body.length }, (): Line => []);
  const lines = [...body, ...gap, lastLine(state)].map((line) => clipLine(line, viewport.columns));
  return { lines, pageRows };
};

/** Before the first window. */
export const waitingLines = (
  origin: HeaderContext['origin'],
  viewport: Viewport,
): readonly Line[] => {
  const text =
    origin._tag === 'Joined'
      ? `joined agent ${origin.agentPid}, waiting for its first window`
      : 'measuring itself, waiting for the first window';
  return [clipLine([span('wattfeed', 'strong'), span(`: ${text}; q quits`)], viewport.columns)];
};
