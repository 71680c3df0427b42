// SPDX-License-Identifier: Apache-2.0
import { ExportResultCode, type ExportResult } from '@opentelemetry/core';
import type { PushMetricExporter, ResourceMetrics } from '@opentelemetry/sdk-metrics';
import { beforeEach, describe, expect, it } from 'vitest';
import { pointsIn } from '../../../receiver/export/batches.js';
import { ExportCounts } from '../../../receiver/export/export-counts.js';
import { ResilientExporter } from '../../../receiver/export/exporter.js';
import { changeText } from '../../../receiver/export/provider.js';
import { ProducerRig } from '../../support/producer-rig.js';

class StatusError extends Error {
  constructor(
    readonly code: number,
    message = `status ${code}`,
  ) {
    super(message);
  }
}

/** An exporter whose answers a test gives beforehand. */
class Scripted implements PushMetricExporter {
  isShutDown = false;
  constructor(private readonly answers: (Error | undefined)[]) {}
  export(_metrics: ResourceMetrics, callback: (result: ExportResult) => void): void {
    const error = this.answers.shift();
    callback(
      error === undefined
        ? { code: ExportResultCode.SUCCESS }
        : { code: ExportResultCode.FAILED, error },
    );
  }
  forceFlush(): Promise<void> {
    return Promise.resolve();
  }
  shutdown(): Promise<void> {
    this.isShutDown = true;
    return Promise.resolve();
  }
}

const UNAVAILABLE = new StatusError(14);
const DEADLINE = new StatusError(4);
const EXHAUSTED = new StatusError(8, 'too many requests');
const CYCLE_MILLIS = 1_000;

