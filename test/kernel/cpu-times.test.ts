// SPDX-License-Identifier: Apache-2.0
/** Interrupt and steal time of the windows, against /proc/stat: from a program, or in its ticks. */
import { createSocket } from 'node:dgram';
import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import type { CpuSample } from '../../receiver/model/activity.js';
import { startRecording, sum, type Recording } from '../support/kernel/recording.js';
import { until } from '../support/until.js';

/** USER_HZ is 100 wherever Node runs. */
const NANOS_PER_TICK = 10_000_000;
const DATAGRAMS = 500;

interface CpuTimes {
  readonly interruptNanos: number;
  readonly stealNanos: number;
}

const statTimes = (): readonly CpuTimes[] =>
  readFileSync('/proc/stat', 'utf8')
    .split('\n')
    .filter((line) => /^cpu\d/.test(line))
    .map((line) => {
      const [irq = 0, softirq = 0, steal = 0] = line.split(' ').slice(6).map(Number);
      return {
        interruptNanos: (irq + softirq) * NANOS_PER_TICK,
        stealNanos: steal * NANOS_PER_TICK,
      };
    });

/** Soft interrupts: each datagram over the loopback device is one. */
const makeInterrupts = async (): Promise<void> => {
  const socket = createSocket('udp4');
  const sent = Array.from(
    { length: DATAGRAMS },
    () => new Promise((resolve) => socket.send('x', 9, '127.0.0.1', resolve)),
  );
  await Promise.all(sent);
  socket.close();
};

let recording: Recording | undefined;
afterEach(async () => {
  await recording?.close();
});

describe('the CPU times of a window', () => {
  it('rise as /proc/stat says, on each CPU', async () => {
    recording = await startRecording();
    const { windows } = recording;
    const outerFirst = statTimes();
    await recording.closeWindow();
    const from = windows.length;
    const innerFirst = statTimes();
    await until(
      'interrupts to be counted',
      async () => {
        await makeInterrupts();
        return statTimes().some(
          ({ interruptNanos }, cpu) =>
            interruptNanos > (innerFirst[cpu]?.interruptNanos ?? 0) + 2 * NANOS_PER_TICK,
        );
      },
      60_000,
    );
    const innerLast = statTimes();
    await recording.closeWindow();
    const outerLast = statTimes();
    const expectWithin = (cpu: number, of: (sample: CpuSample) => number, name: keyof CpuTimes) => {
      const rows = windows.slice(from).flatMap(({ cpus }) => cpus.filter((row) => row.cpu === cpu));
      const between = (first: readonly CpuTimes[], last: readonly CpuTimes[]): number =>
        (last[cpu]?.[name] ?? 0) - (first[cpu]?.[name] ?? 0);
      const risen = sum(rows, of);
      // /proc/stat rounds down at both ends.
      expect(risen).toBeGreaterThanOrEqual(between(innerFirst, innerLast) - NANOS_PER_TICK);
      expect(risen).toBeLessThanOrEqual(between(outerFirst, outerLast) + NANOS_PER_TICK);
    };
    const hasInterrupts = windows.at(-1)?.cpus[0]?.irqNanos !== undefined;
    outerLast.forEach((_, cpu) => {
      expectWithin(cpu, ({ stealNanos }) => stealNanos ?? Number.NaN, 'stealNanos');
      if (hasInterrupts)
        expectWithin(cpu, ({ irqNanos }) => irqNanos ?? Number.NaN, 'interruptNanos');
    });
  });
});
