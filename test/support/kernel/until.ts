// SPDX-License-Identifier: Apache-2.0
/** Waiting for a condition of the real machine, always with a deadline. */
import { setTimeout as delay } from 'node:timers/promises';

const LOOK_EVERY_MILLIS = 20;

/** The first defined answer; throws with `what` when the deadline passes. */
export const until = async <T>(
  what: string,
  withinMillis: number,
  look: () => Promise<T | undefined> | T | undefined,
): Promise<T> => {
  const deadline = performance.now() + withinMillis;
  for (;;) {
    const answer = await look();
    if (answer !== undefined) return answer;
    if (performance.now() > deadline)
      throw new Error(`wait for ${what}: not within ${String(withinMillis)} ms`);
    await delay(LOOK_EVERY_MILLIS);
  }
};
