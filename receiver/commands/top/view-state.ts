// SPDX-License-Identifier: Apache-2.0
/** What a person at the keyboard has chosen, and what each key does to it. Pure. */
import type { Key, NamedKey } from '../../terminal/keys.js';
import { graphemes } from '../../terminal/width.js';
import { GROUPINGS, SORT_KEYS, hasTree, type Grouping, type SortKey, type ViewRow } from './row.js';
import { filterOf } from './rows.js';

export interface ThreadView {
  readonly pid: number;
  readonly name: string;
  /** Of the processes: threads have other names, so it does not apply to them. */
  readonly outerFilter: string;
}

export interface ViewState {
  readonly grouping: Grouping;
  readonly isTree: boolean;
  readonly sort: SortKey;
  readonly isReversed: boolean;
  readonly filter: string;
  /** The process whose threads are shown instead. */
  readonly threads: ThreadView | undefined;
  /** Undefined: nothing is selected; it follows the entity when rows move. */
  readonly selectedKey: string | undefined;
  readonly mode: 'table' | 'filter' | 'help';
  /** Being typed. */
  readonly draft: string;
  /** Undefined: each window as it comes. */
  readonly intervalSeconds: number | undefined;
  /** For the last line, until the next key. */
  readonly notice: string;
}

export type Effect = 'none' | 'quit' | 'suspend' | 'redraw';

export interface Step {
  readonly state: ViewState;
  readonly effect: Effect;
}

/** What a key may need to know about what is on the screen. */
export interface KeyContext {
  readonly rows: readonly ViewRow[];
  readonly pageRows: number;
  /** Of the windows shown now, for + and - before an interval was chosen. */
  readonly windowSeconds: number;
}

export const INTERVAL_SECONDS = { least: 0.2, most: 60 } as const;
const INTERVAL_STEPS: readonly number[] = [0.2, 0.5, 1, 2, 5, 10, 20, 30, 60];

const stay = (state: ViewState): Step => ({ state: { ...state, notice: '' }, effect: 'none' });
const change = (state: ViewState, changes: Partial<ViewState>): Step =>
  stay({ ...state, ...changes });
const notice = (state: ViewState, text: string): Step => ({
  state: { ...state, notice: text },
  effect: 'none',
});

const sortBy = (state: ViewState, sort: SortKey): Step =>
  state.sort === sort
    ? change(state, { isReversed: !state.isReversed })
    : change(state, { sort, isReversed: false });

const nextSort = (state: ViewState, by: 1 | -1): Step => {
  const next = (SORT_KEYS.indexOf(state.sort) + by + SORT_KEYS.length) % SORT_KEYS.length;
  return change(state, { sort: SORT_KEYS[next] ?? state.sort, isReversed: false });
};

const withoutThreads = (state: ViewState): ViewState =>
  state.threads === undefined
    ? state
    : { ...state, threads: undefined, selectedKey: undefined, filter: state.threads.outerFilter };

/** The same key again leads back to processes. */
const groupBy = (state: ViewState, grouping: Grouping): Step =>
  change(withoutThreads(state), {
    grouping: state.grouping === grouping && state.threads === undefined ? 'process' : grouping,
    selectedKey: undefined,
    isTree: state.isTree && hasTree(grouping),
  });

const nextGrouping = (state: ViewState, by: 1 | -1): Step => {
  const next = (GROUPINGS.indexOf(state.grouping) + by + GROUPINGS.length) % GROUPINGS.length;
  return groupBy(state, GROUPINGS[next] ?? 'process');
};

const toggleTree = (state: ViewState): Step =>
  hasTree(state.grouping)
    ? change(state, { isTree: !state.isTree })
    : notice(state, 'a tree is of processes or cgroups: press p or c first');

const toggleThreads = (state: ViewState, { rows }: KeyContext): Step => {
  if (state.threads !== undefined) return stay(withoutThreads(state));
  const row = rows.find(({ key }) => key === state.selectedKey);
  if (row?.pid === undefined || state.grouping !== 'process') {
    return notice(state, 'select a process with the arrow keys first');
  }
  const threads = { pid: row.pid, name: row.name, outerFilter: state.filter };
  return change(state, { threads, selectedKey: undefined, filter: '' });
};

const stepInterval = (state: ViewState, { windowSeconds }: KeyContext, by: 1 | -1): Step => {
  const now = state.intervalSeconds ?? windowSeconds;
  const next =
    by > 0
      ? INTERVAL_STEPS.find((step) => step > now + 1e-6)
      : INTERVAL_STEPS.findLast((step) => step < now - 1e-6);
  return next === undefined
    ? notice(state, `interval is ${now} s: 0.2 to 60`)
    : notice({ ...state, intervalSeconds: next }, `interval ${next} s`);
};

