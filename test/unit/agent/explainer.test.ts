// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { Explainer } from '../../../receiver/agent/explainer.js';
import { attribute } from '../../../receiver/attribution/attribute.js';
import { windowReport } from '../../../receiver/attribution/window-report.js';
import { renderExplanation } from '../../../receiver/commands/explain/render.js';
import { explanationSchema } from '../../../receiver/socket/explanation-schema.js';
import { watts } from '../../../receiver/model/units.js';
import { newLedger } from '../../support/ledger.js';
import {
  activityWindow,
  advancedReading,
  dramDomain,
  packageDomain,
  taskSample,
  topologyOf,
} from '../../support/windows.js';

const FLOORS = new Map([['intel-rapl:0', watts(10)]]);
const READINGS = [
  advancedReading(packageDomain(), 42_123_457),
  advancedReading(dramDomain(), 5_000_001),
];

const counted = (tgid: number, instructionsPerCycle: number) =>
  taskSample({
    tgid,
    cgroupId: BigInt(tgid),
    runtimeNanos: 800_000_000,
    overlapNanos: 100_000_000,
    uncountedNanos: 0,
    uncountedPhiCycles: 0,
    cycles: 2_400_000_000,
    instructions: 2_400_000_000 * instructionsPerCycle,
    phiCycles: 2_200_000_000,
    phiInstructions: 2_200_000_000 * instructionsPerCycle,
    llcMisses: 5_000_000 * instructionsPerCycle,
    packageOnNanos: 300_000_000,
  });

const rig = () => {
  const ledger = newLedger();
  const explainer = new Explainer(ledger);
  const play = (tasks: readonly ReturnType<typeof taskSample>[]): void => {
    const window = activityWindow({ tasks });
    const input = { window, readings: READINGS, topology: topologyOf(), idleFloors: FLOORS };
    const attribution = attribute(input);
    ledger.book(window, READINGS, attribution);
    const report = windowReport(window, READINGS, attribution, []);
    explainer.answer({ input, report, calibration: [] });
  };
  return { ledger, explainer, play };
};

describe('Explainer', () => {
  it('shows the very joules that the ledger booked', async () => {
    const { ledger, explainer, play } = rig();
    const asked = [explainer.ask({ pid: 1 }), explainer.ask({ pid: 2 })];
    play([counted(1, 2), counted(2, 1)]);
    const explanations = await Promise.all(asked);
    const booked = new Map(
      [...ledger.processes()].map(({ identity, energy }) => [identity.pid, energy] as const),
    );
    for (const explanation of explanations) {
      const own = booked.get(explanation?.entity.pid ?? NaN);
      const [pkg, dram] = explanation?.domains ?? [];
      expect([pkg?.ownMicrojoules, dram?.ownMicrojoules]).toEqual([
        String(own?.package),
        String(own?.dram),
      ]);
    }
    const shares = explanations.map((one) => one?.domains[0]?.pools[0]?.share ?? NaN);
    expect(shares.reduce((a, b) => a + b, 0)).toBeCloseTo(1, 9);
  });

  it('names each term so that they add up to the weight that was used', async () => {
    const { explainer, play } = rig();
    const asked = explainer.ask({ pid: 1 });
    play([counted(1, 2), counted(2, 1)]);
    const domain = (await asked)?.domains[0];
    const sum = domain?.terms.reduce((all, { joules }) => all + joules, 0) ?? NaN;
    expect(sum * 1e9).toBeCloseTo(domain?.pools[0]?.ownWeight ?? NaN, -1);
    expect(domain?.terms.map(({ name }) => name)).toEqual([
      'cycles',
      'instructions',
      'core time',
      'cache misses',
      'package on',
    ]);
  });

  it('explains a cgroup by its own tasks', async () => {
    const { ledger, explainer, play } = rig();
    const path = [...rigPaths(play, ledger)][0] ?? '';
    const asked = explainer.ask({ cgroup: path });
    play([counted(1, 2), counted(2, 1)]);
    expect((await asked)?.entity).toMatchObject({ kind: 'cgroup', cgroup: path, pid: null });
  });

  it('waits a few windows for one that sleeps, and knows none that was never seen', async () => {
    const { explainer, play } = rig();
    play([counted(1, 2)]);
    const [sleeping, unknown] = [explainer.ask({ pid: 1 }), explainer.ask({ pid: 77 })];
    for (let at = 0; at < 5; at++) play([counted(2, 1)]);
    expect((await sleeping)?.features.rows).toBe(0);
    expect(await unknown).toBeUndefined();
    expect(explainer.isAsked).toBe(false);
  });

  it('leaves nobody waiting when no window will come', async () => {
    const { explainer } = rig();
    const asked = explainer.ask({ pid: 1 });
    explainer.close();
    expect(await asked).toBeUndefined();
  });
});

/** Cgroup paths that the ledger knows after one window. */
const rigPaths = (
  play: ReturnType<typeof rig>['play'],
  ledger: ReturnType<typeof rig>['ledger'],
): readonly string[] => {
  play([counted(1, 2), counted(2, 1)]);
  return [...ledger.cgroups()].map(({ path }) => path);
};

describe('renderExplanation', () => {
  it('fits 80 columns and does not let a name forge a line', async () => {
    const { explainer, play } = rig();
    const asked = explainer.ask({ pid: 1 });
    play([counted(1, 2), counted(2, 1)]);
    const explanation = await asked;
    if (explanation === undefined) throw new Error('not explained');
    expect(explanationSchema.parse(JSON.parse(JSON.stringify(explanation)))).toEqual(explanation);
    const name = `evil\u001b[2J\nname${'x'.repeat(30)}`;
    const text = renderExplanation({ ...explanation, entity: { ...explanation.entity, name } });
    expect(text).not.toContain('\u001b');
    const long = text.split('\n').filter((line) => line.length > 80);
    expect(long).toEqual([]);
    expect(text).toContain('x 0.600 nJ');
  });
});
