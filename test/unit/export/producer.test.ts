// SPDX-License-Identifier: Apache-2.0
import type { CollectionResult } from '@opentelemetry/sdk-metrics';
import { describe, expect, it } from 'vitest';
import { MIN_RESIDENCE_EXPORTS } from '../../../receiver/export/selection.js';
import { ProducerRig, partOf } from '../../support/producer-rig.js';
import { Backend, microjoulesIn } from '../../support/received.js';

const ENERGY = 'wattfeed.process.energy';

const pointsOf = (result: CollectionResult, name: string) =>
  result.resourceMetrics.scopeMetrics[0]?.metrics.find(({ descriptor }) => descriptor.name === name)
    ?.dataPoints ?? [];

/** Package energy of each process series by command name, `*` for the overflow; microjoules. */
const energies = (result: CollectionResult): Readonly<Record<string, bigint>> => {
  const byName: Record<string, bigint> = {};
  for (const { attributes, value } of pointsOf(result, ENERGY)) {
    if (attributes['wattfeed.domain'] !== 'package' || typeof value !== 'number') continue;
    const name = attributes['process.executable.name'];
    byName[typeof name === 'string' ? name : '*'] = microjoulesIn(value);
  }
  return byName;
};

const exited = (result: CollectionResult): bigint =>
  pointsOf(result, 'wattfeed.process.exited.energy').reduce(
    (sum, { attributes, value }) =>
      attributes['wattfeed.domain'] === 'package' && typeof value === 'number'
        ? sum + microjoulesIn(value)
        : sum,
    0n,
  );

const deliver = (result: CollectionResult): void => {
  new Backend().take(partOf(result.resourceMetrics, () => true));
};

const small = (maxSeries: number): ProducerRig =>
  new ProducerRig({ processes: { isExported: true, hasCpuTime: false, maxSeries } });

