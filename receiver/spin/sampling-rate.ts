// SPDX-License-Identifier: Apache-2.0
/** How often the clock interrupts a thread that is examined. */
import { spinLimit } from '../../native/spin-layout.generated.js';

/** Per second of wall time; no beat with timers of whole milliseconds. At 8 us each 0.08 % of a CPU. */
export const SAMPLES_PER_SECOND = 97;
/** One look of the agent's: 145 samples; three in a row are over within 10 s of a thread's begin. */
export const LOOK_SECONDS = 1.5;
/** A thread that runs a fiftieth of the time is met as often as one that always does. */
const MAX_HERTZ = 50 * SAMPLES_PER_SECOND;
const MIN_RUN_RATIO = 0.02;

/** Samples per second of the thread's own CPU time, so that a record is not full before the end. */
export const sampleHertz = (runRatio: number, seconds: number): number => {
  const perSecond = Math.min(SAMPLES_PER_SECOND, spinLimit.samplesMax / seconds);
  const hertz = perSecond / Math.min(1, Math.max(MIN_RUN_RATIO, runRatio));
  return Math.max(1, Math.min(MAX_HERTZ, Math.floor(hertz)));
};
