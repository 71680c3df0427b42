// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Ledger } from '../../../receiver/attribution/ledger.js';
import type { LedgerLimits } from '../../../receiver/attribution/ledger-limits.js';
import { processKey } from '../../../receiver/model/ledger-view.js';
import { newLedger, play } from '../../support/ledger.js';
import { history, type History } from '../../support/random-window.js';

/** Some histories in a ledger with room for all, some in one that is far too small. */
const limits: fc.Arbitrary<Partial<LedgerLimits>> = fc.constantFrom(
  {},
  { maxProcesses: 3, maxExited: 1, maxCgroups: 2, maxNames: 1, maxUsers: 1 },
  { maxProcesses: 1, maxExited: 0, maxCgroups: 1, maxNames: 2, maxThreads: 2, maxExitedThreads: 1 },
);

/** Runs a history; `after` is called with the ledger after each window. */
const run = (
  { topology, idleFloors, steps }: History,
  ledger: Ledger,
  after: (ledger: Ledger, at: number) => void,
): void => {
  steps.forEach(({ window, readings }, at) => {
    play(ledger, window, readings, { topology, idleFloors });
    after(ledger, at);
  });
};

const exportedEnded = (ledger: Ledger) =>
  [...ledger.processes()].filter(({ isExited }) => isExited).map(({ identity }) => identity);

describe('Ledger', () => {
  it('is whole after every window, whatever happens and however small it is', () => {
    fc.assert(
      fc.property(history(), limits, fc.boolean(), (drawn, limited, hasThreads) => {
        const ledger = newLedger(limited);
        ledger.setThreadsEnabled(hasThreads);
        run(drawn, ledger, (seen, at) => {
          expect(seen.verify()).toEqual([]);
          if (at % 3 === 2) seen.retireExported(exportedEnded(seen));
          expect(seen.verify()).toEqual([]);
        });
      }),
      { numRuns: 300 },
    );
  });

  it('accepts exactly the deltas that advanced', () => {
    fc.assert(
      fc.property(history(), (drawn) => {
        const ledger = newLedger();
        run(drawn, ledger, () => undefined);
        for (const { domain, acceptedMicrojoules, windowsAccepted } of ledger.domains()) {
          const deltas = drawn.steps.flatMap(({ readings }) =>
            readings.flatMap(({ domain: read, step }) =>
              read.id === domain.id && step._tag === 'Advanced' ? [step.deltaMicrojoules] : [],
            ),
          );
          expect(acceptedMicrojoules).toBe(deltas.reduce<bigint>((sum, delta) => sum + delta, 0n));
          expect(windowsAccepted).toBe(deltas.length);
        }
      }),
      { numRuns: 100 },
    );
  });

  it('never lets a total fall: an entry rises or goes whole into a remainder', () => {
    fc.assert(
      fc.property(history(), limits, (drawn, limited) => {
        const ledger = newLedger(limited);
        let before = new Map<string, bigint>();
        run(drawn, ledger, (seen) => {
          const { processes, cgroups } = seen.overflow();
          const now = new Map<string, bigint>([
            ['exited', seen.exitedProcesses().energy.package],
            ['overflow processes', processes.energy.package],
            ['overflow cgroups', cgroups.energy.package],
            ['overflow names', seen.namesOverflow().energy.package],
            ...[...seen.names()].map(({ name, energy }) => [`n ${name}`, energy.package] as const),
            ...seen.domains().map((d) => [`d ${d.domain.id}`, d.acceptedMicrojoules] as const),
            ...[...seen.processes()].map(({ identity, energy }) => {
              const key = processKey(identity.pid, identity.startBoottimeNanos);
              return [`p ${key}`, energy.package] as const;
            }),
          ]);
          for (const [key, value] of before) {
            const isGone = key.startsWith('p ') && !now.has(key);
            if (!isGone) expect(now.get(key) ?? -1n).toBeGreaterThanOrEqual(value);
          }
          before = now;
        });
      }),
      { numRuns: 200 },
    );
  });

  it('shows in the last window exactly what it added', () => {
    fc.assert(
      fc.property(history(), limits, (drawn, limited) => {
        const ledger = newLedger(limited);
        let before = 0n;
        run(drawn, ledger, (seen) => {
          const entities = seen
            .domains()
            .filter(({ domain }) => domain.kind === 'package')
            .reduce((sum, { entitiesMicrojoules }) => sum + entitiesMicrojoules, 0n);
          const rows = [...seen.processes(), seen.exitedProcesses(), seen.overflow().processes];
          const added = rows.reduce((sum, row) => sum + row.lastWindow.energy.package, 0n);
          expect(added).toBe(entities - before);
          before = entities;
        });
      }),
      { numRuns: 200 },
    );
  });

  it('keeps every living process apart from its predecessors of the same pid', () => {
    fc.assert(
      fc.property(history(), (drawn) => {
        const ledger = newLedger();
        run(drawn, ledger, (seen) => {
          const living = [...seen.processes()].filter(({ isExited }) => !isExited);
          const pids = living.map(({ identity }) => identity.pid);
          expect(new Set(pids).size).toBe(pids.length);
        });
      }),
      { numRuns: 100 },
    );
  });
});
