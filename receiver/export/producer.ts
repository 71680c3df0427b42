// SPDX-License-Identifier: Apache-2.0
/**
 * The bridge from the ledger to OpenTelemetry. The SDK leaves everything to an external producer:
 * temporality, start times, cardinality, its own timeout. It reads totals, never windows or hardware.
 *
 * A collect copies the ledger in one go, so that all points are of one moment; what follows, deciding on
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
import type {
  CgroupTotals,
  DomainTotals,
  LedgerView,
  ProcessIdentity,
  ProcessTotals,
} from '../model/ledger-view.js';
import type { WindowReport } from '../model/window.js';
import { addDomainPoints, addMeterPoints } from './domain-points.js';
import {
  CGROUP_KIND,
  PROCESS_KIND,
  cgroupAttributes,
  processAttributes,
  readingsOf,
} from './entities.js';
import type { PoolInput, PoolLimits } from './entity-kind.js';
import { EntityPoints } from './entity-points.js';
import type { ExportCounts } from './export-counts.js';
import { SCHEMA_URL, SCOPE_NAME } from './instruments.js';
import { measureLabels } from './labels.js';
import { MetricSet } from './metric-set.js';
import { addExportPoints, addSelfPoints, type LevelCounts } from './self-points.js';
import type { SelfView } from './self-view.js';
import { SeriesPool } from './series-pool.js';
import { StreamTable } from './stream-table.js';
import type { Temporality } from './stream.js';
import { hrTimeOfMillis, hrTimeOfNanos, laterOf } from './time.js';

export interface ProducerOptions {
  readonly version: string;
  readonly temporality: Temporality;
  readonly processes: LevelOptions;
  readonly cgroups: LevelOptions;
}

export interface LevelOptions {
  /** Off: nothing of this level is exported; ended processes are given back to the ledger at once. */
  readonly isExported: boolean;
  readonly hasCpuTime: boolean;
  readonly maxSeries: number;
}

/** Lanes of an ended process are few; this many can wait out an outage of hours on a busy build host. */
const MIN_CLOSED = 4_096;
const CLOSED_PER_SERIES = 4;
/**
 * 1 J. Without a bound a storm of short processes makes a series for each: 50,000 in a few seconds. What
 * is below it is in the overflow series and in its cgroup.
 */
const MIN_ENDED_MICROJOULES = 1_000_000n;

const limitsOf = ({ isExported, maxSeries }: LevelOptions): PoolLimits => ({
  maxSeries: isExported ? maxSeries : 0,
  maxClosed: Math.max(MIN_CLOSED, CLOSED_PER_SERIES * maxSeries),
  minEndedMicrojoules: MIN_ENDED_MICROJOULES,
});

export interface ProducerPorts {
  readonly ledger: LedgerView;
  readonly self: SelfView;
  readonly counts: ExportCounts;
  /** The final values of these ended processes have arrived: the ledger may move them into its remainder. */
  readonly retireExported: (identities: Iterable<ProcessIdentity>) => void;
  /** Called first in every collect: a new export begins. */
  readonly onCollect: () => void;
}

const PROCESS_INSTRUMENTS = {
  energy: 'processEnergy',
  endedEnergy: 'exitedEnergy',
  cpuTime: 'processCpuTime',
  endedCpuTime: 'exitedCpuTime',
} as const;

const CGROUP_INSTRUMENTS = {
  energy: 'cgroupEnergy',
  endedEnergy: 'removedCgroupEnergy',
  cpuTime: 'cgroupCpuTime',
  endedCpuTime: 'removedCgroupCpuTime',
} as const;

/** The SDK takes the resource from the meter provider, never from a producer. */
const NO_RESOURCE = resourceFromAttributes({});
const DEFAULT_TIMEOUT_MILLIS = 30_000;

export class LedgerProducer implements MetricProducer {
  readonly #processes;
  readonly #cgroups;
  readonly #processPoints;
  readonly #cgroupPoints;
  readonly #table: StreamTable;
  readonly #startTime: HrTime;
  #lastEndTime: HrTime;

