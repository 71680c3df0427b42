// SPDX-License-Identifier: Apache-2.0
/**
 * The bridge from the ledger to OpenTelemetry. The SDK leaves everything to an external producer:
 * temporality, start times, cardinality, its own timeout. It reads totals, never windows or hardware.
 *
 * A collect copies the ledger, so that all points are of one moment; that, and what follows, deciding on
 * series and building points, is done in chunks with the event loop running in between.
 */
import { setImmediate as breathe } from 'node:timers/promises';
import type { HrTime } from '@opentelemetry/api';
import { resourceFromAttributes } from '@opentelemetry/resources';
import type {
  CollectionResult,
  MetricCollectOptions,
  MetricData,
  MetricProducer,
} from '@opentelemetry/sdk-metrics';
import {
  WORKLOAD_LEVELS,
  type CgroupTotals,
  type LedgerView,
  type ProcessIdentity,
  type ProcessTotals,
  type ThreadIdentity,
  type ThreadTotals,
  type WorkloadLevel,
  type WorkloadTotals,
} from '../model/ledger-view.js';
import { addDomainPoints, addMeterPoints } from './domain-points.js';
import type { PoolInput } from './entity-kind.js';
import type { Breath } from './entity-points.js';
import type { ExportCounts } from './export-counts.js';
import { SCHEMA_URL, SCOPE_NAME } from './instruments.js';
import { Level, type LevelOptions } from './level.js';
import { CGROUP_LEVEL, processPlan, THREAD_LEVEL, workloadPlan } from './levels.js';
import { MetricSet } from './metric-set.js';
import { readMoment, type Moment } from './moment.js';
import { addExportPoints, addSelfPoints } from './self-points.js';
import type { SelfView } from './self-view.js';
import { StreamTable } from './stream-table.js';
import type { Temporality } from './stream.js';
import { hrTimeOfMillis, hrTimeOfNanos, laterOf } from './time.js';

export interface ProducerOptions {
  readonly version: string;
  readonly temporality: Temporality;
  readonly processes: LevelOptions;
  readonly cgroups: LevelOptions;
  /** Where it is exported, the ledger keeps threads from the first window on. */
  readonly threads: LevelOptions;
  readonly workloads: Readonly<Record<WorkloadLevel, LevelOptions>>;
}

export interface ProducerPorts {
  readonly ledger: LedgerView;
  readonly self: SelfView;
  readonly counts: ExportCounts;
  /** The final values of these ended processes have arrived: the ledger may move them into its remainder. */
  readonly retireExported: (identities: Iterable<ProcessIdentity>) => void;
  /** The same for threads. */
  readonly retireExportedThreads: (identities: Iterable<ThreadIdentity>) => void;
  /** The same for removed cgroups. */
  readonly retireExportedCgroups: (cgroups: Iterable<CgroupTotals>) => void;
  /** The same for containers, pods, jobs and units. */
  readonly retireExportedWorkloads: (
    level: WorkloadLevel,
    workloads: Iterable<WorkloadTotals>,
  ) => void;
  /** What may be told of a process's command line; asked once per series. */
  readonly commandLineOf?: (pid: number) => string | undefined;
  /** Called in every collect once its moment is fixed: a new export begins. */
  readonly onCollect: () => void;
}

/** The SDK takes the resource from the meter provider, never from a producer. */
const NO_RESOURCE = resourceFromAttributes({});
const DEFAULT_TIMEOUT_MILLIS = 30_000;

export class LedgerProducer implements MetricProducer {
  readonly #processes: Level<ProcessTotals>;
  readonly #cgroups: Level<CgroupTotals>;
  /** Undefined: not exported. The ledger keeps no ended ones then, so there is nothing to give back. */
  readonly #threads: Level<ThreadTotals> | undefined;
  readonly #workloads: ReadonlyMap<WorkloadLevel, Level<WorkloadTotals>>;
  readonly #table: StreamTable;
  readonly #startTime: HrTime;
  #lastEndTime: HrTime;

