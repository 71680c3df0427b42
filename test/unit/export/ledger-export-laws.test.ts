// SPDX-License-Identifier: Apache-2.0
/** The real attribution, the real ledger and the real producer together: no joule is lost between them. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Identities } from '../../../receiver/attribution/ledger-entries.js';
import type { LedgerLimits } from '../../../receiver/attribution/ledger-limits.js';
import type { Ledger } from '../../../receiver/attribution/ledger.js';
import { ExportCounts } from '../../../receiver/export/export-counts.js';
import { LedgerProducer } from '../../../receiver/export/producer.js';
import { SelfTotals } from '../../../receiver/export/self-totals.js';
import type { Temporality } from '../../../receiver/export/stream.js';
import type { ActivityWindow } from '../../../receiver/model/activity.js';
import {
  WORKLOAD_LEVELS,
  type LedgerView,
  type WorkloadLevel,
} from '../../../receiver/model/ledger-view.js';
import { identityNamed, newLedger, plainIdentities, play } from '../../support/ledger.js';
import { MovingLedger } from '../../support/moving-ledger.js';
import { DEFAULT_OPTIONS, STAGES, partOf, workloadOptions } from '../../support/producer-rig.js';
import { BOOT_UNIX_MILLIS, activityWindow } from '../../support/windows.js';
import { history, type History } from '../../support/random-window.js';
import { Backend, sumsOf } from '../../support/received.js';

const limits: fc.Arbitrary<Partial<LedgerLimits>> = fc.constantFrom(
  {},
  { maxExitedThreads: 1_000 },
  { maxProcesses: 3, maxExited: 1, maxCgroups: 2, maxThreads: 4, maxExitedThreads: 2 },
  { maxProcesses: 1, maxExited: 0, maxCgroups: 1, maxThreads: 1 },
);

const fate = fc.constantFrom(
  'all' as const,
  'none' as const,
  'part' as const,
  'no-export' as const,
);

const entitiesOf = (ledger: Ledger, kind: 'package' | 'dram'): bigint =>
  ledger
    .domains()
    .filter(({ domain }) => domain.isAttributed && domain.kind === kind)
    .reduce<bigint>((sum, { entitiesMicrojoules }) => sum + entitiesMicrojoules, 0n);

/**
 * The drawn processes re-use a pid, and its tids, within microseconds, which no kernel does; told in
 * milliseconds their start times would name two alike. One drawn microsecond is one millisecond here.
 */
const withDistinctStarts = (ledger: Ledger): LedgerView => ({
  startUnixMillis: ledger.startUnixMillis,
  revision: ledger.revision,
  domains: ledger.domains,
  cgroups: ledger.cgroups,
  exitedProcesses: ledger.exitedProcesses,
  exitedThreads: ledger.exitedThreads,
  exitedCgroups: ledger.exitedCgroups,
  workloads: ledger.workloads,
  exitedWorkloads: ledger.exitedWorkloads,
  overflowWorkloads: ledger.overflowWorkloads,
  overflow: ledger.overflow,
  processes: () =>
    [...ledger.processes()].map((totals) => {
      const startUnixMillis =
        BOOT_UNIX_MILLIS + Number(totals.identity.startBoottimeNanos / 1_000n);
      return { ...totals, identity: { ...totals.identity, startUnixMillis } };
    }),
  threads: () =>
    [...ledger.threads()].map((totals) => {
      const startUnixMillis =
        BOOT_UNIX_MILLIS + Number(totals.identity.startBoottimeNanos / 1_000n);
      return { ...totals, identity: { ...totals.identity, startUnixMillis } };
    }),
});

const rigFor = (ledger: Ledger, temporality: Temporality) => {
  const reports = new MovingLedger();
  const self = new SelfTotals(() => [], ledger.losses);
  const retireExported = ledger.retireExported.bind(ledger);
  const producer = new LedgerProducer(
    {
      ledger: withDistinctStarts(ledger),
      self,
      counts: new ExportCounts(),
      retireExported,
      retireExportedThreads: ledger.retireExportedThreads.bind(ledger),
      retireExportedCgroups: ledger.retireExportedCgroups.bind(ledger),
      retireExportedWorkloads: ledger.retireExportedWorkloads.bind(ledger),
      onCollect: () => undefined,
    },
    {
      ...DEFAULT_OPTIONS,
      temporality,
      processes: { isExported: true, hasCpuTime: true, maxSeries: 2 },
      cgroups: { isExported: true, hasCpuTime: true, maxSeries: 2 },
      threads: { isExported: true, hasCpuTime: true, maxSeries: 2 },
      workloads: workloadOptions({ isExported: true, hasCpuTime: true, maxSeries: 2 }),
    },
  );
  const collect = async ({ startNanos, endNanos, realtimeNanos }: WindowTimes) => {
    self.book({ ...reports.window(), startNanos, endNanos, realtimeNanos }, STAGES);
    const result = await producer.collect();
    expect(result.errors).toEqual([]);
    return result;
  };
  return { collect };
};

