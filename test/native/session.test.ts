// SPDX-License-Identifier: Apache-2.0
import { spawnSync } from 'node:child_process';
import * as E from 'fp-ts/lib/Either.js';
import { afterEach, describe, expect, it } from 'vitest';
import type { ActivityWindow } from '../../receiver/model/activity.js';
import { until } from '../support/until.js';
import {
  ADDON_PATH,
  TWENTY_LOADS_MILLIS,
  closeAll,
  port,
  sessionOptions,
  startRig,
  valueOf,
} from './support.js';

afterEach(closeAll);

const HOUR_MILLIS = 3_600_000;

const sum = (windows: readonly ActivityWindow[], of: (window: ActivityWindow) => number): number =>
  windows.reduce((total, window) => total + of(window), 0);

const chargedNanos = (window: ActivityWindow): number =>
  window.tasks.reduce((total, task) => total + task.runtimeNanos, 0) +
  window.cpus.reduce((total, cpu) => total + cpu.unslottedNanos + cpu.overflowNanos, 0);

const cpuTaskNanos = (window: ActivityWindow): number =>
  window.cpus.reduce((total, cpu) => total + cpu.taskNanos, 0);

describe('open', () => {
  it(
    'loads and unloads twenty times',
    async () => {
      for (let round = 0; round < 20; round++) {
        const session = valueOf(await port().open(sessionOptions())());
        valueOf(await session.close()());
      }
    },
    TWENTY_LOADS_MILLIS,
  );

  it('lets two sessions measure side by side', async () => {
    const first = await startRig();
    const second = await startRig();
    await until('windows of both', () => first.batches.length > 3 && second.batches.length > 3);
    const taskNanos = [first, second].map((rig) => sum(rig.windows(), cpuTaskNanos));
    expect(Math.min(...taskNanos)).toBeGreaterThan(0);
  });

  it('names a cgroup controller that the kernel does not have', async () => {
    const refused = await port().open(sessionOptions({ cgroupHierarchy: 'nonesuch' }))();
    expect(refused).toMatchObject({
      left: { operation: 'find cgroup controller nonesuch', code: 'ENOENT' },
    });
  });

  it('refuses tables that do not cover the possible CPUs', async () => {
    const refused = await port().open(
      sessionOptions({
        cpuDomains: new Array<number>(77).fill(0),
        smtSiblings: new Array<number>(77).fill(-1),
      }),
    )();
    expect(refused).toMatchObject({ left: { operation: 'configure cpus', code: 'EINVAL' } });
  });
});

describe('start', () => {
  it('closes the first window at once and the next ones one behind the other', async () => {
    const { windows } = await startRig({ windowMillis: 30 });
    await until('five windows', () => windows().length >= 5);
    const all = windows();
    expect(all.map((window) => window.index)).toEqual(all.map((_, at) => BigInt(at + 1)));
    for (const [at, window] of all.entries()) {
      expect(window.endNanos).toBeGreaterThan(window.startNanos);
      expect(window.dueNanos).toBeLessThanOrEqual(window.endNanos);
      expect(window.startNanos).toBe(at === 0 ? window.startNanos : all[at - 1]?.endNanos);
    }
  });

  it('hands over in batches of wakeEvery, which can change while it runs', async () => {
    const { session, batches } = await startRig({ wakeEvery: 4 });
    await until('two batches', () => batches.length >= 2);
    expect(batches.slice(0, 2).map((batch) => batch.length)).toEqual([4, 4]);
    session.setWakeEvery(1);
    await until('single windows', () => batches.slice(-3).every((batch) => batch.length === 1));
  });

  it('changes its window while it runs', async () => {
    const { session, windows } = await startRig({ windowMillis: HOUR_MILLIS });
    await until('the first window', () => windows().length === 1);
    valueOf(session.setWindowMillis(20));
    await until('five windows', () => windows().length >= 5);
    expect(session.setWindowMillis(19)).toMatchObject({ left: { code: 'EINVAL' } });
  });

  it('can be called once', async () => {
    const { session } = await startRig();
    const again = session.start({ windowMillis: 20, wakeEvery: 1, sources: [] }, () => undefined);
    expect(again).toMatchObject({ left: { code: 'EALREADY' } });
  });

  it('reports an exception of the callback as uncaught and goes on', () => {
    const code = `
      let count = 0, caught = 0;
      process.on('uncaughtException', (error) => { if (error.message === 'mine') caught++; });
      const addon = require(process.env.WATTFEED_ADDON_UNDER_TEST);
      addon.openSession(JSON.parse(process.env.OPTIONS)).then(async ({ value }) => {
        value.start({ windowMillis: 20, wakeEvery: 1, sources: [] }, () => { count++; throw new Error('mine'); });
        await value.closeWindow();
        await value.close();
        console.log(count >= 2 && caught === count ? 'kept on' : count + ' ' + caught);
      });`;
    const child = spawnSync(process.execPath, ['-e', code], {
      encoding: 'utf8',
      env: {
        ...process.env,
        WATTFEED_ADDON_UNDER_TEST: ADDON_PATH,
        OPTIONS: JSON.stringify(sessionOptions()),
      },
    });
    expect(child.stdout.trim()).toBe('kept on');
  });
});

