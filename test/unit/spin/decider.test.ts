// SPDX-License-Identifier: Apache-2.0
import { Worker } from 'node:worker_threads';
import { afterEach, describe, expect, it } from 'vitest';
import { SpinDecider, type SpinDeciderOptions } from '../../../receiver/agent/spin-decider.js';
import { until } from '../../support/until.js';

/** As the agent's, from its source. */
const realWorker = (): Worker =>
  new Worker(new URL('../../../receiver/agent/spin-worker.ts', import.meta.url), {
    execArgv: ['--import', 'tsx'],
  });

const worker = (source: string, workerData?: unknown): Worker =>
  new Worker(`const { parentPort, workerData } = require('node:worker_threads');\n${source}`, {
    eval: true,
    workerData,
  });

const ANSWER = `const answer = ({ number, request: { tid } }) => parentPort.postMessage({
  number, error: undefined, decision: { costMillis: 1, examination: { tid, verdict: { _tag: 'Working' } } },
});`;
const OBEDIENT = `${ANSWER} parentPort.on('message', answer);`;

const requestOf = (tid: number) => ({
  bytes: new Uint8Array(16),
  tid,
  tgid: tid,
  procfsRoot: '/proc',
});
const verdictOf = (decision: Awaited<ReturnType<SpinDecider['decide']>>) =>
  decision?.examination.verdict;

const deciders: SpinDecider[] = [];
const failures: string[] = [];
const deciderWith = (
  startWorker: () => Worker,
  more: Partial<SpinDeciderOptions> = {},
): SpinDecider => {
  const decider = new SpinDecider({
    onFailure: (cause) => failures.push(cause),
    startWorker,
    ...more,
  });
  deciders.push(decider);
  return decider;
};

describe('SpinDecider', () => {
  afterEach(() => {
    for (const decider of deciders.splice(0)) decider.close();
    failures.length = 0;
  });

  it('lets the event loop go on while a decision is under way', async () => {
    const shared = new Int32Array(new SharedArrayBuffer(4));
    const waits = `${ANSWER} parentPort.on('message', (m) => { Atomics.wait(workerData, 0, 0); answer(m); });`;
    const decider = deciderWith(() => worker(waits, shared));
    let isDecided = false;
    const decision = decider.decide(requestOf(7)).finally(() => (isDecided = true));
    for (let turn = 0; turn < 100; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    expect(isDecided).toBe(false);
    Atomics.store(shared, 0, 1);
    Atomics.notify(shared, 0);
    expect(verdictOf(await decision)).toEqual({ _tag: 'Working' });
  });

  it('takes no bytes for samples of a thread that are none', async () => {
    const decider = deciderWith(realWorker);
    expect(await decider.decide(requestOf(7))).toBeUndefined();
    expect(failures).toEqual([]);
  });

  it('answers each of several questions', async () => {
    const decider = deciderWith(() => worker(OBEDIENT));
    const tids = [3, 1, 2];
    const decisions = await Promise.all(tids.map(async (tid) => decider.decide(requestOf(tid))));
    expect(decisions.map((decision) => decision?.examination.tid)).toEqual(tids);
  });

  it('says unknown when its thread dies, and takes a new one', async () => {
    let started = 0;
    const decider = deciderWith(() => {
      started += 1;
      return worker(started === 1 ? `parentPort.once('message', () => process.exit(9))` : OBEDIENT);
    });
    const broken = await Promise.all([1, 2].map(async (tid) => decider.decide(requestOf(tid))));
    expect(broken.map(verdictOf)).toMatchObject([{ _tag: 'Unknown' }, { _tag: 'Unknown' }]);
    expect(failures).toEqual(['its thread ended with code 9']);
    expect(verdictOf(await decider.decide(requestOf(3)))).toEqual({ _tag: 'Working' });
  });

  it('says unknown when its thread breaks', async () => {
    const decider = deciderWith(() =>
      worker(`parentPort.once('message', () => { throw new RangeError('mine'); })`),
    );
    expect(verdictOf(await decider.decide(requestOf(1)))).toMatchObject({ _tag: 'Unknown' });
    expect(failures).toEqual(['RangeError: mine']);
  });

  it('says unknown when an answer does not come, and waits no longer', async () => {
    const decider = deciderWith(
      () =>
        worker(`parentPort.postMessage('ready'); parentPort.on('message', () => { for (;;); })`),
      {
        limitMillis: 50,
      },
    );
    expect(verdictOf(await decider.decide(requestOf(1)))).toMatchObject({ _tag: 'Unknown' });
    expect(decider.hasWorker).toBe(false);
  });

  it('gives each answer its time, not all of them together', async () => {
    const slow = `${ANSWER} const cell = new Int32Array(new SharedArrayBuffer(4));
      parentPort.on('message', (m) => { Atomics.wait(cell, 0, 0, 400); answer(m); });`;
    const decider = deciderWith(() => worker(slow), { limitMillis: 2_000 });
    const tids = [1, 2, 3, 4, 5, 6];
    const decisions = await Promise.all(tids.map(async (tid) => decider.decide(requestOf(tid))));
    expect(decisions.map(verdictOf)).toEqual(tids.map(() => ({ _tag: 'Working' })));
  });

  it('keeps no thread for which there is nothing to do', async () => {
    const decider = deciderWith(() => worker(OBEDIENT), { idleMillis: 1 });
    await decider.decide(requestOf(1));
    await until('the thread to go', () => !decider.hasWorker);
    expect(verdictOf(await decider.decide(requestOf(2)))).toEqual({ _tag: 'Working' });
    expect(failures).toEqual([]);
  });
});
