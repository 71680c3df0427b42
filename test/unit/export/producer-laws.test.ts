// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Temporality } from '../../../receiver/export/stream.js';
import type { MovingProcess } from '../../support/moving-ledger.js';
import { partOf, ProducerRig } from '../../support/producer-rig.js';
import { Backend, sumsOf } from '../../support/received.js';

/** What can happen to the processes of a host and to the exports of an agent. */
type Step =
  | { readonly _tag: 'Begin'; readonly cgroup: number }
  | { readonly _tag: 'Burn'; readonly who: number; readonly energy: number }
  | { readonly _tag: 'End'; readonly who: number }
  | { readonly _tag: 'Revive' }
  | { readonly _tag: 'Evict'; readonly who: number; readonly cgroup: number }
  | { readonly _tag: 'Rename'; readonly who: number; readonly name: number }
  | { readonly _tag: 'Relabel'; readonly isByCounters: boolean }
  | { readonly _tag: 'Export'; readonly delivery: 'all' | 'none' | 'part'; readonly seed: number };

const who = fc.nat({ max: 30 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 2, arbitrary: fc.constant({ _tag: 'Revive' as const }) },
  {
    weight: 1,
    arbitrary: fc.record({ _tag: fc.constant('Evict' as const), who, cgroup: fc.nat({ max: 4 }) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ _tag: fc.constant('Begin' as const), cgroup: fc.nat({ max: 4 }) }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      _tag: fc.constant('Burn' as const),
      who,
      energy: fc.integer({ min: 1, max: 5_000_000 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ _tag: fc.constant('End' as const), who }) },
  {
    weight: 1,
    arbitrary: fc.record({ _tag: fc.constant('Rename' as const), who, name: fc.nat({ max: 2 }) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ _tag: fc.constant('Relabel' as const), isByCounters: fc.boolean() }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      _tag: fc.constant('Export' as const),
      delivery: fc.constantFrom('all' as const, 'all' as const, 'none' as const, 'part' as const),
      seed: fc.nat({ max: 6 }),
    }),
  },
);

class Host {
  readonly rig: ProducerRig;
  readonly backend = new Backend();
  #nextPid = 100;

  constructor(temporality: Temporality) {
    const hasCpuTime = temporality === 'delta';
    const processes = { isExported: true, hasCpuTime, maxSeries: 3 };
    this.rig = new ProducerRig({ temporality, processes, threads: processes });
  }

  #one(index: number): MovingProcess | undefined {
    const alive = [...this.rig.ledger.live.values()].filter(({ isExited }) => !isExited);
    return alive[index % Math.max(1, alive.length)];
  }

  async take(action: Step): Promise<void> {
    const { ledger } = this.rig;
    switch (action._tag) {
      case 'Begin':
        ledger.begin(this.#nextPid++, BigInt(action.cgroup));
        return;
      case 'Burn': {
        const process = this.#one(action.who);
        if (process !== undefined) ledger.burn(process, BigInt(action.energy));
        return;
      }
      case 'End': {
        const process = this.#one(action.who);
        if (process !== undefined) process.isExited = true;
        return;
      }
      case 'Revive': {
        // A late row of a process that was taken for ended: it was not forgotten yet.
        const back = [...ledger.live.values()].find(({ isExited }) => isExited);
        if (back !== undefined) back.isExited = false;
        return;
      }
      case 'Evict': {
        ledger.evictCgroup(BigInt(action.cgroup));
        const ended = [...ledger.live.values()].filter(({ isExited }) => isExited);
        const gone = ended[action.who % Math.max(1, ended.length)];
        if (gone !== undefined) ledger.evictProcess(gone);
        return;
      }
      case 'Rename': {
        const process = this.#one(action.who);
        if (process !== undefined)
          process.identity = { ...process.identity, name: `n${action.name}` };
        return;
      }
      case 'Relabel':
        ledger.split = action.isByCounters ? 'counters' : 'time';
        return;
      case 'Export':
        return this.#export(action.delivery, action.seed);
    }
  }

  async #export(delivery: 'all' | 'none' | 'part', seed: number): Promise<void> {
    const result = await this.rig.collect();
    expect(result.errors).toEqual([]);
    if (delivery === 'none') return;
    const pick = (index: number): boolean => delivery === 'all' || (index * 7 + seed) % 3 !== 0;
    this.backend.take(partOf(result.resourceMetrics, pick));
  }

  /** Exports until nothing is left to deliver. */
  async settle(): Promise<void> {
    for (let round = 0; round < 3; round += 1) await this.#export('all', 0);
  }
}

