// SPDX-License-Identifier: Apache-2.0
/** Waits for a condition with a deadline: the tests' only way to wait. Milliseconds it took. */
export const until = async (
  what: string,
  condition: () => boolean | Promise<boolean>,
  deadlineMillis = 10_000,
): Promise<number> => {
  const start = performance.now();
  while (!(await condition())) {
    if (performance.now() > start + deadlineMillis) {
      throw new Error(`not within ${deadlineMillis} ms: ${what}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return performance.now() - start;
};
