// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import {
  burn,
  LEDGER_START_UNIX_MILLIS,
  newLedger,
  only,
  processesOf,
} from '../../support/ledger.js';
import { BOOT_UNIX_MILLIS, taskSample } from '../../support/windows.js';

describe('Ledger: the life of a process', () => {
  const thread = (fields: Parameters<typeof taskSample>[0]) =>
    taskSample({ tgid: 50, runtimeNanos: 10, ...fields });

  it('adds up the windows of all threads of a process', () => {
    const ledger = newLedger();
    burn(ledger, 100, [thread({ slot: 1 }), thread({ slot: 2, tid: 51 })]);
    burn(ledger, 40, [thread({ slot: 2, tid: 51 })]);
    const process = only(ledger);
    expect(process.energy.package).toBe(140n);
    expect(process.cpuNanos).toBe(30n);
    expect(process.threadCount).toBe(2);
    expect(process.lastWindow.energy.package).toBe(40n);
  });

  it('counts a thread once however many CPU domains it ran in', () => {
    const ledger = newLedger();
    burn(ledger, 0, [thread({ slot: 1 }), thread({ slot: 2, cpuDomain: 1 })]);
    expect(only(ledger).threadCount).toBe(1);
  });

  it('lives on when its leader is dead and another thread is not', () => {
    const ledger = newLedger();
    burn(ledger, 10, [thread({ slot: 1, isDead: true }), thread({ slot: 2, tid: 51 })]);
    expect(only(ledger).isExited).toBe(false);
    burn(ledger, 10, [thread({ slot: 2, tid: 51, isDead: true, isGroupDead: true })]);
    expect(only(ledger).isExited).toBe(true);
  });

  it('does not end before its last slot is dead, even if the group is', () => {
    const ledger = newLedger();
    burn(ledger, 10, [thread({ slot: 1, isGroupDead: true }), thread({ slot: 2, tid: 51 })]);
    expect(only(ledger).isExited).toBe(false);
    burn(ledger, 10, [thread({ slot: 1, isDead: true })]);
    expect(only(ledger).isExited).toBe(false);
    burn(ledger, 10, [thread({ slot: 2, tid: 51, isDead: true })]);
    expect(only(ledger).isExited).toBe(true);
  });

  it('lives on without visible threads while the kernel has not said that the group is dead', () => {
    const ledger = newLedger();
    burn(ledger, 10, [thread({ slot: 1, isDead: true })]);
    expect(only(ledger).isExited).toBe(false);
    burn(ledger, 10, [thread({ slot: 9, sequence: 4, tid: 52 })]);
    expect(only(ledger)).toMatchObject({ isExited: false, energy: { package: 20n } });
  });

  it('is another process when the pid is used again, and the first one has ended', () => {
    const ledger = newLedger();
    burn(ledger, 10, [thread({ slot: 1, processStartBoottimeNanos: 5n })]);
    burn(ledger, 7, [
      thread({ slot: 2, processStartBoottimeNanos: 9n }),
      thread({ slot: 1, processStartBoottimeNanos: 5n, runtimeNanos: 0, isDead: true }),
    ]);
    const [first, second] = processesOf(ledger);
    expect(first).toMatchObject({ isExited: true, energy: { package: 10n } });
    expect(second).toMatchObject({ isExited: false, energy: { package: 7n } });
  });

  it('stays one process when a thread that is not the leader execs', () => {
    const ledger = newLedger();
    const start = { processStartBoottimeNanos: 77n };
    burn(ledger, 20, [thread({ slot: 1, ...start }), thread({ slot: 2, tid: 51, ...start })]);
    // The thread goes on as tid 50; the old leader's slot dies.
    burn(ledger, 30, [
      thread({ slot: 1, ...start, runtimeNanos: 0, isDead: true }),
      thread({ slot: 2, tid: 50, ...start, processComm: 'after' }),
    ]);
    expect(only(ledger)).toMatchObject({
      isExited: false,
      threadCount: 1,
      energy: { package: 50n },
      identity: { pid: 50, name: 'after' },
    });
    burn(ledger, 1, [thread({ slot: 2, tid: 50, ...start, isDead: true, isGroupDead: true })]);
    expect(only(ledger).isExited).toBe(true);
  });

  it('is renamed by exec; each name keeps what was burned under it', () => {
    const ledger = newLedger();
    burn(ledger, 10, [thread({ processComm: 'bash' })]);
    burn(ledger, 25, [thread({ processComm: 'make' })]);
    expect(only(ledger).identity.name).toBe('make');
    expect([...ledger.names()].map(({ name, energy }) => [name, energy.package])).toEqual([
      ['bash', 10n],
      ['make', 25n],
    ]);
  });

  it('is called as its leader says, not as a thread’s slot remembers', () => {
    const ledger = newLedger();
    const worker = thread({ slot: 2, tid: 51, processComm: 'old', uid: 0 });
    burn(ledger, 10, [worker]);
    expect(only(ledger).identity).toMatchObject({ name: 'old', uid: 0 });
    burn(ledger, 10, [thread({ slot: 1, processComm: 'new', uid: 1000 }), worker]);
    burn(ledger, 10, [worker]);
    expect(only(ledger).identity).toMatchObject({ name: 'new', uid: 1000, user: 'user1000' });
    expect([...ledger.names()].map(({ name, energy }) => [name, energy.package])).toEqual([
      ['old', 10n],
      ['new', 20n],
    ]);
    expect([...ledger.users()].map(({ uid, energy }) => [uid, energy.package])).toEqual([
      [0, 10n],
      [1000, 20n],
    ]);
  });

  it('begins a new series when a row follows even its retirement', () => {
    const ledger = newLedger();
    burn(ledger, 10, [thread({ slot: 1 })]);
    ledger.endVanished(() => false, true);
    ledger.retireExported([only(ledger).identity]);
    burn(ledger, 5, [thread({ slot: 1 })], 4n);
    expect(only(ledger)).toMatchObject({
      energy: { package: 5n },
      seriesStartUnixMillis: BOOT_UNIX_MILLIS + 4_000,
    });
    expect(ledger.exitedProcesses().energy.package).toBe(10n);
  });

  it('takes over a slot whose last row was lost', () => {
    const ledger = newLedger();
    burn(ledger, 10, [thread({ slot: 1, sequence: 1 })]);
    burn(ledger, 10, [taskSample({ slot: 1, sequence: 2, tgid: 60, runtimeNanos: 5 })]);
    expect(processesOf(ledger).map(({ energy }) => energy.package)).toEqual([10n, 10n]);
    expect(ledger.endVanished((pid) => pid === 60)).toBe(1);
    expect(processesOf(ledger).map(({ isExited }) => isExited)).toEqual([true, false]);
  });

  it('asks for vanished processes only about those without a living slot, unless told otherwise', () => {
    const ledger = newLedger();
    burn(ledger, 10, [thread({ slot: 1 }), taskSample({ slot: 2, tgid: 60, isDead: true })]);
    const asked: number[] = [];
    ledger.endVanished((pid) => asked.push(pid) > 0);
    expect(asked).toEqual([60]);
    expect(ledger.endVanished(() => false, true)).toBe(2);
  });

  it('comes back to life when a row follows after all', () => {
    const ledger = newLedger();
    burn(ledger, 10, [thread({ slot: 1 })]);
    ledger.endVanished(() => false, true);
    expect(only(ledger).isExited).toBe(true);
    burn(ledger, 5, [thread({ slot: 1 })]);
    expect(only(ledger)).toMatchObject({ isExited: false, energy: { package: 15n } });
  });

  it('dates processes by the wall clock and their series no earlier than the agent', () => {
    const ledger = newLedger();
    const beforeAgent = taskSample({ tgid: 1, processStartBoottimeNanos: 400_000_000n });
    const afterAgent = taskSample({ tgid: 2, processStartBoottimeNanos: 2_500_000_000n });
    burn(ledger, 1, [beforeAgent, afterAgent], 2n);
    const [first, second] = processesOf(ledger);
    expect(first?.identity.startUnixMillis).toBe(BOOT_UNIX_MILLIS + 400);
    expect(first?.seriesStartUnixMillis).toBe(LEDGER_START_UNIX_MILLIS);
    expect(second?.seriesStartUnixMillis).toBe(BOOT_UNIX_MILLIS + 2_500);
  });

  it('names owner, parent and cgroup', () => {
    const ledger = newLedger();
    burn(ledger, 1, [thread({ uid: 1000, parentTgid: 7, cgroupId: 12n, isKernelThread: true })]);
    expect(only(ledger).identity).toMatchObject({
      uid: 1000,
      user: 'user1000',
      parentPid: 7,
      cgroupId: 12n,
      cgroupPath: '/cg12',
      isKernelThread: true,
    });
  });
});
