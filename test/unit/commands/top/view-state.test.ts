// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { firstViewState, topOptionsOf } from '../../../../receiver/commands/top/options.js';
import { hasTree } from '../../../../receiver/commands/top/row.js';
import { rowsOf } from '../../../../receiver/commands/top/rows.js';
import {
  stepOfKey,
  type Effect,
  type KeyContext,
  type ViewState,
} from '../../../../receiver/commands/top/view-state.js';
import { decodeKeys } from '../../../../receiver/terminal/keys.js';
import { graphemes } from '../../../../receiver/terminal/width.js';
import { agentReport } from '../../../support/agent-report.js';

const FIRST = firstViewState(topOptionsOf({}));
const rows = rowsOf(agentReport(), { ...FIRST, threadsOf: undefined });
const context: KeyContext = { rows, pageRows: 3, windowSeconds: 1 };

const press = (bytes: string, from: ViewState = FIRST): { state: ViewState; effect: Effect } =>
  decodeKeys(bytes).reduce<{ state: ViewState; effect: Effect }>(
    ({ state }, key) => stepOfKey(state, key, context),
    { state: from, effect: 'none' },
  );

describe('stepOfKey', () => {
  it.each([
    ['j', { sort: 'joules' }],
    ['D', { sort: 'dram' }],
    ['C', { sort: 'cpu' }],
    ['P', { sort: 'pid' }],
    ['N', { sort: 'name' }],
    ['w', { sort: 'watts', isReversed: true }],
    ['jj', { sort: 'joules', isReversed: true }],
    ['r', { isReversed: true }],
    ['>', { sort: 'dram' }],
    ['<', { sort: 'name' }],
    ['c', { grouping: 'cgroup' }],
    ['cc', { grouping: 'process' }],
    ['n', { grouping: 'name' }],
    ['np', { grouping: 'process' }],
    ['u', { grouping: 'user' }],
    ['g', { grouping: 'cgroup' }],
    ['gggg', { grouping: 'pod' }],
    ['G', { grouping: 'user' }],
    ['gG', { grouping: 'process' }],
    ['tgg', { grouping: 'unit', isTree: false }],
    ['t', { isTree: true }],
    ['tt', { isTree: false }],
    ['tn', { grouping: 'name', isTree: false }],
    ['ut', { grouping: 'user', isTree: false }],
    ['?', { mode: 'help' }],
    ['?x', { mode: 'table', sort: 'watts' }],
    ['+', { intervalSeconds: 2 }],
    ['++', { intervalSeconds: 5 }],
    ['-', { intervalSeconds: 0.5 }],
    ['---', { intervalSeconds: 0.2 }],
    ['/post\r', { mode: 'table', filter: 'post' }],
    ['fab\x7fc\r', { filter: 'ac' }],
    ['/ab\x15x\r', { filter: 'x' }],
    ['/abc\x1b', { mode: 'table', filter: '' }],
    ['/q', { mode: 'filter', draft: 'q' }],
    ['/abc\r\x1b', { filter: '' }],
  ])('%j leads to %o', (bytes, wanted) => {
    expect(press(bytes).state).toMatchObject(wanted);
  });

  it('stays in the prompt while the text is no regular expression', () => {
    expect(press('/(\r').state).toMatchObject({
      mode: 'filter',
      draft: '(',
      notice: 'not a regular expression',
    });
  });

  it('quits by q and Ctrl-C, by Ctrl-C also from prompt and help', () => {
    expect(['q', '\x03', '/\x03', '?\x03'].map((bytes) => press(bytes).effect)).toEqual(
      Array(4).fill('quit'),
    );
    expect([press('\x1a').effect, press('\x0c').effect]).toEqual(['suspend', 'redraw']);
  });

  it('selects by arrows, pages and ends, and stays within the rows', () => {
    const at = (bytes: string) =>
      rows.findIndex(({ key }) => key === press(bytes).state.selectedKey);
    expect(
      ['\x1b[B', '\x1b[B\x1b[B', '\x1b[B\x1b[A\x1b[A', '\x1b[6~', '\x1b[F', '\x1b[F\x1b[5~'].map(
        at,
      ),
    ).toEqual([0, 1, 0, 2, rows.length - 1, rows.length - 4]);
  });

  it('shows the threads of the selected process and comes back', () => {
    const first = rows[0];
    const threads = { pid: first?.pid, name: first?.name };
    expect(press('\x1b[BH').state).toMatchObject({ threads });
    expect(press('\x1b[B\r').state).toMatchObject({ threads });
    expect(press('\x1b[BHH').state.threads).toBeUndefined();
    expect(press('\x1b[BH\x1b').state.threads).toBeUndefined();
    expect(press('\x1b[BHc').state).toMatchObject({ threads: undefined, grouping: 'cgroup' });
    expect(press('/s\r\x1b[BH').state).toMatchObject({ threads: { outerFilter: 's' }, filter: '' });
    expect(press('/s\r\x1b[BH/x\rH').state).toMatchObject({ threads: undefined, filter: 's' });
    expect(press('H').state.notice).toContain('select a process');
  });

  it('has a valid state after any keys', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(...graphemes('wdjCPNcnugGtH/f+-?pr<>x\x1b\r\x7f')) }),
        (bytes) => {
          const { state } = press(bytes);
          expect(state.isTree && !hasTree(state.grouping)).toBe(false);
          expect(rowsOf(agentReport(), { ...state, threadsOf: state.threads?.pid })).toBeDefined();
        },
      ),
    );
  });
});
