// SPDX-License-Identifier: Apache-2.0
import * as E from 'fp-ts/lib/Either.js';
import { describe, expect, it } from 'vitest';
import type { ActivityPort } from '../../../receiver/activity/port.js';
import { listCandidates } from '../../../receiver/energy/candidates.js';
import { readEnergyFacts } from '../../../receiver/energy/facts.js';
import type { Liveness } from '../../../receiver/energy/liveness.js';
import { probeLiveness } from '../../../receiver/energy/probe.js';
import { nanos } from '../../../receiver/model/units.js';
import { cpuTree, perfTree, placesOf, type Entry } from '../../support/machines/tree.js';
import { rootsWith } from '../../support/machines/temporary-tree.js';

const probe = (
  parts: readonly Readonly<Record<string, Entry>>[],
  probePerf: ActivityPort['probePerf'] | undefined,
): Promise<ReadonlyMap<string, Liveness>> => {
  const cpus = cpuTree(placesOf({ packages: 1, coresPerPackage: 1, threadsPerCore: 1 }));
  const facts = readEnergyFacts(rootsWith(cpus, ...parts));
  let now = 0n;
  return probeLiveness(listCandidates(facts).usable, {
    probePerf,
    clock: { monotonicNanos: () => nanos((now += 1_000n)), unixMillis: () => 0 },
    wait: (millis) => {
      now += BigInt(millis) * 1_000_000n;
      return Promise.resolve();
    },
  });
};

const POWER = perfTree('power', 9, '0', ['energy-pkg', 'energy-ram']);

describe('probeLiveness', () => {
  it('asks the addon for each perf event, longer for those that have to move', async () => {
    const asked: (readonly [bigint, number])[] = [];
    const liveness = await probe([POWER], (spec, millis) => {
      asked.push([spec.config, millis]);
      return E.right({ first: 0n, last: spec.config === 2n ? 10n << 32n : 0n });
    });
    expect(asked).toEqual([
      [2n, 250],
      [3n, 20],
    ]);
    expect(liveness.get('power/energy-pkg:0')).toEqual({
      _tag: 'Alive',
      watts: 40,
      lastRaw: 10n << 32n,
    });
    expect(liveness.get('power/energy-ram:0')).toEqual({ _tag: 'Still', lastRaw: 0n });
  });

  it('takes power over the time that the probe really took', async () => {
    let now = 0n;
    const cpus = cpuTree(placesOf({ packages: 1, coresPerPackage: 1, threadsPerCore: 1 }));
    const facts = readEnergyFacts(rootsWith(cpus, POWER));
    const liveness = await probeLiveness(listCandidates(facts).usable, {
      probePerf: () => {
        now += 500_000_000n;
        return E.right({ first: 0n, last: 10n << 32n });
      },
      clock: { monotonicNanos: () => nanos(now), unixMillis: () => 0 },
      wait: () => Promise.resolve(),
    });
    expect(liveness.get('power/energy-pkg:0')).toMatchObject({ _tag: 'Alive', watts: 20 });
  });

  it('passes on why an event cannot be opened', async () => {
    const liveness = await probe([POWER], () =>
      E.left({ _tag: 'NativeError', operation: 'open', errno: 13, code: 'EACCES', detail: '' }),
    );
    expect(liveness.get('power/energy-pkg:0')).toEqual({
      _tag: 'Failed',
      reason: 'permission',
      detail: 'EACCES',
    });
  });

  it('cannot tell of perf without the addon', async () => {
    expect((await probe([POWER], undefined)).get('power/energy-pkg:0')).toMatchObject({
      detail: 'the addon is not loaded',
    });
  });

  it('tells a file that is not there from one that cannot be read', async () => {
    const zone = 'sys/class/powercap/intel-rapl:0';
    const gone = await probe([{ [`${zone}/name`]: 'package-0' }], undefined);
    expect(gone.get('intel-rapl:0')).toMatchObject({ reason: 'gone', detail: 'ENOENT' });
    const directory = await probe(
      [{ [`${zone}/name`]: 'package-0', [`${zone}/energy_uj/x`]: '' }],
      undefined,
    );
    expect(directory.get('intel-rapl:0')).toMatchObject({ reason: 'unreadable', detail: 'EISDIR' });
    // The kernel refuses this file even to root.
    const denied = await probe(
      [
        {
          [`${zone}/name`]: 'package-0',
          [`${zone}/energy_uj`]: { target: '/proc/sys/vm/compact_memory' },
        },
      ],
      undefined,
    );
    expect(denied.get('intel-rapl:0')).toMatchObject({ reason: 'permission', detail: 'EACCES' });
  });
});
