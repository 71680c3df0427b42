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
    wait,
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
  it('moves each zone at its power, as the probe sees it', async () => {
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
    // A tick of 25 ms in a probe of 250 ms; the machine may be loaded.
    [50, 5, 90].forEach((watts, index) => {
      expect(powers[index]).toBeGreaterThan(watts * 0.7);
      expect(powers[index]).toBeLessThan(watts * 1.3);
    });
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

  it('ticks at 20 Hz or more', async () => {
    const { fixture } = await start([PACKAGE]);
    const first = await fixture.snapshot();
    await wait(1000);
    const last = await fixture.snapshot();
    const seconds = Number(last.atNanos - first.atNanos) / 1e9;
    expect((last.ticks - first.ticks) / seconds).toBeGreaterThan(20);
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
    // 1 kJ at 250 W wraps each 4 s; at the 300 W that the limit makes plausible not within 3.3 s.
    const { fixture, plan } = await start([
      {
        ...PACKAGE,
        watts: 250,
        maxPowerWatts: 150,
        rangeMicrojoules: 999_999_999n,
        startMicrojoules: 700_000_000n,
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
