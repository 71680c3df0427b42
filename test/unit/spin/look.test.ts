// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lookUntilEnough } from '../../../receiver/spin/look.js';

/** A thread that is met so often. */
const lookAt = async (perSecond: number) => {
  let seconds = 0;
  const sampleCount = (): number => Math.floor(seconds * perSecond);
  const wait = (more: number): Promise<void> => {
    seconds += more;
    return Promise.resolve();
  };
  await lookUntilEnough({ sampleCount, wait });
  return { seconds, samples: sampleCount() };
};

describe('lookUntilEnough', () => {
  it('ends after a second and a half at a thread that is met as often as it is asked for', async () => {
    expect(await lookAt(97)).toEqual({ seconds: 1.5, samples: 145 });
    expect((await lookAt(49)).seconds).toBe(1.5);
  });

  it('goes on where samples are too few to say anything', async () => {
    expect(await lookAt(30)).toEqual({ seconds: 2.5, samples: 75 });
    expect(await lookAt(15)).toEqual({ seconds: 5, samples: 75 });
  });

  it('ends after six seconds at a thread that hardly runs', async () => {
    expect(await lookAt(2)).toEqual({ seconds: 6, samples: 12 });
  });

  it('does not wait for a thread that does not run', async () => {
    expect(await lookAt(0)).toEqual({ seconds: 1.5, samples: 0 });
  });

  it('ends with enough samples, or none, or after the longest time', async () => {
    await fc.assert(
      fc.asyncProperty(fc.double({ min: 0, max: 500, noNaN: true }), async (perSecond) => {
        const { seconds, samples } = await lookAt(perSecond);
        expect(seconds).toBeLessThanOrEqual(6);
        expect(samples >= 73 || samples === 0 || seconds === 6).toBe(true);
      }),
    );
  });
});
