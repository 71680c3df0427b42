// SPDX-License-Identifier: Apache-2.0
/** What must hold for the truth over a mixed load: the machine's own correctness, whoever measures meanwhile. */
import { describe, expect, it } from 'vitest';

import { expectClosed, within } from './expectations.js';
import type { Run } from './files.js';
import { packageNanojoules, processNamed, zoneOf } from './truth.js';

const SNAPSHOTS = ['mix-0', 'mix-1', 'mix-2'];

export const describeTruth = (run: () => Run, mixSeconds: number): void => {
  describe('truth', () => {
    it('is the zones to the nanojoule, in one snapshot, before, during and after a mixed load', () => {
      for (const name of SNAPSHOTS) expectClosed(run().truth(name));
      const seconds =
        Number(run().truth('mix-2').monotonicNanos - run().truth('mix-0').monotonicNanos) / 1e9;
      expect(seconds).toBeGreaterThanOrEqual(mixSeconds);
      const truth = run().truth('mix-2');
      const total =
        zoneOf(truth, 'package-0').totalNanojoules -
        zoneOf(run().truth('mix-0'), 'package-0').totalNanojoules;
      console.log(
        `truth = zones over ${seconds.toFixed(1)} s: package ${(Number(total) / 1e9).toFixed(6)} J, ` +
          `${truth.owners.length.toString()} owners, ` +
          `${truth.owners.find((owner) => owner.kind === 'folded')?.tgid.toString() ?? '?'} ended processes folded`,
      );
    });

    it('lies between the counters that powercap shows right before and right after it', () => {
      const zoneNames: Readonly<Record<string, string>> = {
        'intel-rapl:0': 'package-0',
        'intel-rapl:0:0': 'core-0',
        'intel-rapl:0:2': 'dram-0',
        'intel-rapl:1': 'psys',
      };
      for (const name of SNAPSHOTS) {
        const read = (suffix: string): ReadonlyMap<string, bigint> =>
          new Map(
            run()
              .rows(`${name}.${suffix}`)
              .map(([zone, , , value]) => [zone ?? '', BigInt(value ?? '')]),
          );
        const [before, after] = [read('before'), read('after')];
        for (const [zone, truthName] of Object.entries(zoneNames)) {
          const { counterMicrojoules } = zoneOf(run().truth(name), truthName);
          expect(counterMicrojoules).toBeGreaterThanOrEqual(before.get(zone) ?? -1n);
          expect(counterMicrojoules).toBeLessThanOrEqual(after.get(zone) ?? -1n);
        }
      }
    });

    it('has the ended processes in it, each with its energy, and loses no switch', () => {
      const truth = run().truth('mix-2');
      const ended = truth.owners.filter((owner) => owner.kind === 'process' && !owner.isLive);
      expect(ended.length).toBeGreaterThan(50);
      for (const name of ['int_hi', 'stream', 'avx512', 'chase']) {
        const process = processNamed(truth, name);
        expect(process.isLive).toBe(false);
        expect(packageNanojoules(process.energy[0])).toBeGreaterThan(1_000_000_000n);
      }
      expect(truth.owners.find((owner) => owner.kind === 'lost')?.tgid).toBe(0);
      expect(truth.owners.find((owner) => owner.kind === 'folded')?.tgid).toBeGreaterThan(0);
    });

    it('keeps CPU time as the kernel does, within what its two clocks differ', () => {
      const truth = run().truth('mix-2');
      for (const name of ['chase', 'avx512']) {
        const process = processNamed(truth, name);
        within(Number(process.runNanos), Number(process.execNanos), 0.1);
      }
    });
  });
};
