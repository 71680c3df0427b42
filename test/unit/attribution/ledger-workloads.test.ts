// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Identities } from '../../../receiver/attribution/ledger-entries.js';
import type { Ledger } from '../../../receiver/attribution/ledger.js';
import {
  CGROUP_LEVELS,
  WORKLOAD_LEVELS,
  type WorkloadLevel,
} from '../../../receiver/model/ledger-view.js';
import { burn, identityNamed, newLedger, plainIdentities, play } from '../../support/ledger.js';
import { ID, UID } from '../../support/cgroup-corpus.js';
import { history } from '../../support/random-window.js';
import { taskSample } from '../../support/windows.js';

const POD = `/kubepods/burstable/pod${UID}`;

/** Cgroups whose paths and lives a test sets by hand. */
class Cgroups {
  readonly paths = new Map<bigint, string>();
  readonly removed = new Set<bigint>();
  readonly identities: Identities = {
    ...plainIdentities,
    cgroupIdentity: (id) => {
      const path = this.paths.get(id);
      return path === undefined ? undefined : identityNamed(path);
    },
    isCgroupThere: (id) => !this.removed.has(id),
  };
}

const inCgroup = (cgroupId: bigint, more: Parameters<typeof taskSample>[0] = {}) => {
  const pid = Number(cgroupId) * 10;
  return taskSample({ cgroupId, slot: pid, tid: pid, tgid: pid, runtimeNanos: 1_000, ...more });
};

const sums = (ledger: Ledger, level: WorkloadLevel) =>
  Object.fromEntries(
    Array.from(ledger.workloads(level), ({ facts, energy }) => {
      const name =
        facts._tag === 'container'
          ? facts.container.id
          : facts._tag === 'pod'
            ? facts.pod.uid
            : facts._tag === 'unit'
              ? facts.unit.name
              : facts._tag === 'job'
                ? `${facts.id} of ${String(facts.uid)}`
                : facts._tag;
      return [name, Number(energy.package)];
    }),
  );