type WindowTimes = Pick<ActivityWindow, 'startNanos' | 'endNanos' | 'realtimeNanos'>;

/** Each cgroup is a container, three to a pod; every third one is removed as soon as it is idle. */
const inContainers: Identities = {
  ...plainIdentities,
  cgroupIdentity: (id) => {
    const pod = String(id / 3n).padStart(12, '0');
    const uid = `00000000-0000-0000-0000-${pod}`;
    return identityNamed(`/kubepods/pod${uid}/${String(id).padStart(64, '0')}`);
  },
  isCgroupThere: (id) => id % 3n !== 0n,
};

/** What the ledger gave to all workloads of a level. */
const workloadsOf = (ledger: Ledger, level: WorkloadLevel, kind: 'package' | 'dram'): bigint =>
  [
    ...ledger.workloads(level),
    ledger.exitedWorkloads(level),
    ledger.overflowWorkloads(level),
  ].reduce<bigint>((sum, { energy }) => sum + energy[kind], 0n);

const exportAll = async (
  { topology, idleFloors, steps }: History,
  fates: readonly ('all' | 'none' | 'part' | 'no-export')[],
  limited: Partial<LedgerLimits>,
  temporality: Temporality,
) => {
  const ledger = newLedger(limited, inContainers);
  ledger.setThreadsEnabled(true);
  const { collect } = rigFor(ledger, temporality);
  const backend = new Backend();
  let times: WindowTimes = activityWindow();
  for (const [at, { window, readings }] of steps.entries()) {
    play(ledger, window, readings, { topology, idleFloors });
    times = window;
    const what = fates[at % fates.length];
    if (what === 'no-export') continue;
    const result = await collect(window);
    if (what === 'none') continue;
    backend.take(partOf(result.resourceMetrics, (index) => what === 'all' || index % 3 !== 0));
  }
  for (let round = 0; round < 2; round += 1) backend.take((await collect(times)).resourceMetrics);
  return { ledger, backend, last: await collect(times) };
};

const cases = [history(), fc.array(fate, { minLength: 1, maxLength: 6 }), limits] as const;
const runs = { numRuns: 60 };
/** A second alone; the rest is for a machine that builds beside. */
const TIMEOUT_MILLIS = 60_000;

describe('ledger and producer', { timeout: TIMEOUT_MILLIS }, () => {
  it('export in sums of current values what was given to entities, to the microjoule', async () => {
    await fc.assert(
      fc.asyncProperty(...cases, async (drawn, fates, limited) => {
        const { ledger, last } = await exportAll(drawn, fates, limited, 'cumulative');
        const sums = sumsOf(last);
        const sum = (name: string, kind: string): bigint => sums.get(`${name} ${kind}`) ?? 0n;
        for (const kind of ['package', 'dram'] as const) {
          const entities = entitiesOf(ledger, kind);
          const processes =
            sum('wattfeed.process.energy', kind) + sum('wattfeed.process.exited.energy', kind);
          expect(processes).toBe(entities);
          const cgroups =
            sum('wattfeed.cgroup.energy', kind) + sum('wattfeed.cgroup.removed.energy', kind);
          expect(cgroups).toBe(entities);
          const threads =
            sum('wattfeed.thread.energy', kind) + sum('wattfeed.thread.exited.energy', kind);
          expect(threads).toBe(entities);
          for (const level of WORKLOAD_LEVELS) {
            const exported =
              sum(`wattfeed.${level}.energy`, kind) + sum(`wattfeed.${level}.removed.energy`, kind);
            expect(exported, level).toBe(workloadsOf(ledger, level, kind));
          }
          const nobody = ['idle', 'irq', 'igpu', 'unattributed'].map((one) =>
            sum(`wattfeed.${one}.energy`, kind),
          );
          const all = nobody.reduce((total, one) => total + one, entities);
          expect(all).toBe(sum('hw.energy', kind));
        }
      }),
      runs,
    );
  });

  it.each(['cumulative', 'delta'] as const)(
    'let %s series rise together by what was given to entities',
    async (temporality) => {
      await fc.assert(
        fc.asyncProperty(...cases, async (drawn, fates, limited) => {
          const { ledger, backend } = await exportAll(drawn, fates, limited, temporality);
          expect(backend.faults).toEqual([]);
          for (const kind of ['package', 'dram'] as const) {
            const entities = entitiesOf(ledger, kind);
            expect(backend.increaseOf('wattfeed.process.energy', kind)).toBe(entities);
            expect(backend.increaseOf('wattfeed.cgroup.energy', kind)).toBe(entities);
            expect(backend.increaseOf('wattfeed.thread.energy', kind)).toBe(entities);
            for (const level of WORKLOAD_LEVELS) {
              const increase = backend.increaseOf(`wattfeed.${level}.energy`, kind);
              expect(increase, level).toBe(workloadsOf(ledger, level, kind));
            }
          }
        }),
        runs,
      );
    },
  );
});
