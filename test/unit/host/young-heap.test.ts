// SPDX-License-Identifier: Apache-2.0
import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';

const MODULE = new URL('../../../receiver/host/young-heap.ts', import.meta.url).href;
/** Two halves of 1 MiB, and what V8 adds in pages of 256 KiB: 2.5 to 4.5. */
const SMALL_MEBIBYTES = 6;
/** V8 grows to 32 and more, when it finds the time: on a crowded host later and less. */
const GROWN_MEBIBYTES = 2 * SMALL_MEBIBYTES;

/**
 * Highest committed size of the young generation, in MiB, while a batch of windows is live beside the
 * garbage of decoding it. In a process of its own: the setting holds for a whole process.
 */
const PROGRAM = `
  const { keepYoungHeapSmall } = await import(process.argv[1]);
  if (process.argv[2] === 'small') keepYoungHeapSmall();
  const v8 = await import('node:v8');
  let most = 0;
  for (let batch = 0; batch < 40; batch += 1) {
    const rows = Array.from({ length: 40_000 }, (_, i) => ({ i, wide: BigInt(i) << 60n }));
    const young = v8.getHeapSpaceStatistics().find((space) => space.space_name === 'new_space');
    most = Math.max(most, rows.length > 0 ? young.space_size : 0);
  }
  console.log(most / 2 ** 20);
`;

const mostYoungMebibytes = (kind: 'small' | 'as V8 likes'): number =>
  Number(
    execFileSync(process.execPath, ['--input-type=module', '-e', PROGRAM, MODULE, kind], {
      encoding: 'utf8',
      env: {},
    }),
  );

describe('keepYoungHeapSmall', () => {
  it('keeps the young generation from growing where it would', () => {
    expect(mostYoungMebibytes('as V8 likes')).toBeGreaterThanOrEqual(GROWN_MEBIBYTES);
    expect(mostYoungMebibytes('small')).toBeLessThanOrEqual(SMALL_MEBIBYTES);
  });
});