  constructor(
    private readonly ports: ProducerPorts,
    private readonly options: ProducerOptions,
  ) {
    const { temporality } = options;
    this.#startTime = hrTimeOfMillis(ports.ledger.startUnixMillis);
    this.#lastEndTime = this.#startTime;
    this.#table = new StreamTable(this.#startTime);
    this.#processes = new SeriesPool(PROCESS_KIND, limitsOf(options.processes), temporality);
    this.#cgroups = new SeriesPool(CGROUP_KIND, limitsOf(options.cgroups), temporality);
    this.#processPoints = new EntityPoints(
      this.#processes,
      processAttributes,
      PROCESS_INSTRUMENTS,
      this.#table,
    );
    this.#cgroupPoints = new EntityPoints(
      this.#cgroups,
      cgroupAttributes,
      CGROUP_INSTRUMENTS,
      this.#table,
    );
  }

  /** Resolves always, with what could be had: a producer that rejects would cost the whole interval. */
  async collect(options?: MetricCollectOptions): Promise<CollectionResult> {
    this.ports.onCollect();
    const errors: unknown[] = [];
    const metrics: MetricData[] = [];
    const window = this.ports.self.lastWindow();
    if (window === undefined) return this.#result(metrics, errors);
    // The wall clock may step back; the end of a series may not.
    this.#lastEndTime = laterOf(hrTimeOfNanos(window.realtimeNanos), this.#lastEndTime);
    const set = new MetricSet(this.#lastEndTime, this.#startTime, this.options.temporality);
    const deadline = performance.now() + (options?.timeoutMillis ?? DEFAULT_TIMEOUT_MILLIS);
    try {
      await this.#addAll(set, window, deadline);
    } catch (error) {
      this.ports.counts.collectFailures += 1n;
      errors.push(error);
    }
    metrics.push(...set.metrics());
    return this.#result(metrics, errors);
  }

  async #addAll(set: MetricSet, window: WindowReport, deadline: number): Promise<void> {
    const { ledger, self, counts } = this.ports;
    // First what an operator needs when the rest fails.
    addSelfPoints(set, this.#table, self, window);
    const domains = ledger.domains();
    addDomainPoints(set, this.#table, domains);
    addMeterPoints(set, window.meters);
    const inputs = this.#readEntities(domains, window);
    const pause = async (): Promise<void> => {
      await breathe();
      if (performance.now() > deadline) throw new Error('collect: took longer than its timeout');
    };
    await drain(this.#cgroups.update(inputs.cgroups), pause);
    const ended = await drain(this.#processes.update(inputs.processes), pause);
    this.ports.retireExported(ended.map(({ identity }) => identity));
    addExportPoints(set, this.#table, counts, this.#levels());
    const { cgroups, processes } = this.options;
    if (cgroups.isExported) await this.#cgroupPoints.addTo(set, pause);
    if (processes.isExported) await this.#processPoints.addTo(set, pause);
  }

  /** Copies all entities without letting the loop run: they and their sum must be of one moment. */
  #readEntities(
    domains: readonly DomainTotals[],
    { realtimeNanos: endUnixNanos }: WindowReport,
  ): { processes: PoolInput<ProcessTotals>; cgroups: PoolInput<CgroupTotals> } {
    const { ledger } = this.ports;
    const { processes, cgroups } = this.options;
    const overflow = ledger.overflow();
    const exited = readingsOf(ledger.exitedProcesses());
    const beyond = readingsOf(overflow.processes);
    return {
      processes: {
        entities: [...ledger.processes()],
        remainder: {
          package: exited.package + beyond.package,
          dram: exited.dram + beyond.dram,
          cpu: exited.cpu + beyond.cpu,
        },
        labels: measureLabels(domains, processes.hasCpuTime),
        endUnixNanos,
      },
      cgroups: {
        entities: [...ledger.cgroups()],
        remainder: readingsOf(overflow.cgroups),
        labels: measureLabels(domains, cgroups.hasCpuTime),
        endUnixNanos,
      },
    };
  }

  #levels(): readonly LevelCounts[] {
    const counts = (level: string, pool: CountedPool): LevelCounts => ({
      level,
      seriesCount: pool.seriesCount,
      pooledCount: pool.pooledCount,
      regressions: pool.regressions,
      finalsDropped: pool.closed.droppedCount,
    });
    return [counts('process', this.#processes), counts('cgroup', this.#cgroups)];
  }

  #result(metrics: MetricData[], errors: unknown[]): CollectionResult {
    const scope = { name: SCOPE_NAME, version: this.options.version, schemaUrl: SCHEMA_URL };
    const scopeMetrics = metrics.length === 0 ? [] : [{ scope, metrics }];
    return { resourceMetrics: { resource: NO_RESOURCE, scopeMetrics }, errors };
  }
}

/** Runs a piece of work to its end, letting the event loop run wherever it yields. */
const drain = async <T>(work: Generator<undefined, T>, pause: () => Promise<void>): Promise<T> => {
  for (let step = work.next(); ; step = work.next()) {
    if (step.done === true) return step.value;
    await pause();
  }
};

interface CountedPool {
  readonly seriesCount: number;
  readonly pooledCount: number;
  readonly regressions: number;
  readonly closed: { readonly droppedCount: number };
}