describe('LedgerProducer', () => {
  it('exports nothing before the first window', async () => {
    const { producer } = new ProducerRig();
    expect((await producer.collect()).resourceMetrics.scopeMetrics).toEqual([]);
  });

  it('repeats the last value of an ended process until it has arrived, then gives it back', async () => {
    const rig = new ProducerRig();
    const a = rig.ledger.begin(1, 1n, 'a');
    rig.ledger.burn(a, 2_000_000n);
    deliver(await rig.collect());
    rig.ledger.burn(a, 5n);
    a.isExited = true;
    expect(energies(await rig.collect())).toEqual({ a: 2_000_005n });
    const last = await rig.collect();
    expect(energies(last)).toEqual({ a: 2_000_005n });
    expect(rig.retired).toEqual([]);
    deliver(last);
    const after = await rig.collect();
    expect(energies(after)).toEqual({});
    expect(exited(after)).toBe(2_000_005n);
    expect(rig.retired.map(({ pid }) => pid)).toEqual([1]);
  });

  it('goes on with a process that was taken for ended and was not', async () => {
    const rig = new ProducerRig();
    const a = rig.ledger.begin(1, 1n, 'a');
    rig.ledger.burn(a, 100n);
    deliver(await rig.collect());
    a.isExited = true;
    rig.ledger.burn(a, 5n);
    await rig.collect();
    a.isExited = false;
    rig.ledger.burn(a, 11n);
    expect(energies(await rig.collect())).toEqual({ a: 116n });
  });

  it('begins anew for such a process if its last value had arrived already', async () => {
    const rig = new ProducerRig();
    const a = rig.ledger.begin(1, 1n, 'a');
    rig.ledger.burn(a, 100n);
    deliver(await rig.collect());
    a.isExited = true;
    await rig.collect();
    a.isExited = false;
    rig.ledger.burn(a, 11n);
    const result = await rig.collect();
    expect(energies(result)).toEqual({ a: 11n });
    expect(exited(result)).toBe(100n);
  });

  it('ends a series when its process is renamed, and begins another at zero', async () => {
    const rig = new ProducerRig();
    const process = rig.ledger.begin(1, 1n, 'sh');
    rig.ledger.burn(process, 100n);
    deliver(await rig.collect());
    process.identity = { ...process.identity, name: 'stress' };
    rig.ledger.burn(process, 7n);
    const atRename = await rig.collect();
    expect(energies(atRename)).toEqual({ sh: 107n, stress: 0n });
    deliver(atRename);
    rig.ledger.burn(process, 50n);
    const after = await rig.collect();
    expect(energies(after)).toEqual({ stress: 50n });
    expect(exited(after)).toBe(107n);
  });

  it('takes a series up again whose end nobody has received yet', async () => {
    const rig = new ProducerRig();
    const process = rig.ledger.begin(1, 1n, 'a');
    rig.ledger.burn(process, 100n);
    await rig.collect();
    process.identity = { ...process.identity, name: 'b' };
    await rig.collect();
    rig.ledger.burn(process, 10n);
    process.identity = { ...process.identity, name: 'a' };
    await rig.collect();
    rig.ledger.burn(process, 1n);
    expect(energies(await rig.collect())).toEqual({ a: 101n, b: 10n });
  });

  it('stops following a name that changes for ever', async () => {
    const rig = new ProducerRig();
    const process = rig.ledger.begin(1);
    const names = new Set<string>();
    for (let round = 0; round < 30; round += 1) {
      process.identity = { ...process.identity, name: `n${round}` };
      rig.ledger.burn(process, 1n);
      const result = await rig.collect();
      for (const name of Object.keys(energies(result))) names.add(name);
      deliver(result);
    }
    expect(names.size).toBe(9);
  });

  it('ends all attributed series when the way of splitting changes', async () => {
    const rig = new ProducerRig();
    rig.ledger.burn(rig.ledger.begin(1), 100n);
    deliver(await rig.collect());
    rig.ledger.split = 'counters';
    const labels = pointsOf(await rig.collect(), ENERGY).map(
      ({ attributes }) => attributes['wattfeed.split'],
    );
    expect([...new Set(labels)].sort()).toEqual(['counters', 'time']);
  });

  it('lets a process that gets a place later count from the export before', async () => {
    const rig = small(1);
    const [a, b] = [rig.ledger.begin(1, 1n, 'a'), rig.ledger.begin(2, 1n, 'b')];
    rig.ledger.burn(a, 100n);
    rig.ledger.burn(b, 40n);
    deliver(await rig.collect());
    a.isExited = true;
    rig.ledger.burn(b, 3n);
    expect(energies(await rig.collect())).toEqual({ a: 100n, b: 3n, '*': 40n });
  });

  it('gives the place of an idle process to one that burns, in time', async () => {
    const rig = small(1);
    const [idle, busy] = [rig.ledger.begin(1, 1n, 'idle'), rig.ledger.begin(2, 1n, 'busy')];
    rig.ledger.burn(idle, 100n);
    deliver(await rig.collect());
    let exports = 0;
    for (; exports < 20; exports += 1) {
      rig.ledger.burn(busy, 10n);
      const result = await rig.collect();
      deliver(result);
      if ('busy' in energies(result)) break;
    }
    expect(exports).toBe(MIN_RESIDENCE_EXPORTS - 1);
    rig.ledger.burn(idle, 1_000n);
    const after = energies(await rig.collect());
    expect(after).toEqual({ busy: 10n, '*': BigInt(exports) * 10n + 1_000n });
  });

  it('makes no series for short processes that burned next to nothing', async () => {
    const rig = new ProducerRig();
    for (let pid = 1; pid <= 500; pid += 1) {
      const short = rig.ledger.begin(pid);
      rig.ledger.burn(short, pid === 500 ? 1_000_000n : 1_000n);
      short.isExited = true;
    }
    const result = await rig.collect();
    expect(energies(result)).toEqual({ 'worker-500': 750_000n + 250_000n, '*': 499_000n });
    expect(rig.retired).toHaveLength(499);
  });

  it('tells absent from zero: no DRAM counter, no DRAM series', async () => {
    const rig = new ProducerRig();
    rig.ledger.hasDram = false;
    rig.ledger.burn(rig.ledger.begin(1), 100n, 0n);
    const domains = pointsOf(await rig.collect(), ENERGY).map(
      ({ attributes }) => attributes['wattfeed.domain'],
    );
    expect(domains).toEqual(['package']);
  });

  it('resolves with what it has when the ledger throws', async () => {
    const rig = new ProducerRig();
    rig.closeWindow();
    rig.ledger.processes = () => {
      throw new Error('broken');
    };
    const result = await rig.producer.collect();
    expect(result.errors).toEqual([new Error('broken')]);
    expect(pointsOf(result, 'wattfeed.window.count')).toHaveLength(1);
    expect(rig.counts.collectFailures).toBe(1n);
  });

  it('does not count twice what a process burned that came back and went while its last value waited', async () => {
    const rig = new ProducerRig();
    const a = rig.ledger.begin(1, 1n, 'a');
    rig.ledger.burn(a, 2_000_000n);
    deliver(await rig.collect());
    rig.ledger.burn(a, 5n);
    a.isExited = true;
    await rig.collect();
    rig.ledger.burn(a, 10n);
    expect(energies(await rig.collect())).toEqual({ a: 2_000_005n, '*': 10n });
    a.isExited = false;
    rig.ledger.burn(a, 1n);
    expect(energies(await rig.collect())).toEqual({ a: 2_000_006n, '*': 10n });
  });

  it('exports no level that was turned off, and still gives ended processes back', async () => {
    const rig = new ProducerRig({
      processes: { isExported: false, hasCpuTime: true, maxSeries: 10 },
    });
    const process = rig.ledger.begin(1);
    rig.ledger.burn(process, 9_000_000n);
    await rig.collect();
    process.isExited = true;
    const result = await rig.collect();
    expect(pointsOf(result, ENERGY)).toEqual([]);
    expect(pointsOf(result, 'wattfeed.process.cpu.time')).toEqual([]);
    expect(rig.retired).toHaveLength(1);
  });

  it('lets the event loop run between chunks of points', async () => {
    const rig = small(10_000);
    for (let pid = 1; pid <= 10_000; pid += 1) rig.ledger.burn(rig.ledger.begin(pid), 1_000n);
    rig.closeWindow();
    let turns = 0;
    const count = (): void => {
      turns += 1;
      timer = setImmediate(count);
    };
    let timer = setImmediate(count);
    await rig.producer.collect();
    clearImmediate(timer);
    expect(turns).toBeGreaterThan(10);
  });
});
