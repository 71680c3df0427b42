// SPDX-License-Identifier: Apache-2.0
/** Waits for a condition with a deadline: the tests' only way to wait. */
export const until = async (
  what: string,
  condition: () => boolean,
  deadlineMillis = 10_000,
): Promise<void> => {
  const end = performance.now() + deadlineMillis;
  while (!condition()) {
    if (performance.now() > end) throw new Error(`not within ${deadlineMillis} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
};
