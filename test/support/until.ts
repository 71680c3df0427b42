// SPDX-License-Identifier: Apache-2.0
/** Waiting with a deadline: the tests' only way to wait. */
import { setTimeout as delay } from 'node:timers/promises';

const LOOK_EVERY_MILLIS = 5;

/** The first defined answer; throws with `what` when the deadline passes. */
export const untilDefined = async <T>(
  what: string,
  look: () => Promise<T | undefined> | T | undefined,
  { deadlineMillis = 10_000, everyMillis = LOOK_EVERY_MILLIS } = {},
): Promise<T> => {
  const start = performance.now();
  for (;;) {
    const answer = await look();
    if (answer !== undefined) return answer;
    if (performance.now() > start + deadlineMillis)
      throw new Error(`not within ${String(deadlineMillis)} ms: ${what}`);
    await delay(everyMillis);
  }
};

/** Until the condition holds. Milliseconds it took. */
export const until = async (
  what: string,
  condition: () => boolean | Promise<boolean>,
  deadlineMillis = 10_000,
): Promise<number> => {
  const start = performance.now();
  await untilDefined(what, async () => ((await condition()) ? true : undefined), {
    deadlineMillis,
  });
  return performance.now() - start;
};
