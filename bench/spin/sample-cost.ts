// SPDX-License-Identifier: Apache-2.0
/**
 * What one sample takes from the thread that is sampled, the interrupt around it included: its pace while
 * it is sampled fast and while it is not, by turns.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import * as E from 'fp-ts/lib/Either.js';
import { openSpinSampler } from '../../native/index.js';
import { timespecTable } from '../../receiver/spin/decode.js';
import { CORPUS } from '../../test/spin/corpus.js';
import { quantile } from '../lib/statistics.js';

interface Slice {
  readonly endNanos: bigint;
  readonly spanNanos: number;
  /** Per nanosecond. */
  readonly pace: number;
}

/** As fast as the sampler ever samples: what one costs is seen in a few seconds. */
const HERTZ = 5_000;
const TURN_MILLIS = 200;
/** Slices in which others took the CPU say nothing of the sampler. */
const UNDISTURBED = 0.75;

const right = <A>(result: E.Either<unknown, A>): A => {
  if (E.isLeft(result)) throw new Error(JSON.stringify(result.left));
  return result.right;
};

interface Turn {
  readonly isSampled: boolean;
  readonly beginNanos: bigint;
  readonly endNanos: bigint;
}

const paceOf = (slices: readonly Slice[], turns: readonly Turn[], isSampled: boolean): number => {
  const within = slices.filter(({ endNanos, spanNanos }) =>
    turns.some(
      (turn) =>
        turn.isSampled === isSampled &&
        endNanos <= turn.endNanos &&
        endNanos - BigInt(spanNanos) >= turn.beginNanos,
    ),
  );
  return quantile(
    within.map(({ pace }) => pace),
    UNDISTURBED,
  );
};

export interface SampleCost {
  /** Of the sampled thread's time, per sample. */
  readonly nanosEach: number;
  readonly sliceCount: number;
}

/** `memoryKib`: what the sampled program walks through. */
export const sampleCost = async (memoryKib: number, seconds: number): Promise<SampleCost> => {
  const sampler = right(openSpinSampler(timespecTable(), 1));
  const child = spawn(`${CORPUS}build/pace-O2`, [String(memoryKib)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child, 'spawn');
  const slices: Slice[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => {
    const [end = '', span = '', rounds = ''] = line.split(' ');
    const spanNanos = Number(span);
    slices.push({ endNanos: BigInt(end), spanNanos, pace: Number(rounds) / spanNanos });
  });
  const turns: Turn[] = [];
  try {
    for (let at = 0; at < (seconds * 1_000) / TURN_MILLIS; at += 1) {
      const isSampled = at % 2 === 1;
      if (isSampled) right(sampler.begin(0, child.pid ?? -1, HERTZ));
      const beginNanos = process.hrtime.bigint();
      await wait(TURN_MILLIS);
      turns.push({ isSampled, beginNanos, endNanos: process.hrtime.bigint() });
      if (isSampled) right(sampler.end(0));
    }
  } finally {
    child.kill('SIGKILL');
    sampler.close();
  }
  const [free, sampled] = [paceOf(slices, turns, false), paceOf(slices, turns, true)];
  return { nanosEach: ((free - sampled) / free / HERTZ) * 1e9, sliceCount: slices.length };
};
