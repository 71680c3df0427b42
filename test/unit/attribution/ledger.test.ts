// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { attribute } from '../../../receiver/attribution/attribute.js';
import { nanos } from '../../../receiver/model/units.js';
import { burn, newLedger, only, plainIdentities, play, processesOf } from '../../support/ledger.js';
import {
  activityWindow,
  advancedReading,
  BOOT_UNIX_MILLIS,
  cpuSample,
  overflowSample,
  packageDomain,
  taskSample,
  topologyOf,
} from '../../support/windows.js';

describe('Ledger: exits and caps', () => {
  const dying = (tgid: number, fields: Parameters<typeof taskSample>[0] = {}) =>
    taskSample({ tgid, runtimeNanos: 10, isDead: true, isGroupDead: true, ...fields });

  it('keeps an ended process until it was exported, and then its sum', () => {
    const ledger = newLedger();
    burn(ledger, 30, [dying(5)]);
    burn(ledger, 0, []);
    const { identity } = only(ledger);
    ledger.retireExported([identity]);
    expect(processesOf(ledger)).toEqual([]);
    expect(ledger.exitedProcesses()).toMatchObject({ energy: { package: 30n }, cpuNanos: 10n });
    ledger.retireExported([identity]);
    expect(ledger.exitedProcesses().energy.package).toBe(30n);
    expect(ledger.verify()).toEqual([]);
  });

  it('does not forget a process that lives, whatever was exported', () => {
    const ledger = newLedger();
    burn(ledger, 30, [taskSample({ tgid: 5, runtimeNanos: 1 })]);
    ledger.retireExported([only(ledger).identity, { pid: 99, startBoottimeNanos: nanos(1n) }]);
    expect(only(ledger).energy.package).toBe(30n);
  });

  it('lets the oldest ended ones give way when too many wait for an export', () => {
    const ledger = newLedger({ maxExited: 2 });
    burn(
      ledger,
      40,
      [1, 2, 3, 4].map((tgid) => dying(tgid)),
    );
    expect(processesOf(ledger).map(({ identity }) => identity.pid)).toEqual([3, 4]);
    expect(ledger.exitedProcesses().energy.package).toBe(20n);
    expect(ledger.sizes().exitedRetiredEarly).toBe(2);
  });

  it('charges processes beyond the cap to the overflow, and takes them in when there is room', () => {
    const ledger = newLedger({ maxProcesses: 1 });
    const first = taskSample({ slot: 1, tgid: 1, runtimeNanos: 10 });
    const second = taskSample({ slot: 2, tgid: 2, runtimeNanos: 10 });
    burn(ledger, 20, [first, second]);
    expect(only(ledger).identity.pid).toBe(1);
    expect(ledger.overflow().processes.energy.package).toBe(10n);
    expect(ledger.losses()).toMatchObject({ processOverflowRows: 1 });
    burn(ledger, 20, [dying(1, { slot: 1 }), second], 2n);
    expect(only(ledger)).toMatchObject({
      identity: { pid: 2 },
      energy: { package: 10n },
      seriesStartUnixMillis: BOOT_UNIX_MILLIS + 2_000,
    });
    expect(ledger.exitedProcesses().energy.package).toBe(20n);
  });

  it('holds 100,000 short-lived processes in bounded memory and loses none of their energy', () => {
    const ledger = newLedger({ maxExited: 1_000, maxProcesses: 2_000 });
    const perWindow = 2_500;
    for (let window = 0; window < 40; window += 1) {
      const tasks = Array.from({ length: perWindow }, (_, i) =>
        dying(10 + i, {
          slot: 1 + i,
          sequence: window + 1,
          processStartBoottimeNanos: BigInt(1 + window * perWindow + i),
          processComm: 'storm',
        }),
      );
      play(ledger, activityWindow({ index: BigInt(window + 1), tasks }), [
        advancedReading(packageDomain(), 1_234_567),
      ]);
    }
    expect(ledger.verify()).toEqual([]);
    expect(ledger.sizes()).toMatchObject({ processes: 1_000, slots: 0 });
    const [storm] = [...ledger.names()];
    expect(storm).toMatchObject({
      name: 'storm',
      energy: { package: 40n * 1_234_567n },
      cpuNanos: 100_000n * 10n,
    });
    const kept = processesOf(ledger).reduce((sum, { energy }) => sum + energy.package, 0n);
    expect(kept + ledger.exitedProcesses().energy.package).toBe(40n * 1_234_567n);
    expect(ledger.overflow().processes.energy.package).toBe(0n);
  });

  it('bounds names and users and keeps their sums whole', () => {
    const ledger = newLedger({ maxNames: 2, maxUsers: 1 });
    burn(
      ledger,
      40,
      [1, 2, 3, 4].map((tgid) => dying(tgid, { uid: tgid })),
    );
    expect([...ledger.names()].map(({ name }) => name)).toEqual(['p1', 'p2']);
    expect(ledger.namesOverflow().energy.package).toBe(20n);
    expect([...ledger.users()]).toMatchObject([{ uid: 1, user: 'user1' }]);
    expect(ledger.usersOverflow().energy.package).toBe(30n);
  });
});

