// SPDX-License-Identifier: Apache-2.0
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import * as E from 'fp-ts/lib/Either.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openSpinSampler } from '../../native/index.js';
import { decodeSamples, timespecTable } from '../../receiver/spin/decode.js';
import { MAX_EXAMINED, type SpinSampler } from '../../receiver/spin/port.js';
import { sampleCount, type ThreadSamples } from '../../receiver/spin/samples.js';
import { until } from '../support/until.js';

const YIELDS = 'import select\np = select.poll()\nwhile True: p.poll(0)';
const POLL = 7;

let sampler: SpinSampler;

const right = <A>(result: E.Either<unknown, A>): A => {
  if (E.isLeft(result)) throw new Error(JSON.stringify(result.left));
  return result.right;
};

const codeOf = (result: E.Either<{ readonly code: string }, unknown>): string =>
  E.isLeft(result) ? result.left.code : 'ok';

const samplesOf = (bytes: Uint8Array): ThreadSamples => {
  const samples = decodeSamples(bytes);
  if (samples === undefined) throw new Error('not a record');
  return samples;
};

/** CPU time of this thread, so that competitors do not shorten it. */
const burn = (millis: number): void => {
  const before = process.cpuUsage();
  for (let spent = 0; spent < millis * 1000;) {
    const { user, system } = process.cpuUsage(before);
    spent = user + system;
  }
};

beforeEach(() => {
  sampler = right(openSpinSampler(timespecTable(), 4));
});
afterEach(() => {
  sampler.close();
  sampler.close();
});

describe('openSpinSampler', () => {
  it('samples a thread while it runs, and no longer', async () => {
    right(sampler.begin(0, process.pid, 199));
    await until('some samples', () => {
      burn(200);
      return true;
    });
    const countBefore = right(sampler.sampleCount(0));
    const samples = samplesOf(right(sampler.end(0)));
    expect(countBefore).toBeGreaterThan(10);
    expect(right(sampler.sampleCount(0))).toBe(sampleCount(samples));
    expect(samples.tid).toBe(process.pid);
    expect(samples.is32Bit).toBe(false);
    expect(sampleCount(samples)).toBeGreaterThan(10);
    expect(samples.program.length).toBeGreaterThan(0);
    expect(samples.program.every(({ address }) => address > 0n)).toBe(true);
    burn(50);
    expect(samplesOf(right(sampler.end(0)))).toEqual(samples);
  });

  it('begins each examination with an empty record', () => {
    right(sampler.begin(3, process.pid, 199));
    burn(50);
    right(sampler.end(3));
    // The parent sleeps.
    right(sampler.begin(3, process.ppid, 199));
    expect(right(sampler.sampleCount(3))).toBeLessThan(5);
    const { tid } = samplesOf(right(sampler.end(3)));
    expect([0, process.ppid]).toContain(tid);
  });

  it('says that a thread is gone', () => {
    expect(codeOf(sampler.begin(0, 4_194_303, 199))).toBe('ESRCH');
  });

  it.each([
    [-1, 1, 1],
    [4, 1, 1],
    [0, 0, 1],
    [0, 1, 0],
    [0, 1, 10_001],
    [0.5, 1, 1],
  ])('refuses record %d, thread %d, %d Hz', (number, tid, hertz) => {
    expect(codeOf(sampler.begin(number, tid, hertz))).toBe('EINVAL');
  });

  it.each([0, MAX_EXAMINED + 1, 1.5])('refuses %d records', (records) => {
    expect(codeOf(openSpinSampler(timespecTable(), records))).toBe('EINVAL');
  });

  it('notes the call a thread is in, with its arguments', async () => {
    const child = spawn('python3', ['-c', YIELDS], { stdio: 'ignore' });
    try {
      await once(child, 'spawn');
      right(sampler.begin(1, child.pid ?? -1, 997));
      await wait(1_500);
      const { calls, tid } = samplesOf(right(sampler.end(1)));
      expect(tid).toBe(child.pid);
      const waits = calls.filter(({ number }) => number === POLL);
      expect(waits.length).toBeGreaterThan(10);
      for (const { callArguments } of waits) expect(callArguments.slice(1, 3)).toEqual([0n, 0n]);
    } finally {
      child.kill('SIGKILL');
    }
  });

  it('answers with an error once it is closed', () => {
    sampler.close();
    expect(codeOf(sampler.begin(0, process.pid, 199))).toBe('EBADF');
    expect(codeOf(sampler.sampleCount(0))).toBe('EBADF');
    expect(codeOf(sampler.end(0))).toBe('EBADF');
  });
});
