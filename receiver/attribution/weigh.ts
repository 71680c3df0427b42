// SPDX-License-Identifier: Apache-2.0
/** One window's weights by the model that was chosen. Cost: three passes over the rows. */
import type { ActivityWindow } from '../model/activity.js';
import type { Coefficients } from '../model/coefficients.js';
import { dramWeights, type DramSplit, type MemoryUse } from './dram-weights.js';
import { emptyPool, poolOf, type PoolOptions } from './pool-weights.js';
import {
  addFeatures,
  coefficientsFor,
  coreNanojoules,
  domainFeatures,
  domainRates,
  emptyRow,
  irqFeatures,
  rowFeatures,
  timeCoreNanojoules,
  uncoreNanojoules,
  type DomainFeatures,
  type DomainRates,
  type RowFeatures,
} from './row-terms.js';
import { seedWeights, type SeedParameters } from './seed-model.js';
import type { PoolWeights, WindowWeights } from './weights.js';

/**
 * `counters`: the counter model, slices without a reading by the time model in the same sum. `time`:
 * cycles (of counters or of the CPU's frequency) and time alone. `seed`: the seed article's W(i).
 */
export type AttributionModel = 'counters' | 'time' | 'seed';

export interface WeighOptions {
  readonly model: AttributionModel;
  /** By CPU domain; missing ones are the defaults. */
  readonly coefficients: readonly Coefficients[] | undefined;
  readonly seed: SeedParameters;
  readonly dramSplit: DramSplit;
  readonly memory: MemoryUse | undefined;
  /** Rows carry a core part that is scaled by each core's own counter: better than any prediction. */
  readonly hasCoreScales: boolean;
}

/** 1 GJ: far beyond any window. */
const LARGEST_NANOJOULES = 1e18;

interface Columns {
  readonly core: Float64Array;
  readonly uncore: Float64Array;
  readonly misses: Float64Array;
  readonly domainOf: Uint8Array;
  readonly featuresOf: ReadonlyMap<number, RowFeatures>;
}

/** No hardware counts a negative or an endless number of events: such a row weighs nothing. */
const sane = (weight: number): number => (weight > 0 && weight < LARGEST_NANOJOULES ? weight : 0);

const columnsOf = (
  window: ActivityWindow,
  rates: readonly (DomainRates | undefined)[],
  { model, coefficients, hasCoreScales }: WeighOptions,
): Columns => {
  const count = window.tasks.length;
  const columns = {
    core: new Float64Array(count),
    uncore: new Float64Array(count),
    misses: new Float64Array(count),
    domainOf: new Uint8Array(count),
  };
  const sums = rates.map(emptyRow);
  const row = emptyRow();
  const coreTerm = model === 'time' ? timeCoreNanojoules : coreNanojoules;
  for (let at = 0; at < count; at++) {
    const task = window.tasks[at];
    if (task === undefined) continue;
    columns.domainOf[at] = task.cpuDomain;
    const domainRate = rates[task.cpuDomain];
    const sum = sums[task.cpuDomain];
    if (domainRate === undefined || sum === undefined) continue;
    const by = coefficientsFor(coefficients, task.cpuDomain);
    rowFeatures(task, domainRate, row);
    addFeatures(sum, row);
    columns.misses[at] = sane(row.llcMisses);
    if (model === 'time') row.llcMisses = 0;
    columns.core[at] = sane(hasCoreScales ? task.predictedCoreNanojoules : coreTerm(row, by));
    columns.uncore[at] = sane(uncoreNanojoules(row, by));
  }
  const featuresOf = new Map<number, RowFeatures>();
  sums.forEach((sum, index) => featuresOf.set(index, sum));
  return { ...columns, featuresOf };
};

interface IrqWeights {
  readonly core: ReadonlyMap<number, number>;
  readonly uncore: ReadonlyMap<number, number>;
  readonly misses: ReadonlyMap<number, number>;
}

/** Weight of one nanosecond of interrupts, by CPU domain; empty where nothing is counted. */
const irqWeights = (
  domains: ReadonlyMap<number, DomainFeatures>,
  { model, coefficients, hasCoreScales }: WeighOptions,
): IrqWeights => {
  const [core, uncore, misses] = [new Map<number, number>(), new Map(), new Map()];
  const row = emptyRow();
  for (const [index, domain] of domains) {
    if (model !== 'counters' || hasCoreScales || !irqFeatures(domain, row)) continue;
    const by = coefficientsFor(coefficients, index);
    core.set(index, coreNanojoules(row, by));
    uncore.set(index, uncoreNanojoules(row, by));
    misses.set(index, row.llcMisses);
  }
  return { core, uncore, misses };
};

const countedShareOf = (domains: ReadonlyMap<number, DomainFeatures>): number => {
  let runtime = 0;
  let uncounted = 0;
  for (const { runtimeNanos, uncountedNanos } of domains.values()) {
    runtime += runtimeNanos;
    uncounted += Math.min(runtimeNanos, uncountedNanos);
  }
  return runtime > 0 ? (runtime - uncounted) / runtime : 0;
};

export const weigh = (window: ActivityWindow, options: WeighOptions): WindowWeights => {
  const domains = domainFeatures(window);
  const rates: (DomainRates | undefined)[] = [];
  for (const [index, domain] of domains) rates[index] = domainRates(domain);
  const columns = columnsOf(window, rates, options);
  const countedShare = countedShareOf(domains);
  const memory = dramWeights(window, columns.misses, options);
  const irq = irqWeights(domains, options);
  const isSeed = options.model === 'seed';
  const core = isSeed ? seedWeights(window, options.seed) : columns.core;
  const isCounted = options.model === 'counters' && countedShare > 0;
  const { domainOf } = columns;
  const pool = (weights: Float64Array, poolOptions: PoolOptions): PoolWeights =>
    poolOf(window, domains, domainOf, weights, poolOptions);
  return {
    domainOf,
    features: { domains, rows: columns.featuresOf },
    split: isSeed ? 'seed' : isCounted ? 'counters' : 'time',
    countedShare,
    core: pool(core, isSeed ? {} : { irqPerNano: irq.core }),
    uncore: isSeed
      ? emptyPool(window)
      : pool(columns.uncore, {
          perNanoWithoutTasks: 0,
          irqPerNano: irq.uncore,
        }),
    memory: pool(memory.tasks, memory.split === 'counters' ? { irqPerNano: irq.misses } : {}),
    memorySplit: memory.split,
  };
};