describe('Ledger: cgroups', () => {
  it('gives a moved task’s window to the cgroup at its end', () => {
    const ledger = newLedger();
    burn(ledger, 10, [taskSample({ cgroupId: 3n, runtimeNanos: 1 })]);
    burn(ledger, 25, [taskSample({ cgroupId: 4n, runtimeNanos: 1 })]);
    expect([...ledger.cgroups()].map(({ id, energy }) => [id, energy.package])).toEqual([
      [3n, 10n],
      [4n, 25n],
    ]);
  });

  it('keeps a cgroup’s energy when its processes are gone', () => {
    const ledger = newLedger();
    burn(ledger, 10, [
      taskSample({ cgroupId: 3n, runtimeNanos: 1, isDead: true, isGroupDead: true }),
    ]);
    ledger.retireExported(processesOf(ledger).map(({ identity }) => identity));
    expect([...ledger.cgroups()]).toMatchObject([{ id: 3n, energy: { package: 10n } }]);
  });

  it('lets the longest inactive cgroup give way, never one with a living task', () => {
    const ledger = newLedger({ maxCgroups: 2 });
    const dead = { isDead: true, isGroupDead: true };
    burn(ledger, 10, [taskSample({ tgid: 1, cgroupId: 1n, runtimeNanos: 1, ...dead })]);
    burn(ledger, 10, [taskSample({ tgid: 2, cgroupId: 2n, runtimeNanos: 1 })]);
    burn(ledger, 10, [taskSample({ tgid: 3, cgroupId: 3n, runtimeNanos: 1 })]);
    expect([...ledger.cgroups()].map(({ id }) => id)).toEqual([2n, 3n]);
    expect(ledger.overflow().cgroups.energy.package).toBe(10n);
    burn(ledger, 10, [taskSample({ tgid: 4, cgroupId: 4n, runtimeNanos: 1 })]);
    expect([...ledger.cgroups()].map(({ id }) => id)).toEqual([2n, 3n]);
    expect(ledger.overflow().cgroups.energy.package).toBe(20n);
    expect(ledger.losses()).toMatchObject({ cgroupOverflowRows: 1 });
  });

  it('asks for the path when a cgroup is first charged, with the process that did', () => {
    const noticed: (readonly [bigint, number | undefined])[] = [];
    const ledger = newLedger(
      {},
      { ...plainIdentities, noticeCgroup: (id, pid) => noticed.push([id, pid]) },
    );
    burn(ledger, 1, [taskSample({ tgid: 8, cgroupId: 3n }), taskSample({ tgid: 9, cgroupId: 3n })]);
    play(
      ledger,
      activityWindow({
        overflow: [overflowSample({ cgroupId: 5n, runtimeNanos: 1 })],
        cpus: [cpuSample({ overflowNanos: 1 })],
      }),
    );
    expect(noticed).toEqual([
      [3n, 8],
      [5n, undefined],
    ]);
  });

  it('charges slot-less time to its cgroup and, on the process level, to the overflow', () => {
    const ledger = newLedger();
    const window = activityWindow({
      tasks: [taskSample({ tgid: 1, cgroupId: 3n, runtimeNanos: 100 })],
      overflow: [overflowSample({ cgroupId: 3n, runtimeNanos: 300 })],
      cpus: [cpuSample({ overflowNanos: 400 })],
    });
    play(ledger, window, [advancedReading(packageDomain(), 500)]);
    expect(ledger.verify()).toEqual([]);
    expect([...ledger.cgroups()]).toMatchObject([{ energy: { package: 400n }, cpuNanos: 400n }]);
    expect(ledger.overflow().processes).toMatchObject({ energy: { package: 300n } });
    const [domain] = ledger.domains();
    expect(domain?.entitiesMicrojoules).toBe(400n);
    expect(domain?.unattributed).toEqual(new Map([['overflow', 100n]]));
  });
});

