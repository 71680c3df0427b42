// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EnergyRow, WorkloadPart } from '../../../receiver/model/agent-report.js';
import { CGROUP_LEVELS } from '../../../receiver/model/ledger-view.js';
import { addEnergyRows } from '../../../receiver/model/energy-row.js';
import { nanos } from '../../../receiver/model/units.js';
import { workloadParts } from '../../../receiver/report/workload-rows.js';
import type { RowWindow } from '../../../receiver/report/energy-rows.js';
import { identityNamed, newLedger, plainIdentities, play } from '../../support/ledger.js';
import {
  activityWindow,
  advancedReading,
  packageDomain,
  taskSample,
} from '../../support/windows.js';

const CONTAINER = 'f'.repeat(64);
const POD = '/kubepods.slice/kubepods-pod5f32d849_6210_4886_a48d_e0d90e1d0206.slice';
const PATHS: readonly string[] = [
  '/',
  '/init.scope',
  '/system.slice/nginx.service',
  `/system.slice/docker-${'a'.repeat(64)}.scope`,
  `${POD}/cri-containerd-${CONTAINER}.scope`,
  `${POD}/cri-containerd-${CONTAINER}.scope/docker/${'d'.repeat(64)}`,
  '/slurm/uid_1000/job_4711/step_0/task_0',
  '/user.slice/user-1000.slice/user@1000.service/app.slice/app-firefox.scope',
];

const pathOf = (id: bigint): string => PATHS[Number(id)] ?? '/';
const identities = {
  ...plainIdentities,
  cgroupPath: pathOf,
  cgroupIdentity: (id: bigint) => identityNamed(pathOf(id)),
};

const WINDOW: RowWindow = {
  spanNanos: nanos(1_000_000_000n),
  energySpanNanos: { package: nanos(1_000_000_000n), dram: nanos(1_000_000_000n) },
  kinds: { package: 'whole', dram: 'absent' },
  isDramPredicted: false,
};

/** Each task in the cgroup of its number; the package burns 1 mJ a task and window. */
const ledgerAfter = (windows: readonly (readonly number[])[]) => {
  const ledger = newLedger({}, identities);
  windows.forEach((cgroups, at) => {
    const tasks = cgroups.map((cgroup, row) =>
      taskSample({ tgid: 100 + row, cgroupId: BigInt(cgroup), uid: 1000, runtimeNanos: 1_000_000 }),
    );
    const reading = advancedReading(packageDomain(), tasks.length * 1_000);
    play(ledger, activityWindow({ index: BigInt(at + 1), tasks }), [reading]);
  });
  return ledger;
};

const sum = (rows: readonly EnergyRow[]): number =>
  rows.reduce((total, row) => total + (row.packageJoules ?? 0), 0);

const whole = ({ rows, exited, overflow, none }: WorkloadPart): EnergyRow =>
  rows.reduce<EnergyRow>(addEnergyRows, addEnergyRows(addEnergyRows(exited, overflow), none));

describe('workloadParts', () => {
  const parts = workloadParts(ledgerAfter([PATHS.map((_, at) => at)]), WINDOW);

  it('says what each level calls its own', () => {
    expect(parts.container.rows).toMatchObject([
      { id: 'a'.repeat(64), system: 'docker', within: null, processCount: 1 },
      { id: CONTAINER, system: 'containerd', within: '5f32d849-6210-4886-a48d-e0d90e1d0206' },
      { id: 'd'.repeat(64), within: CONTAINER },
    ]);
    expect(parts.pod.rows).toMatchObject([
      { id: '5f32d849-6210-4886-a48d-e0d90e1d0206', within: 'guaranteed', processCount: 2 },
    ]);
    expect(parts.job.rows).toMatchObject([{ id: '4711', system: 'slurm', owner: 'user1000' }]);
    expect(parts.unit.rows.find(({ id }) => id === 'nginx.service')).toMatchObject({
      system: 'system',
      within: 'system.slice',
      packageJoules: 0.001,
      packageWatts: 0.001,
    });
    expect(parts.unit.rows.find(({ id }) => id === 'app-firefox.scope')).toMatchObject({
      system: 'user',
      owner: 'user1000',
    });
  });

  it('puts into none what is in no workload of the level', () => {
    expect(parts.container.none.packageJoules).toBeCloseTo(0.005, 9);
    expect(parts.pod.none.packageJoules).toBeCloseTo(0.006, 9);
    expect(parts.job.none.packageJoules).toBeCloseTo(0.007, 9);
  });

  it('is whole on each level, in joules and in watts, whatever runs where', () => {
    const windows = fc.array(fc.array(fc.nat(PATHS.length - 1), { maxLength: 20 }), {
      minLength: 1,
      maxLength: 5,
    });
    fc.assert(
      fc.property(windows, (cgroups) => {
        const ledger = ledgerAfter(cgroups);
        const joules = 0.001 * cgroups.flat().length;
        const all = workloadParts(ledger, WINDOW);
        for (const level of CGROUP_LEVELS) {
          const part = all[level];
          expect(whole(part).packageJoules).toBeCloseTo(joules, 9);
          expect(whole(part).packageWatts).toBeCloseTo(0.001 * (cgroups.at(-1)?.length ?? 0), 9);
          expect(part.none.packageJoules).toBeGreaterThanOrEqual(0);
          expect(sum(part.rows)).toBeLessThanOrEqual(joules + 1e-9);
        }
      }),
    );
  });
});