const select = (state: ViewState, { rows }: KeyContext, by: number): Step => {
  const at = rows.findIndex(({ key }) => key === state.selectedKey);
  const from = at < 0 ? (by > 0 ? -1 : 0) : at;
  const to = Math.min(rows.length - 1, Math.max(0, from + by));
  return change(state, { selectedKey: rows[to]?.key });
};

const openFilter = (state: ViewState): Step =>
  change(state, { mode: 'filter', draft: state.filter });

/** Leads back step by step: threads, selection, filter. */
const back = (state: ViewState): Step => {
  if (state.threads !== undefined) return stay(withoutThreads(state));
  if (state.selectedKey !== undefined) return change(state, { selectedKey: undefined });
  return change(state, { filter: '' });
};

type Action = (state: ViewState, context: KeyContext) => Step;

const CHAR_ACTIONS: ReadonlyMap<string, Action> = new Map<string, Action>([
  ['q', (state) => ({ state, effect: 'quit' })],
  ['?', (state) => change(state, { mode: 'help' })],
  ['h', (state) => change(state, { mode: 'help' })],
  ['w', (state) => sortBy(state, 'watts')],
  ['W', (state) => sortBy(state, 'watts')],
  ['d', (state) => sortBy(state, 'dram')],
  ['D', (state) => sortBy(state, 'dram')],
  ['j', (state) => sortBy(state, 'joules')],
  ['J', (state) => sortBy(state, 'joules')],
  ['C', (state) => sortBy(state, 'cpu')],
  ['P', (state) => sortBy(state, 'pid')],
  ['N', (state) => sortBy(state, 'name')],
  ['<', (state) => nextSort(state, -1)],
  ['>', (state) => nextSort(state, 1)],
  ['r', (state) => change(state, { isReversed: !state.isReversed })],
  ['p', (state) => change(groupBy(state, 'process').state, { grouping: 'process' })],
  ['c', (state) => groupBy(state, 'cgroup')],
  ['n', (state) => groupBy(state, 'name')],
  ['u', (state) => groupBy(state, 'user')],
  ['g', (state) => nextGrouping(state, 1)],
  ['G', (state) => nextGrouping(state, -1)],
  ['t', toggleTree],
  ['H', toggleThreads],
  ['f', openFilter],
  ['/', openFilter],
  ['+', (state, context) => stepInterval(state, context, 1)],
  ['=', (state, context) => stepInterval(state, context, 1)],
  ['-', (state, context) => stepInterval(state, context, -1)],
]);

const NAMED_ACTIONS: Readonly<Partial<Record<NamedKey, Action>>> = {
  interrupt: (state) => ({ state, effect: 'quit' }),
  suspend: (state) => ({ state, effect: 'suspend' }),
  redraw: (state) => ({ state, effect: 'redraw' }),
  escape: back,
  enter: toggleThreads,
  up: (state, context) => select(state, context, -1),
  down: (state, context) => select(state, context, 1),
  'page-up': (state, context) => select(state, context, -context.pageRows),
  'page-down': (state, context) => select(state, context, context.pageRows),
  home: (state, context) => select(state, context, -context.rows.length),
  end: (state, context) => select(state, context, context.rows.length),
};

const typeFilter = (state: ViewState, key: Key): Step => {
  const draft = (text: string): Step => change(state, { draft: text });
  if (key._tag === 'Char') return draft(state.draft + key.char);
  switch (key.name) {
    case 'interrupt':
      return { state, effect: 'quit' };
    case 'escape':
      return change(state, { mode: 'table', draft: '' });
    case 'backspace':
      return draft(graphemes(state.draft).slice(0, -1).join(''));
    case 'clear':
      return draft('');
    case 'enter':
      return filterOf(state.draft) === undefined
        ? notice(state, 'not a regular expression')
        : change(state, {
            mode: 'table',
            filter: state.draft,
            draft: '',
            selectedKey: undefined,
          });
    default:
      return stay(state);
  }
};

export const stepOfKey = (state: ViewState, key: Key, context: KeyContext): Step => {
  if (state.mode === 'filter') return typeFilter(state, key);
  if (state.mode === 'help') {
    const isQuit = key._tag === 'Named' && key.name === 'interrupt';
    return isQuit ? { state, effect: 'quit' } : change(state, { mode: 'table' });
  }
  const action = key._tag === 'Char' ? CHAR_ACTIONS.get(key.char) : NAMED_ACTIONS[key.name];
  return action === undefined ? stay(state) : action(state, context);
};
