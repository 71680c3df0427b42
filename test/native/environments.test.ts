// SPDX-License-Identifier: Apache-2.0
/** The addon in Workers, in processes that end under it, and after them: nothing may stay behind. */
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { ADDON_PATH, TWENTY_LOADS_MILLIS, sessionOptions } from './support.js';

const SETTINGS = { addonPath: ADDON_PATH, options: sessionOptions() };

/** Opens and starts a session, then does `then` with it. `settings` is in scope. */
const script = (then: string): string => `
  const addon = require(settings.addonPath);
  addon.openSession(settings.options).then(async (opened) => {
    const session = opened.value;
    let windowBatches = 0;
    session.start({ windowMillis: 20, wakeEvery: 1, sources: [] }, () => windowBatches++);
    const windows = async (count) => {
      while (windowBatches < count) await new Promise((resolve) => setTimeout(resolve, 5));
    };
    ${then}
  });`;

const inWorker = (then: string): Worker =>
  new Worker(
    `const { workerData: settings, parentPort } = require('node:worker_threads'); ${script(then)}`,
    { eval: true, workerData: SETTINGS },
  );

const inProcess = (then: string) =>
  spawnSync(
    process.execPath,
    ['-e', `const settings = JSON.parse(process.env.SETTINGS); ${script(then)}`],
    {
      encoding: 'utf8',
      timeout: 30_000,
      env: { ...process.env, SETTINGS: JSON.stringify(SETTINGS) },
    },
  );

const programCount = (): number => {
  const shown = spawnSync('bpftool', ['prog', 'show', 'name', 'wf_flush'], { encoding: 'utf8' });
  return shown.stdout.split('\n').filter((line) => line.includes('name wf_flush')).length;
};

describe('Worker', () => {
  it(
    'starts and stops a session twenty times',
    async () => {
      for (let round = 0; round < 20; round++) {
        const worker = inWorker(`await windows(2); await session.close();`);
        expect(await once(worker, 'exit')).toEqual([0]);
      }
    },
    TWENTY_LOADS_MILLIS,
  );

  it('may be terminated with its session open', async () => {
    for (let round = 0; round < 5; round++) {
      const worker = inWorker(`await windows(2); parentPort.postMessage('running');`);
      await once(worker, 'message');
      await worker.terminate();
    }
  });

  it('may end by itself with its session open', async () => {
    const worker = inWorker(`await windows(2); process.exit(0);`);
    expect(await once(worker, 'exit')).toEqual([0]);
  });

  it('may be terminated while a session is being opened or closed', async () => {
    for (const then of [
      `parentPort.postMessage(1);`,
      `session.close(); parentPort.postMessage(1);`,
    ]) {
      const worker = inWorker(then);
      await once(worker, 'message');
      await worker.terminate();
    }
    const opening = new Worker(
      `const { workerData: settings } = require('node:worker_threads');
       require(settings.addonPath).openSession(settings.options);
       process.exit(0);`,
      { eval: true, workerData: SETTINGS },
    );
    expect(await once(opening, 'exit')).toEqual([0]);
  });

  it('has a session of its own beside another', async () => {
    const workers = [0, 1].map(() => inWorker(`await windows(3); await session.close();`));
    const codes = await Promise.all(workers.map((worker) => once(worker, 'exit')));
    expect(codes).toEqual([[0], [0]]);
  });
});

describe('process', () => {
  it.each([
    ['process.exit', `await windows(2); process.exit(0);`, 0],
    ['process.exit while closing', `session.close(); process.exit(0);`, 0],
    [
      'an uncaught exception',
      `await windows(1); setImmediate(() => { throw new Error('x'); });`,
      1,
    ],
  ])('ends with its session open by %s', (_, then, status) => {
    expect(inProcess(then)).toMatchObject({ status, signal: null });
  });

  it('ends by itself once its session is closed', () => {
    expect(inProcess(`await session.close();`)).toMatchObject({ status: 0, signal: null });
  });

  it('leaves no program behind, even when killed', async () => {
    const before = programCount();
    const ends = [
      inProcess(`await windows(1); process.exit(0);`),
      inProcess(`await windows(1); process.kill(process.pid, 'SIGKILL');`),
    ];
    expect(ends.map((end) => end.signal)).toEqual([null, 'SIGKILL']);
    // the kernel frees programs a moment after their last holder
    await expect.poll(programCount, { timeout: 10_000 }).toBeLessThanOrEqual(before);
  });
});
