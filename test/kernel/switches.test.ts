// SPDX-License-Identifier: Apache-2.0
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { buildLoads, startLoad, type Load } from '../support/kernel/load.js';
import { possibleCpus } from '../support/kernel/proc.js';
import {
  closeWindowAsleep,
  runtimeNanosOf,
  startRecording,
  sum,
  tasksOf,
  type Recording,
  type RecordingOptions,
} from '../support/kernel/recording.js';

const ROUNDS = 25;

let recording: Recording | undefined;
let load: Load | undefined;

/** Read, act, read: what the kernel and the slots say of the program between two sleeps. */
const readActRead = async (options: RecordingOptions, program = 'switches') => {
  recording = await startRecording(options);
  load = await startLoad(program, [ROUNDS]);
  const { pid } = load;
  const counted = (all: Recording) => {
    const rows = tasksOf(all, ({ tid }) => tid === pid);
    return {
      rows,
      voluntary: sum(rows, ({ voluntarySwitches }) => voluntarySwitches),
      involuntary: sum(rows, ({ involuntarySwitches }) => involuntarySwitches),
      migrations: sum(rows, ({ migrations }) => migrations),
      runtimeNanos: runtimeNanosOf(rows),
    };
  };
  const kernelBefore = await closeWindowAsleep(recording, pid);
  const slotsBefore = counted(recording);
  await load.act();
  const kernelAfter = await closeWindowAsleep(recording, pid);
  const slotsAfter = counted(recording);
  return { kernelBefore, kernelAfter, slotsBefore, slotsAfter };
};

describe('wf_sched_switch', () => {
  beforeAll(buildLoads);

  afterEach(async () => {
    await load?.stop();
    await recording?.close();
  });

  it('counts switches as /proc/PID/status does, exactly', async () => {
    const { kernelBefore, kernelAfter, slotsBefore, slotsAfter } = await readActRead({});
    const voluntary = kernelAfter.voluntarySwitches - kernelBefore.voluntarySwitches;
    const involuntary = kernelAfter.involuntarySwitches - kernelBefore.involuntarySwitches;

    expect(voluntary).toBeGreaterThanOrEqual(ROUNDS);
    expect(involuntary).toBeGreaterThanOrEqual(ROUNDS);
    expect(slotsAfter.voluntary - slotsBefore.voluntary).toBe(voluntary);
    expect(slotsAfter.involuntary - slotsBefore.involuntary).toBe(involuntary);
  });

  it('counts each move to another CPU once, however often the task sleeps there', async () => {
    const { slotsBefore, slotsAfter } = await readActRead({}, 'moves');
    expect(slotsAfter.migrations - slotsBefore.migrations).toBe(2 * ROUNDS);
  });

  it('charges se.sum_exec_runtime to the nanosecond, from fork on', async () => {
    const { kernelAfter, slotsAfter } = await readActRead({});

    expect(slotsAfter.runtimeNanos).toBe(kernelAfter.runtimeNanos);
  });

  it('keeps the sums whole when a task runs in several CPU domains', async () => {
    const cpuDomains = Array.from({ length: possibleCpus() }, (_, cpu) => cpu % 2);
    const { kernelBefore, kernelAfter, slotsBefore, slotsAfter } = await readActRead({
      cpuDomains,
    });
    const inDomain = (domain: number) =>
      runtimeNanosOf(slotsAfter.rows.filter(({ cpuDomain }) => cpuDomain === domain));

    expect(inDomain(0)).toBeGreaterThan(0);
    expect(inDomain(1)).toBeGreaterThan(0);
    expect(slotsAfter.runtimeNanos).toBe(kernelAfter.runtimeNanos);
    expect(slotsAfter.voluntary - slotsBefore.voluntary).toBe(
      kernelAfter.voluntarySwitches - kernelBefore.voluntarySwitches,
    );
    expect(slotsAfter.involuntary - slotsBefore.involuntary).toBe(
      kernelAfter.involuntarySwitches - kernelBefore.involuntarySwitches,
    );
  });
});
