// SPDX-License-Identifier: Apache-2.0
/** How long one look at a thread goes on. */
import { LOOK_SECONDS, SAMPLES_PER_SECOND } from './sampling-rate.js';

export interface LookPorts {
  /** Samples so far. */
  readonly sampleCount: () => number;
  readonly wait: (seconds: number) => Promise<void>;
}

/**
 * Half of what a look asks for. Of fewer than 50 nothing can be said, and in virtual machines up to a third
 * are in interrupts that were late.
 */
const ENOUGH_SAMPLES = Math.ceil((LOOK_SECONDS * SAMPLES_PER_SECOND) / 2);
/**
 * A thread whose share of the CPU has fallen, or whose virtual CPU its host does not run when the clock comes, is met
 * less often than it was asked for: 24 to 60 times instead of 145 among twenty in a simulated machine.
 */
const LONGEST_LOOK_SECONDS = 6;
const STEP_SECONDS = 0.5;

/** Until there are enough samples to say anything; not for a thread that no longer runs. */
export const lookUntilEnough = async ({ sampleCount, wait }: LookPorts): Promise<void> => {
  await wait(LOOK_SECONDS);
  for (let looked = LOOK_SECONDS; looked < LONGEST_LOOK_SECONDS; looked += STEP_SECONDS) {
    const count = sampleCount();
    if (count === 0 || count >= ENOUGH_SAMPLES) return;
    await wait(STEP_SECONDS);
  }
};