describe('closeWindow', () => {
  it('hands the running window over before it resolves', async () => {
    const { session, windows } = await startRig({ windowMillis: HOUR_MILLIS, wakeEvery: 1000 });
    valueOf(await session.closeWindow()());
    const closed = windows();
    expect(closed.at(-1)?.isForced).toBe(true);
    expect(closed.length).toBeGreaterThanOrEqual(1);
    valueOf(await session.closeWindow()());
    expect(windows().length).toBe(closed.length + 1);
  });

  it('answers every one of many callers', async () => {
    const { session } = await startRig({ windowMillis: HOUR_MILLIS });
    const answers = await Promise.all(Array.from({ length: 20 }, () => session.closeWindow()()));
    expect(answers.every(E.isRight)).toBe(true);
  });

  it('is refused before start and after close', async () => {
    const session = valueOf(await port().open(sessionOptions())());
    expect(await session.closeWindow()()).toMatchObject({ left: { code: 'EINVAL' } });
    valueOf(await session.close()());
    expect(await session.closeWindow()()).toMatchObject({ left: { code: 'EBADF' } });
  });
});

describe('close', () => {
  it('takes a final window in which every nanosecond has its place', async () => {
    const { session, windows } = await startRig();
    for (let run = 0; run < 20; run++) spawnSync('true');
    valueOf(await session.close()());
    const all = windows();
    expect(all.filter((window) => window.isFinal)).toEqual([all.at(-1)]);
    expect(sum(all, cpuTaskNanos)).toBeGreaterThan(0);
    expect(sum(all, chargedNanos)).toBe(sum(all, cpuTaskNanos));
  });

  it('may be called twice, at once and later, and delivers one final window', async () => {
    const { session, windows } = await startRig();
    const both = await Promise.all([session.close()(), session.close()()]);
    expect(both.every(E.isRight)).toBe(true);
    valueOf(await session.close()());
    expect(windows().filter((window) => window.isFinal)).toHaveLength(1);
  });

  it('answers a closeWindow that it overtakes', async () => {
    const { session } = await startRig({ windowMillis: HOUR_MILLIS, wakeEvery: 1000 });
    const [window, end] = await Promise.all([session.closeWindow()(), session.close()()]);
    expect([E.isRight(window), E.isRight(end)]).toEqual([true, true]);
  });

  it('makes every later operation a closed session', async () => {
    const { session } = await startRig();
    valueOf(await session.close()());
    const later = [
      session.start({ windowMillis: 20, wakeEvery: 1, sources: [] }, () => undefined),
      session.setWindowMillis(20),
      session.setTag(1, 1),
      session.programStats(),
    ];
    for (const result of later) expect(result).toMatchObject({ left: { code: 'EBADF' } });
  });
});

describe('setTag', () => {
  it('tags the threads of a process, whose rows then carry the tag', async () => {
    const { session, windows } = await startRig();
    expect(valueOf(session.setTag(process.pid, 4_000_000_000))).toBeGreaterThan(1);
    await until('a tagged row of this process', () =>
      windows().some(({ tasks }) =>
        tasks.some((task) => task.tgid === process.pid && task.tag === 4_000_000_000),
      ),
    );
    expect(valueOf(session.setTag(2_147_483_647, 1))).toBe(0);
  });
});

describe('programStats', () => {
  it('counts runs and their time while bpfStats is asked for', async () => {
    const { session, windows } = await startRig({ session: { bpfStats: true } });
    await until('three windows', () => windows().length >= 3);
    const stats = valueOf(session.programStats());
    const atSwitch = stats.find((program) => program.name === 'wf_sched_switch');
    expect(atSwitch?.runCount).toBeGreaterThan(0n);
    expect(atSwitch?.runTimeNanos).toBeGreaterThan(0n);
    expect(stats.map((program) => program.name)).toContain('wf_flush');
  });
});
