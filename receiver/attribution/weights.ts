// SPDX-License-Identifier: Apache-2.0
/**
 * What a model of a task's energy must answer: one weight for everything that ran in a window. Only
 * their ratios within one package count. The time model is one; a counter model replaces it without
 * any change to the attribution.
 */
import type { ActivityWindow } from '../model/activity.js';
import type { AttributedKind, SplitMethod } from '../model/energy-domain.js';

/** Weights that are not a task's or a cgroup's, summed per CPU domain. */
export interface CpuDomainWeights {
  /** Interrupt time: its own bucket. */
  irq: number;
  /** Task time of nobody we know. */
  unslotted: number;
  /** Task time without a slot whose cgroup was not kept. */
  overflow: number;
}

export interface WindowWeights {
  readonly split: SplitMethod;
  /** Parallel to `window.tasks`. */
  readonly tasks: Float64Array;
  /** Parallel to `window.overflow`. */
  readonly overflow: Float64Array;
  /** By CPU domain; only those of which the window has a CPU record. */
  readonly cpuDomains: ReadonlyMap<number, Readonly<CpuDomainWeights>>;
}

export type WeightModel = (window: ActivityWindow, kind: AttributedKind) => WindowWeights;