describe('Ledger: domains and losses', () => {
  it('counts rejected and failed windows by reason and moves nothing in them', () => {
    const ledger = newLedger();
    const domain = packageDomain();
    const window = activityWindow({ tasks: [taskSample({ runtimeNanos: 5 })] });
    play(ledger, window, [{ domain, step: { _tag: 'First' } }]);
    play(ledger, window, [{ domain, step: { _tag: 'Rejected', reason: 'reset', detail: '' } }]);
    play(ledger, window, [{ domain, step: { _tag: 'Failed', reason: 'empty', detail: '' } }]);
    const [totals] = ledger.domains();
    expect(totals).toMatchObject({
      acceptedMicrojoules: 0n,
      windowsAccepted: 0,
      windowsRejected: new Map([['reset', 1]]),
      windowsFailed: new Map([['empty', 1]]),
    });
    expect(only(ledger).cpuNanos).toBe(15n);
  });

  it('adds up the kernel’s loss counts', () => {
    const ledger = newLedger();
    const stats = { ...cpuSample().stats, storageMisses: 2, slotsExhausted: 3 };
    play(ledger, activityWindow({ cpus: [cpuSample({ stats }), cpuSample({ cpu: 1, stats })] }));
    expect(ledger.losses()).toMatchObject({ storageMisses: 4, slotsExhausted: 6 });
  });

  it('keeps exact totals beyond 2^53 microjoules', () => {
    const ledger = newLedger();
    const delta = 2 ** 52 - 3;
    for (let i = 0; i < 5; i += 1) burn(ledger, delta, [taskSample({ runtimeNanos: 1 })]);
    expect(only(ledger).energy.package).toBe(5n * BigInt(delta));
  });

  it('notices when its levels do not add up', () => {
    const ledger = newLedger();
    const window = activityWindow({ tasks: [taskSample({ runtimeNanos: 5 })] });
    const readings = [advancedReading(packageDomain(), 10)];
    const input = { window, readings, topology: topologyOf(), idleFloors: new Map() };
    const attribution = attribute(input);
    attribution.shares.tasks.package[0] = 9;
    ledger.book(window, readings, attribution);
    expect(ledger.verify()).toEqual([
      'processes: package is 9 uJ, domains say 10 uJ',
      'cgroups: package is 9 uJ, domains say 10 uJ',
      'containers: package is 9 uJ, domains say 10 uJ',
      'pods: package is 9 uJ, domains say 10 uJ',
      'jobs: package is 9 uJ, domains say 10 uJ',
      'units: package is 9 uJ, domains say 10 uJ',
      'names: package is 9 uJ, domains say 10 uJ',
      'users: package is 9 uJ, domains say 10 uJ',
    ]);
  });
});
