// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import type { Ledger } from '../../../receiver/attribution/ledger.js';
import type { LedgerLimits } from '../../../receiver/attribution/ledger-limits.js';
import { burn, LEDGER_START_UNIX_MILLIS, newLedger, play } from '../../support/ledger.js';
import {
  activityWindow,
  BOOT_UNIX_MILLIS,
  cpuSample,
  overflowSample,
  taskSample,
} from '../../support/windows.js';

const MILLI = 1_000_000n;

/** Process 5 started 2 s after boot, one second after the agent. */
const thread = (tid: number, fields: Parameters<typeof taskSample>[0] = {}) =>
  taskSample({
    slot: tid,
    tgid: 5,
    tid,
    processStartBoottimeNanos: 2_000n * MILLI,
    startBoottimeNanos: (2_000n + BigInt(tid - 5) * 100n) * MILLI,
    runtimeNanos: 10,
    ...fields,
  });

const keeping = (limits: Partial<LedgerLimits> = { maxExitedThreads: 100 }): Ledger => {
  const ledger = newLedger(limits);
  ledger.setThreadsEnabled(true);
  return ledger;
};

const threadsOf = (ledger: Ledger) => [...ledger.threads()];
const tidsOf = (ledger: Ledger) => threadsOf(ledger).map(({ identity }) => identity.tid);
const retire = (ledger: Ledger): void => {
  ledger.retireExportedThreads(
    threadsOf(ledger)
      .filter(({ isExited }) => isExited)
      .map(({ identity }) => identity),
  );
};

