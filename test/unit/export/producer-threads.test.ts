// SPDX-License-Identifier: Apache-2.0
import type { CollectionResult } from '@opentelemetry/sdk-metrics';
import { describe, expect, it } from 'vitest';
import { ProducerRig } from '../../support/producer-rig.js';
import { Backend } from '../../support/received.js';

const asked = (maxSeries = 10): ProducerRig =>
  new ProducerRig({ threads: { isExported: true, hasCpuTime: false, maxSeries } });

const pointsOf = ({ resourceMetrics }: CollectionResult, name: string) =>
  resourceMetrics.scopeMetrics[0]?.metrics.find(({ descriptor }) => descriptor.name === name)
    ?.dataPoints ?? [];

const packagePoints = (result: CollectionResult) =>
  pointsOf(result, 'wattfeed.thread.energy').filter(
    ({ attributes }) => attributes['wattfeed.domain'] === 'package',
  );

describe('LedgerProducer: threads', () => {
  it('names a thread, and its process as the process names itself', async () => {
    const rig = asked();
    rig.ledger.burn(rig.ledger.begin(7, 1n, 'a'), 3_000_000n);
    const result = await rig.collect();
    const [process] = pointsOf(result, 'wattfeed.process.energy');
    const created = process?.attributes['process.creation.time'];
    expect(packagePoints(result)).toMatchObject([
      {
        value: 3,
        attributes: {
          'thread.id': 7,
          'thread.name': 'a',
          'wattfeed.thread.creation.time': created,
          'process.pid': 7,
          'process.creation.time': created,
          'wattfeed.domain': 'package',
          'wattfeed.origin': 'measured',
          'wattfeed.split': 'time',
        },
      },
    ]);
    expect(pointsOf(result, 'wattfeed.thread.cpu.time')).toEqual([]);
  });

  it('gives those beyond the cap one sum', async () => {
    const rig = asked(1);
    for (const pid of [1, 2, 3]) rig.ledger.burn(rig.ledger.begin(pid), BigInt(pid) * 1_000_000n);
    const values = packagePoints(await rig.collect()).map(({ value, attributes }) => [
      attributes['thread.id'] ?? attributes['otel.metric.overflow'],
      value,
    ]);
    expect(values).toEqual([
      [3, 3],
      [true, 3],
    ]);
  });

  it('gives an ended thread back once its last value has arrived', async () => {
    const rig = asked();
    const process = rig.ledger.begin(7);
    rig.ledger.burn(process, 3_000_000n);
    await rig.collect();
    process.isExited = true;
    const last = await rig.collect();
    expect(rig.ledger.liveThreads.size).toBe(1);
    new Backend().take(last.resourceMetrics);
    const after = await rig.collect();
    expect(rig.ledger.liveThreads.size).toBe(0);
    expect(packagePoints(after)).toEqual([]);
    expect(pointsOf(after, 'wattfeed.thread.exited.energy')[0]?.value).toBe(3);
  });

  it('says nothing about threads unless asked, and does not even read them', async () => {
    const rig = new ProducerRig();
    rig.ledger.threads = () => {
      throw new Error('read');
    };
    rig.ledger.burn(rig.ledger.begin(7), 3_000_000n);
    const result = await rig.collect();
    expect(result.errors).toEqual([]);
    const names = result.resourceMetrics.scopeMetrics[0]?.metrics.map(
      ({ descriptor }) => descriptor.name,
    );
    expect(names?.filter((name) => name.includes('thread'))).toEqual([]);
    expect(
      pointsOf(result, 'wattfeed.export.series').map(
        ({ attributes }) => attributes['wattfeed.level'],
      ),
    ).not.toContain('thread');
  });
});
