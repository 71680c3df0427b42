// SPDX-License-Identifier: Apache-2.0
/**
 * The whole agent on a moving powercap tree under mixed load, with a wrap, a reset, an EACCES zone and
 * unreadable values injected. `npm run soak` runs the same for ten minutes.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { decreases, entitySums, openBalances } from '../../support/conservation-checks.js';
import { ZONES, runConservation, type ConservationRun } from '../../support/conservation-run.js';
import { buildLoads } from '../../support/kernel/load.js';

const DURATION_SECONDS = Number(process.env['WATTFEED_CONSERVATION_SECONDS'] ?? 90);

describe('conservation over a run with faults', () => {
  let run: ConservationRun;
  beforeAll(
    async () => {
      buildLoads();
      run = await runConservation(DURATION_SECONDS);
    },
    (DURATION_SECONDS + 60) * 1000,
  );

  it('closes every window of every domain to the microjoule', () => {
    expect(run.reports.length).toBeGreaterThan(DURATION_SECONDS);
    expect(openBalances(run.reports)).toEqual([]);
    expect(run.log).not.toContain('does not close');
  });

  it('never lowers a total', () => {
    expect(decreases(run.reports)).toEqual([]);
  });

  it('holds in processes and in cgroups what the domains gave to entities', () => {
    const last = run.reports.at(-1);
    expect(last).toBeDefined();
    if (last === undefined) return;
    const { processes, cgroups, entities } = entitySums(last);
    // Each row is a rounded double: 1e-9 of the sum is far below a microjoule a row.
    expect(Math.abs(processes - entities)).toBeLessThan(entities * 1e-9 + 1e-6);
    expect(Math.abs(cgroups - entities)).toBeLessThan(entities * 1e-9 + 1e-6);
    expect(entities).toBeGreaterThan(0);
  });

  it('met each fault, and accepted no more than was emitted', () => {
    const rows = run.reports.flatMap(({ domains }) => domains);
    const statesOf = (id: string): string =>
      rows
        .filter((row) => row.id === id)
        .map(({ state }) => state)
        .join('\n');
    const [pkg, dram, psys] = ZONES.map(({ id }) => statesOf(id));
    // Garbage, and the jump that brings a counter near its end, which no wrap can be.
    expect(pkg).toContain('rejected: implausible');
    expect(pkg).toContain('failed: empty');
    expect(psys).toContain('failed: not-a-number');
    expect(dram).toContain('failed: permission');
    expect(dram).toContain('rejected: reset');
    // Its counter wrapped too, and a wrap is no reset.
    expect(pkg).not.toContain('rejected: reset');
    const last = run.reports.at(-1);
    for (const row of last?.domains ?? []) {
      const emitted = run.emittedMicrojoules.get(row.id) ?? 0n;
      const accepted = BigInt(row.acceptedMicrojoules);
      expect(accepted, row.id).toBeLessThanOrEqual(emitted);
      // Resets and implausible stretches cost windows, never most of the energy.
      expect(Number(accepted), row.id).toBeGreaterThan(0.7 * Number(emitted));
    }
  });

  it('ends in order', () => {
    expect(run.exitCode).toBe(0);
  });
});
