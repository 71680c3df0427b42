// SPDX-License-Identifier: Apache-2.0
/** The feed's `task` entries, as the accounting writes them and a reader sees them. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { powerFeedStateFlag, powerFeedStateHalf } from '../../native/feed-layout.generated.js';
import type { FeedPublisher, FeedReader, FeedTask } from '../../policy/port.js';
import { encodeRecords } from '../../policy/record-bytes.js';
import { DEFAULT_COEFFICIENTS } from '../../receiver/model/coefficients.js';
import { makePins, port, valueOf } from '../support/feed/pins.js';
import { startRecording, type Recording } from '../support/kernel/recording.js';
import { untilDefined } from '../support/until.js';

const pins = makePins('kernel');
const LOOK = { everyMillis: 50, deadlineMillis: 30_000 };

let publisher: FeedPublisher;
let reader: FeedReader;
let recording: Recording | undefined;
let burner: ReturnType<typeof spawn> | undefined;

const taskOf = (pid: number | undefined): FeedTask | undefined =>
  valueOf(reader.tasks()).find(({ tid }) => tid === pid);

const start = async (): Promise<void> => {
  recording = await startRecording({
    windowMillis: 100,
    powerFeed: { directory: pins.directory, dramLineNanojoules: 15 },
  });
  recording.session.setCoefficients([DEFAULT_COEFFICIENTS]);
};

const burn = (): number | undefined => {
  burner = spawn('sh', ['-c', 'while :; do :; done'], { stdio: 'ignore' });
  return burner.pid;
};

beforeAll(() => {
  publisher = valueOf(port().openPublisher(pins.directory, false)).publisher;
  const now = process.hrtime.bigint();
  valueOf(
    publisher.publish({
      state: encodeRecords(powerFeedStateHalf, [
        { validUntilNs: now + 600_000_000_000n, flags: powerFeedStateFlag.hasTasks, source: 1 },
      ]),
      packages: new Uint8Array(),
      cpus: new Uint8Array(),
      cgroups: new Uint8Array(),
    }),
  );
  reader = valueOf(port().openReader(pins.directory));
});

afterEach(async () => {
  if (burner !== undefined) {
    burner.kill('SIGKILL');
    await once(burner, 'exit');
    burner = undefined;
  }
  await recording?.close();
  recording = undefined;
});

afterAll(() => {
  reader.close();
  publisher.close();
  pins.remove();
});

describe('task entries', () => {
  it('follow a task from its fork: energy and time rise, power while running is what the model says', async () => {
    await start();
    const pid = burn();
    const first = await untilDefined(
      'an entry of the burner with a running power',
      async () => {
        await recording?.closeWindow();
        const found = taskOf(pid);
        return found !== undefined && found.runMicrowatts > 0 && found.runNanos > 5e7
          ? found
          : undefined;
      },
      LOOK,
    );
    await recording?.closeWindow();
    const second = await untilDefined(
      'more energy',
      async () => {
        await recording?.closeWindow();
        const found = taskOf(pid);
        return found !== undefined && found.runNanos > first.runNanos + 1e8 ? found : undefined;
      },
      LOOK,
    );
    const watts =
      (second.energyNanojoules - first.energyNanojoules) / (second.runNanos - first.runNanos);
    // 1 GHz, nothing counted: a + 1.2 b, leakage, and a part of the package's P_on
    const core =
      DEFAULT_COEFFICIENTS.cycleNanojoules +
      1.2 * DEFAULT_COEFFICIENTS.instructionNanojoules +
      DEFAULT_COEFFICIENTS.coreWatts;
    expect(watts).toBeGreaterThan(core * 0.95);
    expect(watts).toBeLessThan((core + DEFAULT_COEFFICIENTS.packageOnWatts) * 1.05);
    expect(second.runMicrowatts / 1e6).toBeGreaterThan(core * 0.9);
    expect(second.fastMicrowatts).toBeGreaterThan(0);
    expect(second.slowMicrowatts).toBeLessThanOrEqual(second.runMicrowatts * 1.02);
  });

  it('are as old as the last switch or flush, also of a task that does not switch', async () => {
    await start();
    const pid = burn();
    await untilDefined('an entry', () => Promise.resolve(taskOf(pid)), LOOK);
    // at a window's edge somebody else may have the CPU: then the entry is as old as that switch
    let fresh = 0;
    await untilDefined(
      'five looks at an entry written at the window’s edge',
      async () => {
        const before = process.hrtime.bigint();
        await recording?.closeWindow();
        const task = taskOf(pid);
        const elapsedNanos = Number(process.hrtime.bigint() - before);
        if (task !== undefined && task.ageNanos < elapsedNanos) fresh += 1;
        return fresh >= 5 ? fresh : undefined;
      },
      LOOK,
    );
  });

  it('decay while a task sleeps, without anybody writing', async () => {
    await start();
    const sleeper = spawn(
      'sh',
      ['-c', 'i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done; echo; exec sleep 30'],
      {
        stdio: ['ignore', 'pipe', 'ignore'],
      },
    );
    burner = sleeper;
    await once(sleeper.stdout, 'data');
    const asleep = await untilDefined(
      'two looks without a switch in between',
      async () => {
        const a = taskOf(sleeper.pid);
        await new Promise((resolve) => setTimeout(resolve, 400));
        const b = taskOf(sleeper.pid);
        return a !== undefined && b?.runNanos === a.runNanos && a.fastMicrowatts > 0
          ? { a, b }
          : undefined;
      },
      LOOK,
    );
    const spanSeconds = (asleep.b.ageNanos - asleep.a.ageNanos) / 1e9;
    const expected = asleep.a.fastMicrowatts * Math.exp(-spanSeconds / 0.1);
    expect(Math.abs(asleep.b.fastMicrowatts - expected)).toBeLessThan(
      asleep.a.fastMicrowatts * 0.01 + 2,
    );
    expect(asleep.b.energyNanojoules).toBe(asleep.a.energyNanojoules);
  });

  it('are there for tasks that ran before, and go on under the next agent by the same pin', async () => {
    const pid = burn();
    await start();
    const before = await untilDefined(
      'an entry',
      async () => {
        await recording?.closeWindow();
        const found = taskOf(pid);
        return found !== undefined && found.energyNanojoules > 0 ? found : undefined;
      },
      LOOK,
    );
    await recording?.close();
    await start();
    const after = await untilDefined(
      'more energy',
      async () => {
        await recording?.closeWindow();
        const found = taskOf(pid);
        return found !== undefined && found.energyNanojoules > before.energyNanojoules
          ? found
          : undefined;
      },
      LOOK,
    );
    expect(after.runNanos).toBeGreaterThan(before.runNanos);
  });
});
