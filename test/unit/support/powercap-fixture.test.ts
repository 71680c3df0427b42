// SPDX-License-Identifier: Apache-2.0
/** The moving fixture under the real probe, plan and reader: every fault, and not one microjoule lost. */
import { readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import * as E from 'fp-ts/lib/Either.js';
import { afterEach, describe, expect, it } from 'vitest';
import { listCandidates } from '../../../receiver/energy/candidates.js';
import { readEnergyFacts } from '../../../receiver/energy/facts.js';
import { planEnergy } from '../../../receiver/energy/plan.js';
import type { EnergyPlan } from '../../../receiver/energy/plan-types.js';
import { probeLiveness } from '../../../receiver/energy/probe.js';
import { createEnergyReader, type EnergyReader } from '../../../receiver/energy/reader.js';
import { systemClock } from '../../../receiver/host/clock.js';
import { readText } from '../../../receiver/host/files.js';
import type { RawReading } from '../../../receiver/model/activity.js';
import { nanos } from '../../../receiver/model/units.js';
import type { DomainStep } from '../../../receiver/model/window.js';
import { until } from '../../support/until.js';
import { temporaryDirectory } from '../../support/machines/temporary-tree.js';
import { rootsBelow } from '../../support/machines/write-tree.js';
import {
  startPowercapFixture,
  type FixtureZone,
  type PowercapFixture,
} from '../../support/powercap-fixture.js';

const running: PowercapFixture[] = [];
afterEach(async () => {
  for (const fixture of running.splice(0)) await fixture.stop();
});

const start = async (
  zones: readonly FixtureZone[],
): Promise<{ fixture: PowercapFixture; plan: EnergyPlan }> => {
  const root = temporaryDirectory();
  const fixture = await startPowercapFixture(root, zones);
  running.push(fixture);
  const facts = readEnergyFacts(rootsBelow(root));
  const candidates = listCandidates(facts);
  const liveness = await probeLiveness(candidates.usable, {
    probePerf: undefined,
    clock: systemClock,
    // A snapshot is written before it is answered: a writer that got no CPU meanwhile has caught up.
    wait: async (millis) => {
      await wait(millis);
      await fixture.snapshot();
    },
  });
  return {
    fixture,
    plan: planEnergy({ facts, candidates, liveness, config: { sources: 'auto' } }),
  };
};

const readOnce = (path: string): RawReading => {
  const beforeNanos = systemClock.monotonicNanos();
  const text = readText(path);
  const afterNanos = systemClock.monotonicNanos();
  const code = E.isLeft(text) ? text.left.code : undefined;
  const errno = Object.entries(constants.errno).find(([name]) => name === code)?.[1] ?? 0;
  const content = E.isLeft(text) ? '' : text.right;
  return {
    _tag: 'FileReading',
    text: content,
    textLength: content.length,
    errno,
    beforeNanos,
    afterNanos,
  };
};

const stepNow = (plan: EnergyPlan, reader: EnergyReader): DomainStep => {
  const readings = plan.domains.flatMap(({ specs }) =>
    specs.flatMap((spec) => (spec.kind === 'file' ? [readOnce(spec.path)] : [])),
  );
  const [read] = reader.read({
    readings,
    startNanos: nanos(0n),
    endNanos: nanos(1n),
    boottimeOffsetNanos: nanos(0n),
    busyRatios: new Map(),
  });
  if (read === undefined) throw new Error('the plan is empty');
  return read.step;
};

const PACKAGE: FixtureZone = { id: 'intel-rapl:0', name: 'package-0', watts: 50 };

describe('startPowercapFixture', () => {
  it('moves each zone, as the probe sees it', async () => {
    const { plan } = await start([
      PACKAGE,
      { id: 'intel-rapl:0:0', name: 'dram', watts: 5 },
      { id: 'intel-rapl:1', name: 'psys', watts: 90 },
    ]);
    expect(plan.domains.map(({ domain }) => [domain.id, domain.kind])).toEqual([
      ['intel-rapl:0', 'package'],
      ['intel-rapl:0:0', 'dram'],
      ['intel-rapl:1', 'platform'],
    ]);
    const powers = plan.domains.map(({ evidence }) => Number.parseFloat(evidence));
    expect(powers.every((watts) => watts > 0)).toBe(true);
  });

  it('emits exactly the power of each zone, by its own clock', async () => {
    const { fixture } = await start([PACKAGE, { id: 'intel-rapl:1', name: 'psys', watts: 90 }]);
    const first = await fixture.snapshot();
    await wait(100);
    const last = await fixture.snapshot();
    const spanNanos = last.atNanos - first.atNanos;
    for (const [id, watts] of [
      ['intel-rapl:0', 50n],
      ['intel-rapl:1', 90n],
    ] as const) {
      const emitted =
        (last.emittedMicrojoules.get(id) ?? 0n) - (first.emittedMicrojoules.get(id) ?? 0n);
      const expected = (watts * spanNanos) / 1000n;
      expect([expected - 1n, expected, expected + 1n]).toContain(emitted);
    }
  });

  it('shows the old value or the new one and nothing else', async () => {
    const { fixture } = await start([PACKAGE]);
    const path = fixture.energyPath('intel-rapl:0');
    let last = 0n;
    for (let read = 0; read < 5_000; read += 1) {
      const text = readFileSync(path, 'utf8');
      if (!/^\d{18}\n$/.test(text)) throw new Error(`torn: ${JSON.stringify(text)}`);
      expect(BigInt(text) >= last).toBe(true);
      last = BigInt(text);
    }
    expect((await fixture.snapshot()).values.get('intel-rapl:0')).toBeGreaterThanOrEqual(last);
  });

  it('ticks by itself, without being asked', async () => {
    const { fixture } = await start([PACKAGE]);
    const path = fixture.energyPath('intel-rapl:0');
    for (let tick = 0; tick < 20; tick += 1) {
      const before = readFileSync(path, 'utf8');
      await until('the next tick', () => readFileSync(path, 'utf8') !== before);
    }
  });

  it.each([
    ['permission', 'permission'],
    ['gone', 'gone'],
    ['unreadable', 'unreadable'],
    ['empty', 'empty'],
    ['not-a-number', 'not-a-number'],
    ['bogus', 'out-of-range'],
    ['above-range', 'out-of-range'],
    ['garbage', 'implausible'],
  ] as const)('injects %s, met as %s, and nothing is lost', async (fault, outcome) => {
    const { fixture, plan } = await start([PACKAGE]);
    const reader = createEnergyReader(plan);
    const before = await fixture.inject('intel-rapl:0', 'freeze');
    expect(stepNow(plan, reader)._tag).toBe('First');
    await fixture.restore('intel-rapl:0');
    await fixture.inject('intel-rapl:0', fault);
    expect(stepNow(plan, reader)).toMatchObject({ reason: outcome });
    await fixture.restore('intel-rapl:0');
    await wait(100);
    const after = await fixture.inject('intel-rapl:0', 'freeze');
    const step = stepNow(plan, reader);
    const emitted = (zone: typeof after): bigint =>
      zone.emittedMicrojoules.get('intel-rapl:0') ?? 0n;
    expect(step).toMatchObject({
      _tag: 'Advanced',
      deltaMicrojoules: emitted(after) - emitted(before),
    });
  });

  it('counts through a real wrap to the microjoule', async () => {
    // 1 s before a turn of 80 s at 250 W. At the 300 W that the limit makes plausible a turn takes 66 s:
    // between two readings must be less, however busy the machine is.
    const { fixture, plan } = await start([
      {
        ...PACKAGE,
        watts: 250,
        maxPowerWatts: 150,
        rangeMicrojoules: 19_999_999_999n,
        startMicrojoules: 19_750_000_000n,
      },
    ]);
    const reader = createEnergyReader(plan);
    const first = await fixture.inject('intel-rapl:0', 'freeze');
    stepNow(plan, reader);
    let sum = 0n;
    let wraps = 0;
    let last = first;
    while (wraps < 1) {
      await fixture.restore('intel-rapl:0');
      await wait(60);
      last = await fixture.inject('intel-rapl:0', 'freeze');
      const step = stepNow(plan, reader);
      if (step._tag !== 'Advanced') throw new Error(JSON.stringify(step));
      sum += step.deltaMicrojoules;
      wraps += step.wrapped ? 1 : 0;
    }
    const emitted = (zone: typeof last): bigint =>
      zone.emittedMicrojoules.get('intel-rapl:0') ?? 0n;
    expect(sum).toBe(emitted(last) - emitted(first));
  });
});