  constructor(
    private readonly ports: ProducerPorts,
    private readonly options: ProducerOptions,
  ) {
    const { temporality, processes, cgroups, threads } = options;
    this.#startTime = hrTimeOfMillis(ports.ledger.startUnixMillis);
    this.#lastEndTime = this.#startTime;
    this.#table = new StreamTable(this.#startTime);
    this.#processes = new Level(
      processPlan(ports.commandLineOf),
      processes,
      temporality,
      this.#table,
    );
    this.#cgroups = new Level(CGROUP_LEVEL, cgroups, temporality, this.#table);
    this.#threads = threads.isExported
      ? new Level(THREAD_LEVEL, threads, temporality, this.#table)
      : undefined;
    this.#workloads = new Map(
      WORKLOAD_LEVELS.map((name) => {
        const plan = workloadPlan(name);
        return [name, new Level(plan, options.workloads[name], temporality, this.#table)] as const;
      }),
    );
  }

  /** Resolves always, with what could be had: a producer that rejects would cost the whole interval. */
  async collect(options?: MetricCollectOptions): Promise<CollectionResult> {
    const deadline = performance.now() + (options?.timeoutMillis ?? DEFAULT_TIMEOUT_MILLIS);
    const pause = async (): Promise<void> => {
      await breathe();
      if (performance.now() > deadline) throw new Error('collect: took longer than its timeout');
    };
    const errors: unknown[] = [];
    const fail = (error: unknown): void => {
      this.ports.counts.collectFailures += 1n;
      errors.push(error);
    };
    const moment = await this.#readMoment(pause).catch(fail);
    this.ports.onCollect();
    const window = moment?.window ?? this.ports.self.lastWindow();
    if (window === undefined) return this.#result([], errors);
    // The wall clock may step back; the end of a series may not.
    this.#lastEndTime = laterOf(hrTimeOfNanos(window.realtimeNanos), this.#lastEndTime);
    const set = new MetricSet(this.#lastEndTime, this.#startTime, this.options.temporality);
    try {
      // First what an operator needs when the rest fails.
      addSelfPoints(set, this.#table, this.ports.self, window);
      if (moment !== undefined) await this.#addAll(set, moment, pause);
    } catch (error) {
      fail(error);
    }
    return this.#result(set.metrics(), errors);
  }

  async #addAll(set: MetricSet, moment: Moment, pause: Breath): Promise<void> {
    addDomainPoints(set, this.#table, moment.domains);
    addMeterPoints(set, moment.window.meters);
    this.ports.retireExportedCgroups(await this.#cgroups.update(moment.cgroups, pause));
    for (const [name, level] of this.#workloads) {
      const input = moment.workloads.get(name);
      if (input === undefined) continue;
      this.ports.retireExportedWorkloads(name, await level.update(input, pause));
    }
    const ended = await this.#processes.update(moment.processes, pause);
    this.ports.retireExported(ended.map(({ identity }) => identity));
    await this.#updateThreads(moment.threads, pause);
    const levels = [
      this.#processes,
      this.#cgroups,
      ...(this.#threads ? [this.#threads] : []),
      ...[...this.#workloads.values()].filter(({ options }) => options.isExported),
    ];
    addExportPoints(
      set,
      this.#table,
      this.ports.counts,
      levels.map((level) => level.counts()),
    );
    for (const level of this.#workloads.values()) await level.addTo(set, pause);
    await this.#cgroups.addTo(set, pause);
    await this.#processes.addTo(set, pause);
    await this.#threads?.addTo(set, pause);
  }

  async #updateThreads(input: PoolInput<ThreadTotals> | undefined, pause: Breath): Promise<void> {
    if (this.#threads === undefined || input === undefined) return;
    const ended = await this.#threads.update(input, pause);
    this.ports.retireExportedThreads(ended.map(({ identity }) => identity));
  }

  #readMoment(pause: Breath): Promise<Moment | undefined> {
    const { ledger, self } = this.ports;
    const { processes, cgroups, threads, workloads } = this.options;
    const options = { processes, cgroups, threads, ...workloads };
    return readMoment(
      {
        ledger,
        window: self.lastWindow,
        hasCpuTime: (level) => options[level].hasCpuTime,
        hasThreads: this.#threads !== undefined,
      },
      pause,
    );
  }

  #result(metrics: MetricData[], errors: unknown[]): CollectionResult {
    const scope = { name: SCOPE_NAME, version: this.options.version, schemaUrl: SCHEMA_URL };
    const scopeMetrics = metrics.length === 0 ? [] : [{ scope, metrics }];
    return { resourceMetrics: { resource: NO_RESOURCE, scopeMetrics }, errors };
  }
}
