// SPDX-License-Identifier: Apache-2.0
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { buildLoads, startLoad } from '../support/kernel/load.js';
import {
  runtimeNanosOf,
  startRecording,
  tasksOf,
  type Recording,
} from '../support/kernel/recording.js';
import { untilDefined } from '../support/until.js';

const BURNT_MILLIS = 5_000;
const BURNT_NANOS = 5e9;
const ALONE_MILLIS = 700;
const ATTEMPTS = 5;
const TOLERANCE_RATIO = 0.002;
/** Each look closes a window. */
const LOOK = { everyMillis: 20, deadlineMillis: 10_000 };

let recording: Recording | undefined;

/** Every row of a burner on CPU 1, from its first to its last. */
const burnOnce = async (cpuMillis: number, ...more: readonly string[]) => {
  const current = await startRecording();
  recording = current;
  const load = await startLoad('burn-once', [cpuMillis, 1, ...more], { saysReady: false });
  await load.ended;
  return untilDefined(
    'the last row of the burner',
    async () => {
      await current.closeWindow();
      const found = tasksOf(current, ({ tid }) => tid === load.pid);
      return found.some(({ isDead }) => isDead) ? found : undefined;
    },
    LOOK,
  );
};

describe('wf_flush', () => {
  beforeAll(buildLoads);

  afterEach(async () => {
    await recording?.close();
  });

  it('charges a burner that never sleeps its own thread CPU clock, window by window', async () => {
    const rows = await burnOnce(BURNT_MILLIS);

    expect(Math.abs(runtimeNanosOf(rows) - BURNT_NANOS) / BURNT_NANOS).toBeLessThan(
      TOLERANCE_RATIO,
    );
    // no window holds more than a few: the time came as it was burnt, not at the end
    expect(rows.length).toBeGreaterThan(15);
    expect(Math.max(...rows.map(({ runtimeNanos }) => runtimeNanos))).toBeLessThan(BURNT_NANOS / 5);
  });

  it('charges a task that does not leave its CPU at all', async () => {
    // The thread that closes windows may wait behind it on the same CPU, where the other one is taken:
    // then there is no window in its middle to look at.
    let unswitchedNanos = 0;
    for (let attempt = 0; attempt < ATTEMPTS && unswitchedNanos < 150e6; attempt += 1) {
      await recording?.close();
      // below the 950 ms after which the kernel throttles real-time tasks
      const rows = await burnOnce(ALONE_MILLIS, 'alone');
      expect(Math.abs(runtimeNanosOf(rows) / (ALONE_MILLIS * 1e6) - 1)).toBeLessThan(0.02);
      unswitchedNanos = runtimeNanosOf(
        rows.filter((row) => row.voluntarySwitches + row.involuntarySwitches === 0),
      );
    }
    expect(unswitchedNanos).toBeGreaterThan(150e6);
  });

  it('gives a task that ran before the attach nothing from before it', async () => {
    const load = await startLoad('burn', [100]);
    await load.act();
    const current = await startRecording();
    recording = current;
    await load.act();
    await current.closeWindow();
    const rows = tasksOf(current, ({ tid }) => tid === load.pid);
    await load.stop();

    expect(rows.every(({ isPreexisting }) => isPreexisting)).toBe(true);
    expect(runtimeNanosOf(rows)).toBeGreaterThan(99e6);
    expect(runtimeNanosOf(rows)).toBeLessThan(110e6);
  });
});