/** Long enough that more processes burn than there are places, and that places change hands. */
const life = fc.array(step, { minLength: 30, maxLength: 90, size: 'max' });
const runs = { numRuns: 30 };
/** Half a second alone; the rest is for a machine that builds beside. */
const TIMEOUT_MILLIS = 60_000;

describe(
  'LedgerProducer, under any life of processes and any fate of exports',
  { timeout: TIMEOUT_MILLIS },
  () => {
    it('exports the whole ledger in every cumulative export, to the microjoule', async () => {
      await fc.assert(
        fc.asyncProperty(life, async (steps) => {
          const host = new Host('cumulative');
          for (const action of steps) await host.take(action);
          const before = host.rig.ledger.total();
          const sums = sumsOf(await host.rig.collect());
          for (const domain of ['package', 'dram'] as const) {
            const processes =
              (sums.get(`wattfeed.process.energy ${domain}`) ?? 0n) +
              (sums.get(`wattfeed.process.exited.energy ${domain}`) ?? 0n);
            expect(processes).toBe(before[domain]);
            const cgroups =
              (sums.get(`wattfeed.cgroup.energy ${domain}`) ?? 0n) +
              (sums.get(`wattfeed.cgroup.removed.energy ${domain}`) ?? 0n);
            expect(cgroups).toBe(before[domain]);
            const threads =
              (sums.get(`wattfeed.thread.energy ${domain}`) ?? 0n) +
              (sums.get(`wattfeed.thread.exited.energy ${domain}`) ?? 0n);
            expect(threads).toBe(before[domain]);
          }
          expect(host.rig.ledger.total()).toEqual(before);
        }),
        runs,
      );
    });

    it.each(['cumulative', 'delta'] as const)(
      'lets %s series only rise, and rise together by exactly what was burned',
      async (temporality) => {
        await fc.assert(
          fc.asyncProperty(life, async (steps) => {
            const host = new Host(temporality);
            for (const action of steps) await host.take(action);
            await host.settle();
            expect(host.backend.faults).toEqual([]);
            const { package: pkg, dram } = host.rig.ledger.total();
            for (const level of ['process', 'cgroup', 'thread']) {
              const metric = `wattfeed.${level}.energy`;
              expect(host.backend.increaseOf(metric, 'package')).toBe(pkg);
              expect(host.backend.increaseOf(metric, 'dram')).toBe(dram);
            }
          }),
          runs,
        );
      },
    );

    it('gives every ended process and thread back to the ledger once its last value has arrived', async () => {
      await fc.assert(
        fc.asyncProperty(life, async (steps) => {
          const host = new Host('cumulative');
          for (const action of steps) await host.take(action);
          await host.settle();
          const waiting = [...host.rig.ledger.live.values()].filter(({ isExited }) => isExited);
          expect(waiting).toEqual([]);
          const { liveThreads } = host.rig.ledger;
          expect([...liveThreads.values()].filter(({ process }) => process.isExited)).toEqual([]);
        }),
        runs,
      );
    });

    it('never has more than the cap of process series and what waits for delivery', async () => {
      await fc.assert(
        fc.asyncProperty(life, async (steps) => {
          const host = new Host('cumulative');
          for (const action of steps) await host.take(action);
          await host.settle();
          const result = await host.rig.collect();
          const metric = result.resourceMetrics.scopeMetrics[0]?.metrics.find(
            ({ descriptor }) => descriptor.name === 'wattfeed.process.energy',
          );
          const pids = new Set(
            metric?.dataPoints
              .map(({ attributes }) => attributes['process.pid'])
              .filter((pid) => pid !== undefined),
          );
          expect(pids.size).toBeLessThanOrEqual(3);
        }),
        runs,
      );
    });
  },
);