describe('ResilientExporter', () => {
  let answers: (Error | undefined)[];
  let built: Scripted[];
  let counts: ExportCounts;
  let said: string[];
  let now: number;
  let exporter: ResilientExporter;
  let batch: ResourceMetrics;

  beforeEach(async () => {
    answers = [];
    built = [];
    said = [];
    now = 0;
    counts = new ExportCounts();
    exporter = new ResilientExporter(
      {
        build: () => {
          const one = new Scripted(answers);
          built.push(one);
          return one;
        },
        counts,
        nowMillis: () => now,
        onChange: (change) => said.push(changeText(change, 'http://c:4317')),
      },
      CYCLE_MILLIS,
    );
    const rig = new ProducerRig();
    for (let pid = 1; pid <= 60; pid += 1) rig.ledger.burn(rig.ledger.begin(pid), 5_000_000n);
    batch = (await rig.collect()).resourceMetrics;
  });

  const send = (): Promise<ExportResultCode> =>
    new Promise((resolve) => exporter.export(batch, ({ code }) => resolve(code)));

  /** One interval of as many batches as answers are given. */
  const interval = async (...given: (Error | undefined)[]): Promise<void> => {
    answers.push(...given);
    exporter.beginCycle();
    for (const _ of given) await send();
  };

  it('says why nobody answers, without the empty note that gRPC adds', async () => {
    await interval(new StatusError(14, 'No connection established. Resolution note: '));
    expect(said).toHaveLength(1);
    expect(said[0]).toContain('unreachable (unavailable: No connection established.); measuring');
  });

  it('counts delivered points', async () => {
    await interval(undefined);
    expect(counts.delivered).toBeGreaterThan(20n);
    expect(counts.failures.size).toBe(0);
    expect(said).toEqual([]);
  });

  it.each([UNAVAILABLE, DEADLINE])(
    'tries no other batch of an interval after %s',
    async (error) => {
      await interval(error, undefined, undefined);
      expect(counts.failures.get('skipped')).toBe(2n);
      expect(counts.delivered).toBe(0n);
      expect(answers).toHaveLength(2);
    },
  );

  it('goes on with the next batch after a refusal', async () => {
    await interval(EXHAUSTED, undefined);
    expect(counts.failures).toEqual(new Map([['resource_exhausted', 1n]]));
    expect(counts.delivered).toBeGreaterThan(0n);
  });

  it('tries nothing more once the time of the interval is over', async () => {
    exporter.beginCycle();
    now = CYCLE_MILLIS;
    expect(await send()).toBe(ExportResultCode.FAILED);
    expect(counts.failures.get('skipped')).toBe(1n);
  });

  it('says once that nobody answers, and once that it works again', async () => {
    for (let round = 0; round < 10; round += 1) await interval(UNAVAILABLE);
    await interval(undefined);
    await interval(undefined);
    await interval(undefined);
    expect(said).toHaveLength(2);
    expect(said[0]).toContain('unreachable (unavailable');
    expect(said[1]).toContain('works again after 10 failed intervals');
  });

  const greet = (answer: Error | undefined): Promise<void> => {
    answers.push(answer);
    return exporter.greet({ ...batch, scopeMetrics: [] });
  };

  it('says nothing of a collector that answers its greeting', async () => {
    await greet(undefined);
    expect([said, counts.failures.size, counts.delivered]).toEqual([[], 0, 0n]);
  });

  it('says before the first interval that nobody answers, and not again in it', async () => {
    await greet(UNAVAILABLE);
    expect(said).toEqual([expect.stringContaining('unreachable (unavailable')]);
    await interval(UNAVAILABLE);
    expect(said).toHaveLength(1);
    expect([counts.failures, built.length]).toEqual([new Map([['unavailable', 2n]]), 2]);
  });

  it('says that it works where the collector has come up before the first interval', async () => {
    await greet(UNAVAILABLE);
    await interval(undefined);
    await interval(undefined);
    expect(said[1]).toBe('export to http://c:4317: works now');
  });

  it('says a refusal of its greeting, and keeps the channel', async () => {
    await greet(new StatusError(16));
    expect(said).toEqual([expect.stringContaining('refused (unauthenticated')]);
    expect(built).toHaveLength(1);
  });

  it('says a refusal of one batch in every interval once', async () => {
    for (let round = 0; round < 5; round += 1) await interval(undefined, EXHAUSTED, undefined);
    expect(said).toEqual([expect.stringContaining('too many requests')]);
  });

  it('cuts messages that are too large in half, for good, and says so', async () => {
    const tooLarge = new StatusError(8, 'received message larger than max (5000000 vs 4194304)');
    const whole = pointsIn(batch);
    answers.push(tooLarge, undefined, undefined);
    exporter.beginCycle();
    expect(await send()).toBe(ExportResultCode.SUCCESS);
    expect(counts.delivered).toBe(BigInt(whole));
    expect(counts.dropped).toBe(0n);
    expect(counts.failures.get('resource_exhausted')).toBe(1n);
    answers.push(undefined, undefined);
    expect(await send()).toBe(ExportResultCode.SUCCESS);
    expect(answers).toEqual([]);
    expect(said).toEqual([expect.stringContaining(`${Math.ceil(whole / 2)} points at a time`)]);
  });

  it('gives up on a message that cannot be cut any smaller', async () => {
    const tooLarge = new StatusError(8, 'received message larger than max (5000000 vs 4194304)');
    answers.push(...Array.from({ length: 20 }, () => tooLarge));
    exporter.beginCycle();
    expect(await send()).toBe(ExportResultCode.FAILED);
    expect(counts.dropped).toBe(BigInt(pointsIn(batch)));
  });

  it('never repeats what a collector says about credentials', async () => {
    await interval(new StatusError(16, 'bad token hunter2'));
    expect(said.join()).toContain('unauthenticated');
    expect(said.join()).not.toContain('hunter2');
  });

  it('begins with a new channel from the third lost interval on', async () => {
    for (let round = 0; round < 3; round += 1) await interval(UNAVAILABLE);
    expect(built).toHaveLength(1);
    await interval(UNAVAILABLE);
    expect(built).toHaveLength(2);
    expect(built[0]?.isShutDown).toBe(true);
    await interval(undefined);
    expect(built).toHaveLength(3);
    await interval(undefined);
    expect(built).toHaveLength(3);
    expect(counts.rebuilds).toBe(2n);
  });

  it('keeps the channel of a collector that answers, even with no', async () => {
    for (let round = 0; round < 9; round += 1) await interval(EXHAUSTED);
    expect(built).toHaveLength(1);
  });
});
