// SPDX-License-Identifier: Apache-2.0
import { defineConfig } from 'vitest/config';

/**
 * One project per suite; `scripts/run-suites.ts` decides which of them this machine can run.
 * Unit tests share nothing and run side by side. The others share the kernel, one addon build or
 * the collector's port, and measure time, so their files run one after another.
 */
const sequential = { fileParallelism: false, pool: 'forks' } as const;

const project = (
  name: string,
  include: readonly string[],
  timeoutMillis: number,
  more: object = {},
) => ({
  test: {
    name,
    include: [...include],
    testTimeout: timeoutMillis,
    hookTimeout: timeoutMillis,
    pool: 'forks' as const,
    ...more,
  },
});

const COLLECTOR_TESTS = ['test/e2e/collector/**/*.test.ts', 'test/e2e/**/*collector*.test.ts'];

export default defineConfig({
  test: {
    allowOnly: false,
    projects: [
      project('unit', ['test/unit/**/*.test.ts'], 60_000),
      project('native', ['test/native/**/*.test.ts'], 60_000, sequential),
      project('kernel', ['test/kernel/**/*.test.ts'], 90_000, sequential),
      project('e2e', ['test/e2e/**/*.test.ts'], 90_000, {
        ...sequential,
        exclude: COLLECTOR_TESTS,
      }),
      project('collector', COLLECTOR_TESTS, 150_000, sequential),
      project('deploy', ['test/deploy/**/*.test.ts'], 90_000, sequential),
      project('vm', ['test/vm/*.test.ts'], 600_000, sequential),
    ],
  },
});
