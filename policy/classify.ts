// SPDX-License-Identifier: Apache-2.0
/** What a cgroup's load is like, from one window, and the hysteresis that keeps the answer steady. Pure. */
import type { CgroupObservation } from './observation.js';
import type { WorkloadClass } from './policy.js';

/**
 * Time that a core waits per last-level miss, after overlapping misses: DRAM takes 80 to 100 ns, and out-of-order
 * cores have one and a half to two misses on the way. A default, not a measurement of this machine.
 */
const STALL_SECONDS_PER_MISS = 55e-9;
/** Below this share of one CPU a class would be noise. */
const LEAST_CPU_RATIO = 0.01;
const SPIN_RATIO = 0.5;
const MEMORY_SENSITIVITY = 0.5;
/** Interactive: runs shorter than this after a wake-up, … */
const SHORT_RUN_SECONDS = 0.002;
/** … nearly always by its own will, … */
const VOLUNTARY_RATIO = 0.7;
/** … and not all the time. */
const LATENCY_CPU_RATIO = 0.5;
/** Windows in a row that must say the same before the class changes. */
const STEADY_WINDOWS = 3;

/** 1 - stall share of the running time; undefined where misses were not counted. */
export const frequencySensitivity = ({
  llcMisses,
  countedSeconds,
}: Pick<CgroupObservation, 'llcMisses' | 'countedSeconds'>): number | undefined =>
  countedSeconds > 0
    ? 1 - Math.min(1, (llcMisses * STALL_SECONDS_PER_MISS) / countedSeconds)
    : undefined;

export const classOfWindow = (
  observed: CgroupObservation,
  windowSeconds: number,
): WorkloadClass => {
  const { cpuRatio, spinRatio, voluntarySwitches, involuntarySwitches } = observed;
  if (cpuRatio < LEAST_CPU_RATIO) return 'unknown';
  if ((spinRatio ?? 0) >= SPIN_RATIO) return 'spinning';
  const sensitivity = frequencySensitivity(observed);
  if (sensitivity !== undefined && sensitivity < MEMORY_SENSITIVITY) return 'memory-bound';
  const switches = voluntarySwitches + involuntarySwitches;
  const runSeconds = switches === 0 ? windowSeconds : (cpuRatio * windowSeconds) / switches;
  const isInteractive =
    switches > 0 &&
    voluntarySwitches / switches >= VOLUNTARY_RATIO &&
    runSeconds < SHORT_RUN_SECONDS &&
    cpuRatio < LATENCY_CPU_RATIO;
  return isInteractive ? 'latency' : 'compute';
};

export interface ClassState {
  readonly held: WorkloadClass;
  readonly candidate: WorkloadClass;
  /** Windows in a row that said `candidate`. */
  readonly windows: number;
}

export const INITIAL_CLASS: ClassState = { held: 'unknown', candidate: 'unknown', windows: 0 };

/** The first known class holds at once; a change must be said STEADY_WINDOWS times in a row. */
export const advanceClass = (state: ClassState, seen: WorkloadClass): ClassState => {
  if (seen === state.held) return { held: seen, candidate: seen, windows: 0 };
  const windows = seen === state.candidate ? state.windows + 1 : 1;
  const isSteady = windows >= STEADY_WINDOWS || state.held === 'unknown';
  return isSteady
    ? { held: seen, candidate: seen, windows: 0 }
    : { held: state.held, candidate: seen, windows };
};