describe('Ledger: threads', () => {
  it('keeps them only while they are asked for', () => {
    const ledger = newLedger();
    const tasks = [thread(5), thread(6, { runtimeNanos: 30, comm: 'worker' })];
    burn(ledger, 40, tasks);
    expect(threadsOf(ledger)).toEqual([]);
    ledger.setThreadsEnabled(true);
    burn(ledger, 40, tasks, 2n);
    expect(threadsOf(ledger)).toMatchObject([
      { identity: { tid: 5, pid: 5 }, energy: { package: 10n }, isExited: false },
      { identity: { tid: 6, pid: 5, name: 'worker' }, energy: { package: 30n } },
    ]);
    ledger.setThreadsEnabled(false);
    expect(threadsOf(ledger)).toEqual([]);
  });

  it('begins at zero when they are asked for again, slots and remainders included', () => {
    const ledger = keeping({ maxThreads: 1 });
    burn(ledger, 40, [thread(5), thread(6)]);
    expect(ledger.overflow().threads.energy.package).toBe(20n);
    ledger.setThreadsEnabled(false);
    ledger.setThreadsEnabled(true);
    expect(ledger.overflow().threads.energy.package).toBe(0n);
    burn(ledger, 8, [thread(5), thread(6)], 2n);
    expect(threadsOf(ledger)).toMatchObject([{ energy: { package: 4n } }]);
    expect(ledger.overflow().threads.energy.package).toBe(4n);
  });

  it('dates a thread and its process by the wall clock', () => {
    const ledger = keeping();
    burn(ledger, 0, []);
    burn(ledger, 40, [thread(7)], 3n);
    const [process] = ledger.processes();
    expect(threadsOf(ledger)[0]).toMatchObject({
      identity: {
        startUnixMillis: BOOT_UNIX_MILLIS + 2_200,
        processStartUnixMillis: process?.identity.startUnixMillis,
      },
      seriesStartUnixMillis: BOOT_UNIX_MILLIS + 2_200,
    });
  });

  it('starts the series of a thread older than the agent with the agent', () => {
    const ledger = keeping();
    burn(ledger, 40, [thread(5, { startBoottimeNanos: 1n, isPreexisting: true })]);
    expect(threadsOf(ledger)[0]?.seriesStartUnixMillis).toBe(LEDGER_START_UNIX_MILLIS);
  });

  it('starts the series of a thread older than the question with the first window after it', () => {
    const ledger = newLedger();
    burn(ledger, 40, [thread(5)], 3n);
    ledger.setThreadsEnabled(true);
    burn(ledger, 40, [thread(5), thread(6)], 4n);
    expect(threadsOf(ledger).map((one) => one.seriesStartUnixMillis)).toEqual([
      BOOT_UNIX_MILLIS + 4_000,
      BOOT_UNIX_MILLIS + 4_000,
    ]);
  });

  it('ends a thread with the last of its slots', () => {
    const ledger = keeping();
    burn(ledger, 20, [thread(6, { slot: 1 }), thread(6, { slot: 2, cpuDomain: 1 })]);
    burn(ledger, 20, [thread(6, { slot: 1, isDead: true })]);
    expect(threadsOf(ledger)).toMatchObject([{ isExited: false }]);
    burn(ledger, 20, [thread(6, { slot: 2, cpuDomain: 1, isDead: true })]);
    expect(threadsOf(ledger)).toMatchObject([{ isExited: true, cpuNanos: 40n }]);
  });

  it('keeps an ended thread until it was exported, then only its sum', () => {
    const ledger = keeping();
    burn(ledger, 20, [thread(5), thread(6, { isDead: true })]);
    burn(ledger, 5, [thread(5)]);
    expect(tidsOf(ledger)).toEqual([5, 6]);
    retire(ledger);
    expect(tidsOf(ledger)).toEqual([5]);
    expect(ledger.exitedThreads()).toMatchObject({ energy: { package: 10n }, cpuNanos: 10n });
    expect(ledger.verify()).toEqual([]);
  });

  it('does not forget a living thread that an exporter names', () => {
    const ledger = keeping();
    burn(ledger, 20, [thread(5)]);
    ledger.retireExportedThreads(threadsOf(ledger).map(({ identity }) => identity));
    expect(tidsOf(ledger)).toEqual([5]);
  });

  it('shows viewers a dead thread in its last window and forgets it then', () => {
    const ledger = keeping({});
    burn(ledger, 40, [thread(5, { isDead: true, isGroupDead: true })]);
    expect(threadsOf(ledger)).toMatchObject([{ isExited: true }]);
    burn(ledger, 40, []);
    expect(threadsOf(ledger)).toEqual([]);
    expect(ledger.exitedThreads().energy.package).toBe(40n);
  });

  it('takes a re-used tid for another thread', () => {
    const ledger = keeping();
    burn(ledger, 20, [thread(6, { isDead: true })]);
    burn(ledger, 7, [thread(6, { sequence: 2, startBoottimeNanos: 9_000n * MILLI })]);
    expect(threadsOf(ledger)).toMatchObject([
      { isExited: true, energy: { package: 20n } },
      { isExited: false, energy: { package: 7n } },
    ]);
  });

  it('ends a thread whose slot has another owner although its end was not seen', () => {
    const ledger = keeping();
    burn(ledger, 20, [thread(6, { slot: 1 })]);
    burn(ledger, 20, [thread(7, { slot: 1, sequence: 2 })]);
    expect(threadsOf(ledger)).toMatchObject([
      { identity: { tid: 6 }, isExited: true },
      { identity: { tid: 7 }, isExited: false },
    ]);
  });

  it('lets a thread that execs go on as the leader', () => {
    const ledger = keeping();
    const leader = { tid: 5, startBoottimeNanos: 2_000n * MILLI };
    burn(ledger, 20, [thread(5), thread(6)]);
    burn(ledger, 30, [
      thread(5, { runtimeNanos: 0, isDead: true }),
      thread(6, { ...leader, comm: 'after' }),
    ]);
    expect(threadsOf(ledger)).toMatchObject([
      { identity: { tid: 5, name: 'after' }, isExited: false, energy: { package: 40n } },
      { identity: { tid: 6 }, isExited: true, energy: { package: 10n } },
    ]);
  });

  it('is whole with threads that found no room and task time without a slot', () => {
    const ledger = keeping({ maxThreads: 1 });
    burn(ledger, 20, [thread(5), thread(6)]);
    const overflow = [overflowSample({ runtimeNanos: 40 })];
    const cpus = [cpuSample({ overflowNanos: 40 })];
    play(ledger, activityWindow({ index: 2n, tasks: [thread(5)], overflow, cpus }));
    expect(ledger.verify()).toEqual([]);
    expect(ledger.overflow().threads).toMatchObject({ energy: { package: 10n }, cpuNanos: 50n });
    expect(ledger.losses()).toMatchObject({ threadOverflowRows: 1 });
  });

  it('gives a new thread the place of the longest ended one', () => {
    const ledger = keeping({ maxThreads: 2, maxExitedThreads: 2 });
    burn(ledger, 20, [thread(5, { isDead: true }), thread(6, { isDead: true })]);
    burn(ledger, 6, [thread(7)], 3n);
    expect(tidsOf(ledger)).toEqual([6, 7]);
    expect(ledger.exitedThreads().energy.package).toBe(10n);
  });

  it('ends all threads that are gone after a lost batch of windows, and takes one back that is not', () => {
    const ledger = keeping();
    burn(ledger, 20, [thread(5), thread(6)]);
    ledger.endVanished((tid) => tid === 5, true);
    expect(threadsOf(ledger)).toMatchObject([{ isExited: false }, { isExited: true }]);
    burn(ledger, 20, [thread(5), thread(6)]);
    expect(threadsOf(ledger)).toMatchObject([
      { isExited: false },
      { isExited: false, energy: { package: 20n } },
    ]);
  });
});
