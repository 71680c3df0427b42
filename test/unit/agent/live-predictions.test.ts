// SPDX-License-Identifier: Apache-2.0
import * as E from 'fp-ts/lib/Either.js';
import { describe, expect, it } from 'vitest';
import { LivePredictions } from '../../../receiver/agent/live-predictions.js';
import { createLogger } from '../../../receiver/agent/logger.js';
import { attribute } from '../../../receiver/attribution/attribute.js';
import { DEFAULT_COEFFICIENTS, type Coefficients } from '../../../receiver/model/coefficients.js';
import {
  activityWindow,
  advancedReading,
  cpuSample,
  packageDomain,
  taskSample,
  topologyOf,
} from '../../support/windows.js';

const MILLI = 1_000_000;

/** A window that cost twice what was predicted for it. */
const input = {
  window: activityWindow({
    cpus: [cpuSample({ taskNanos: 500 * MILLI })],
    tasks: [
      taskSample({
        tgid: 100,
        runtimeNanos: 500 * MILLI,
        predictedCoreNanojoules: 2e9,
        predictedNanojoules: 5e9,
      }),
    ],
  }),
  readings: [advancedReading(packageDomain(0), 10_000_000)],
  topology: topologyOf(),
  idleFloors: new Map<string, undefined>(),
};

const rig = (isScaling: boolean, isRefusing = false) => {
  const pushed: (readonly Coefficients[])[] = [];
  const lines: string[] = [];
  const predictions = new LivePredictions({
    topology: topologyOf(),
    session: {
      setCoefficients: (byCpuDomain) => {
        pushed.push(byCpuDomain);
        return isRefusing
          ? E.left({
              _tag: 'NativeError',
              operation: 'set coefficients',
              code: 'EBADF',
              errno: 9,
              detail: '',
            })
          : E.right(undefined);
      },
    },
    isScaling,
    logger: createLogger('debug', (line) => void lines.push(line)),
  });
  return { predictions, pushed, lines };
};

describe('LivePredictions', () => {
  it('predicts with the coefficients as they are while nobody reads single predictions', () => {
    const { predictions, pushed } = rig(false);
    predictions.use([DEFAULT_COEFFICIENTS]);
    predictions.after(input, attribute(input), [DEFAULT_COEFFICIENTS]);
    expect(pushed).toEqual([[DEFAULT_COEFFICIENTS]]);
  });

  it('predicts after a window what the window was billed', () => {
    const { predictions, pushed } = rig(true);
    predictions.use([DEFAULT_COEFFICIENTS]);
    expect(pushed.at(-1)).toEqual([DEFAULT_COEFFICIENTS]);
    predictions.after(input, attribute(input), [DEFAULT_COEFFICIENTS]);
    const { cycleNanojoules, packageOnWatts } = DEFAULT_COEFFICIENTS;
    const [scaled] = pushed.at(-1) ?? [];
    expect(scaled?.cycleNanojoules).toBeCloseTo(2 * cycleNanojoules, 6);
    expect(scaled?.packageOnWatts).toBeCloseTo(2 * packageOnWatts, 6);
  });

  it('says once that the kernel side takes none', () => {
    const { predictions, lines } = rig(true, true);
    predictions.use([DEFAULT_COEFFICIENTS]);
    predictions.use([DEFAULT_COEFFICIENTS]);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain('keeps its coefficients');
  });
});
