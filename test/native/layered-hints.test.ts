// SPDX-License-Identifier: Apache-2.0
/** Hints in a real map of the layout that scx_layered pins, read back by a program that is not ours. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { unlinkSync } from 'node:fs';
import { join } from 'node:path';
import * as E from 'fp-ts/lib/Either.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HINT_OVER_BUDGET, HINT_SPINNING, LayeredHints } from '../../policy/layered-hints.js';
import { buildHintMap, makePins, port, valueOf } from '../support/feed/pins.js';

const pins = makePins('hints');
const PIN = join(pins.parent, 'task_hint_map');
let hintMap = '';
let sleepers: readonly ChildProcess[] = [];

const run = (...words: readonly string[]): readonly string[] => {
  const ended = spawnSync(hintMap, words, { encoding: 'utf8' });
  if (ended.status !== 0) throw new Error(ended.stderr);
  return ended.stdout.trim().split('\n');
};
const pidOf = (child: ChildProcess | undefined): number => child?.pid ?? -1;
const hints = (): readonly string[] =>
  run('show', PIN, ...sleepers.map((child) => String(pidOf(child))));

beforeAll(() => {
  hintMap = buildHintMap();
  sleepers = [0, 1, 2].map(() => spawn('sleep', ['60'], { stdio: 'ignore' }));
});
afterAll(() => {
  for (const child of sleepers) child.kill('SIGKILL');
  unlinkSync(PIN);
  pins.remove();
});

describe('LayeredHints on a pinned map', () => {
  it('says that there is none, then writes into the one that the scheduler has made', () => {
    const bridge = new LayeredHints(port(), PIN);
    const [first, second, third] = sleepers.map(pidOf);
    const tasks = [
      { tid: first ?? -1, isOverBudget: true, isSpinning: false },
      { tid: second ?? -1, isOverBudget: false, isSpinning: true },
      { tid: third ?? -1, isOverBudget: false, isSpinning: false },
    ];
    expect(bridge.apply(tasks)).toMatchObject(E.left({ code: 'ENOENT' }));
    run('make', PIN);
    expect(valueOf(bridge.apply(tasks))).toBe(2);
    expect(hints()).toEqual([String(HINT_OVER_BUDGET), String(HINT_SPINNING), '-']);
    bridge.close();
  });

  it('takes a hint away when it no longer holds, and all of its own at the end', () => {
    const bridge = new LayeredHints(port(), PIN);
    const [first, second] = sleepers.map(pidOf);
    const hinted = (tid: number | undefined, isOverBudget: boolean) => ({
      tid: tid ?? -1,
      isOverBudget,
      isSpinning: false,
    });
    valueOf(bridge.apply([hinted(first, true), hinted(second, true)]));
    valueOf(bridge.apply([hinted(second, false)]));
    expect(hints()).toEqual([String(HINT_OVER_BUDGET), '-', '-']);
    bridge.close();
    expect(hints()).toEqual(['-', '-', '-']);
  });

  it('goes on when a hinted thread has ended', async () => {
    const bridge = new LayeredHints(port(), PIN);
    const [first, , third] = sleepers.map(pidOf);
    const gone = sleepers[1];
    if (gone === undefined) throw new Error('three sleepers');
    gone.kill('SIGKILL');
    await once(gone, 'exit');
    const over = (tid: number | undefined) => ({
      tid: tid ?? -1,
      isOverBudget: true,
      isSpinning: false,
    });
    valueOf(bridge.apply([over(first), over(gone.pid), over(third)]));
    expect(hints()).toEqual([String(HINT_OVER_BUDGET), '-', String(HINT_OVER_BUDGET)]);
    bridge.close();
  });

  it('refuses a map of another kind', () => {
    valueOf(port().openPublisher(pins.directory, false)).publisher.close();
    const bridge = new LayeredHints(port(), join(pins.directory, 'task'));
    const refused = bridge.apply([{ tid: process.pid, isOverBudget: true, isSpinning: false }]);
    expect(refused).toMatchObject(E.left({ code: 'EPROTO' }));
    bridge.close();
  });
});
