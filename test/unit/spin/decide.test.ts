// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { spinRecord } from '../../../native/spin-layout.generated.js';
import { decide } from '../../../receiver/spin/decide.js';

/** A record in which nothing was sampled, of this thread. */
const emptyRecord = (tid: number): Uint8Array => {
  const bytes = new Uint8Array(spinRecord.sizeBytes);
  new DataView(bytes.buffer).setUint32(spinRecord.offset.tid, tid, true);
  return bytes;
};

const request = (tid: number) => ({
  ...{ bytes: emptyRecord(tid), tgid: process.pid, procfsRoot: '/proc' },
});

describe('decide', () => {
  it('says what it cost in CPU time, which is no more than the time that passed', async () => {
    const begin = performance.now();
    const decision = await decide({ ...request(7), tid: 7 });
    expect(decision?.examination.verdict._tag).toBe('Unknown');
    expect(decision?.costMillis).toBeGreaterThanOrEqual(0);
    expect(decision?.costMillis).toBeLessThanOrEqual(performance.now() - begin + 1);
  });

  it('takes no samples of another thread', async () => {
    expect(await decide({ ...request(8), tid: 7 })).toBeUndefined();
  });
});
