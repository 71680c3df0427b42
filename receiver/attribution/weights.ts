// SPDX-License-Identifier: Apache-2.0
/**
 * One weight for everything that ran in a window, per pool of energy. Only their ratios within one
 * domain count: the energy itself comes from the counters.
 */
import type { WindowFeatures } from './row-terms.js';
import type { SplitMethod } from '../model/energy-domain.js';

/** Weights that are not a task's or a cgroup's, summed per CPU domain. */
export interface CpuDomainWeights {
  /** Interrupt time: its own bucket. */
  readonly irq: number;
  /** Task time of nobody we know. */
  readonly unslotted: number;
  /** Task time without a slot whose cgroup was not kept. */
  readonly overflow: number;
}

export interface PoolWeights {
  /** Parallel to `window.tasks`. */
  readonly tasks: Float64Array;
  /** Parallel to `window.overflow`. */
  readonly overflow: Float64Array;
  /** By CPU domain; only those of which the window has a CPU record. */
  readonly cpuDomains: ReadonlyMap<number, CpuDomainWeights>;
}

export interface WindowWeights {
  readonly split: SplitMethod;
  /** CPU domain of each row: the rows themselves are large, and walked twice only. */
  readonly domainOf: Uint8Array;
  readonly features: WindowFeatures;
  /** Part of the task time whose slices had a counter reading, 0..1. */
  readonly countedShare: number;
  /** What the cores should have drawn. */
  readonly core: PoolWeights;
  /** What the package outside its cores should have drawn; all zero where the model has no such part. */
  readonly uncore: PoolWeights;
  /** Lines fetched from memory, or what stands for them; see `memorySplit`. */
  readonly memory: PoolWeights;
  readonly memorySplit: SplitMethod;
}