describe('Ledger: containers, pods, jobs and units', () => {
  it('sums the cgroups of a container and the containers of a pod', () => {
    const cgroups = new Cgroups();
    cgroups.paths.set(1n, `${POD}/${ID.A}`);
    cgroups.paths.set(2n, `${POD}/${ID.A}/inner`);
    cgroups.paths.set(3n, `${POD}/${ID.B}`);
    cgroups.paths.set(4n, '/system.slice/ssh.service');
    const ledger = newLedger({}, cgroups.identities);
    burn(ledger, 400, [inCgroup(1n), inCgroup(2n), inCgroup(3n), inCgroup(4n)]);
    expect(sums(ledger, 'container')).toEqual({ [ID.A]: 200, [ID.B]: 100 });
    expect(sums(ledger, 'pod')).toEqual({ [UID]: 300 });
    expect(sums(ledger, 'unit')).toEqual({ 'ssh.service': 100 });
    expect(sums(ledger, 'job')).toEqual({});
  });

  it('gives a container what its cgroup burned before its path was found', () => {
    const cgroups = new Cgroups();
    const ledger = newLedger({}, cgroups.identities);
    burn(ledger, 100, [inCgroup(1n)], 1n);
    burn(ledger, 100, [inCgroup(1n)], 2n);
    expect(sums(ledger, 'container')).toEqual({});
    cgroups.paths.set(1n, `/docker/${ID.A}`);
    // In a window in which it does not run, too.
    burn(ledger, 50, [inCgroup(2n)], 3n);
    expect(sums(ledger, 'container')).toEqual({ [ID.A]: 200 });
    burn(ledger, 10, [inCgroup(1n)], 4n);
    expect(sums(ledger, 'container')).toEqual({ [ID.A]: 210 });
  });

  it('leaves the joules where they were spent when a process is moved', () => {
    const cgroups = new Cgroups();
    cgroups.paths.set(1n, `/docker/${ID.A}`);
    cgroups.paths.set(2n, `/docker/${ID.B}`);
    const ledger = newLedger({}, cgroups.identities);
    const task = inCgroup(1n);
    burn(ledger, 100, [task], 1n);
    burn(ledger, 70, [{ ...task, cgroupId: 2n }], 2n);
    expect(sums(ledger, 'container')).toEqual({ [ID.A]: 100, [ID.B]: 70 });
  });

  it('begins anew under another name after a rename', () => {
    const cgroups = new Cgroups();
    cgroups.paths.set(1n, '/system.slice/a.service');
    const ledger = newLedger({}, cgroups.identities);
    burn(ledger, 100, [inCgroup(1n)], 1n);
    cgroups.paths.set(1n, '/system.slice/b.service');
    burn(ledger, 10, [inCgroup(1n)], 2n);
    expect(sums(ledger, 'unit')).toEqual({ 'a.service': 100, 'b.service': 10 });
    expect([...ledger.workloads('unit')].map(({ isExited }) => isExited)).toEqual([true, false]);
  });

  it('ends a removed cgroup and its container, and forgets both once exported', () => {
    const cgroups = new Cgroups();
    cgroups.paths.set(1n, `${POD}/${ID.A}`);
    cgroups.paths.set(2n, `${POD}/${ID.B}`);
    const ledger = newLedger({}, cgroups.identities);
    burn(ledger, 300, [inCgroup(1n, { isDead: true, isGroupDead: true }), inCgroup(2n)], 1n);
    cgroups.removed.add(1n);
    burn(ledger, 10, [inCgroup(2n)], 2n);
    const ended = [...ledger.workloads('container')].filter(({ isExited }) => isExited);
    expect(ended.map(({ energy }) => energy.package)).toEqual([150n]);
    expect([...ledger.cgroups()].map(({ isExited }) => isExited)).toEqual([true, false]);
    expect([...ledger.workloads('pod')].map(({ isExited }) => isExited)).toEqual([false]);
    ledger.retireExportedWorkloads('container', ended);
    ledger.retireExportedCgroups([...ledger.cgroups()]);
    expect(sums(ledger, 'container')).toEqual({ [ID.B]: 160 });
    expect(sums(ledger, 'pod')).toEqual({ [UID]: 310 });
    expect(ledger.exitedWorkloads('container').energy.package).toBe(150n);
    expect(ledger.exitedCgroups().energy.package).toBe(150n);
    expect(ledger.verify()).toEqual([]);
  });

  it('does not count a helper beside a container as the container', () => {
    const cgroups = new Cgroups();
    const base = `/kubepods.slice/kubepods-pod${UID.replaceAll('-', '_')}.slice`;
    cgroups.paths.set(1n, `${base}/crio-${ID.A}.scope`);
    cgroups.paths.set(2n, `${base}/crio-conmon-${ID.A}.scope`);
    const ledger = newLedger({}, cgroups.identities);
    burn(ledger, 100, [inCgroup(1n), inCgroup(2n)]);
    expect(sums(ledger, 'container')).toEqual({ [ID.A]: 50 });
    expect(sums(ledger, 'pod')).toEqual({ [UID]: 100 });
  });

  it('takes the owner of a job from its processes where the path does not say', () => {
    const cgroups = new Cgroups();
    const step = '/system.slice/slurmstepd.scope/job_7/step_0';
    cgroups.paths.set(1n, `${step}/user/task_0`);
    cgroups.paths.set(2n, `${step}/slurm`);
    const ledger = newLedger({}, cgroups.identities);
    burn(ledger, 100, [inCgroup(2n, { uid: 0 })], 1n);
    burn(ledger, 100, [inCgroup(1n, { uid: 1000 }), inCgroup(2n, { uid: 0 })], 2n);
    expect(sums(ledger, 'job')).toEqual({ '7 of 1000': 200 });
  });

  it('is whole whatever is found late, renamed, removed, exported or over the cap', () => {
    const paths = [
      undefined,
      `/docker/${ID.A}`,
      `${POD}/${ID.A}`,
      `${POD}/${ID.B}`,
      '/slurm/uid_1/job_2/step_3',
      '/system.slice/a.service',
      '/x',
    ];
    const change = fc.record({
      id: fc.bigInt({ min: 0n, max: 12n }),
      path: fc.constantFrom(...paths),
      isRemoved: fc.boolean(),
      isExported: fc.boolean(),
    });
    const limited = fc.constantFrom({}, { maxCgroups: 2, maxWorkloads: 1, maxExited: 1 });
    fc.assert(
      fc.property(
        history(),
        fc.array(change, { maxLength: 40 }),
        limited,
        (drawn, changes, limits) => {
          const cgroups = new Cgroups();
          const ledger = newLedger(limits, cgroups.identities);
          const before = new Map<string, bigint>();
          drawn.steps.forEach(({ window, readings }, at) => {
            for (const { id, path, isRemoved } of changes.slice(at * 4, at * 4 + 4)) {
              if (path !== undefined) cgroups.paths.set(id, path);
              if (isRemoved) cgroups.removed.add(id);
              else cgroups.removed.delete(id);
            }
            play(ledger, window, readings, drawn);
            expect(ledger.verify()).toEqual([]);
            for (const level of WORKLOAD_LEVELS) {
              for (const { key, energy } of ledger.workloads(level)) {
                const name = `${level} ${key}`;
                if (limits.maxWorkloads === undefined)
                  expect(energy.package).toBeGreaterThanOrEqual(before.get(name) ?? 0n);
                before.set(name, energy.package);
              }
            }
            if (changes[at]?.isExported !== true) return;
            before.clear();
            for (const level of CGROUP_LEVELS) {
              ledger.retireExportedWorkloads(level, [...ledger.workloads(level)]);
            }
            ledger.retireExportedCgroups([...ledger.cgroups()]);
            expect(ledger.verify()).toEqual([]);
          });
        },
      ),
      { numRuns: 200 },
    );
  });
});
