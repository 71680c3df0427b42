// SPDX-License-Identifier: Apache-2.0
import { fileURLToPath } from 'node:url';
import { join } from 'node:path';
import * as E from 'fp-ts/lib/Either.js';
import { describe, expect, it } from 'vitest';
import type { KernelFeature } from '../../../receiver/activity/port.js';
import { diagnose } from '../../../receiver/check/diagnose.js';
import { readCheckEnvironment } from '../../../receiver/check/environment.js';
import { renderCheck } from '../../../receiver/check/render.js';
import type { CheckResult } from '../../../receiver/check/result.js';
import { probeCounters } from '../../../receiver/counters/probe.js';
import { readCounterPlan } from '../../../receiver/counters/read-plan.js';
import { listCandidates } from '../../../receiver/energy/candidates.js';
import { readEnergyFacts } from '../../../receiver/energy/facts.js';
import { planEnergy } from '../../../receiver/energy/plan.js';
import { COUNTER_KINDS } from '../../../receiver/model/counter-selection.js';
import { KERNEL_FEATURES } from '../../support/kernel-features.js';
import { MACHINES, type Machine } from '../../support/machines/machines.js';
import { FIXTURES, readTree, rootsBelow } from '../../support/machines/write-tree.js';

const EVERY_COUNTER = COUNTER_KINDS.map((kind) => ({ kind, config: undefined }));
const GOLDENS = fileURLToPath(new URL('../../golden/check', import.meta.url));

const featuresOf = ({ missingFeatures = {} }: Machine): readonly KernelFeature[] =>
  KERNEL_FEATURES.map((name) => ({
    name,
    isAvailable: missingFeatures[name] === undefined,
    code: /^E[A-Z]+/.exec(missingFeatures[name] ?? '')?.[0] ?? '',
    detail: missingFeatures[name] ?? '',
  }));

const check = (machine: Machine): CheckResult => {
  const roots = rootsBelow(join(FIXTURES, machine.name));
  const facts = readEnergyFacts(roots);
  const plan = planEnergy({
    facts,
    candidates: listCandidates(facts),
    liveness: new Map(Object.entries(machine.liveness)),
    config: { sources: 'auto' },
  });
  const environment = readCheckEnvironment(roots);
  // Where the checkout lies is no fact of the machine.
  const directory = environment.cgroup.directory.replace(join(FIXTURES, machine.name), '');
  const selection = { choices: EVERY_COUNTER, cpus: { _tag: 'All' } } as const;
  const counters = probeCounters(
    readCounterPlan(roots, facts, selection),
    facts.host.topology,
    () => E.right({ first: 0n, last: 0n }),
  );
  return diagnose({
    counters,
    facts,
    plan,
    kernelFeatures: featuresOf(machine),
    environment: { ...environment, cgroup: { ...environment.cgroup, directory } },
    slots: { count: 65_536, bytesEach: 320 },
    windowMillis: 1000,
  });
};

/** Goldens change with `vitest run --update` only, in a commit that says why. */
describe.each(MACHINES)('check on $name', (machine) => {
  it('has a tree that equals its description in machines.ts', () => {
    const onDisk = readTree(join(FIXTURES, machine.name));
    expect(Object.fromEntries(onDisk)).toEqual(Object.fromEntries(machine.tree));
  });

  it('says the same as its golden document', async () => {
    const text = `${JSON.stringify(check(machine), undefined, 2)}\n`;
    await expect(text).toMatchFileSnapshot(join(GOLDENS, `${machine.name}.json`));
  });

  it('prints the same as its golden text, in 80 columns', async () => {
    const text = renderCheck(check(machine));
    await expect(text).toMatchFileSnapshot(join(GOLDENS, `${machine.name}.txt`));
    const longest = Math.max(...text.split('\n').map((line) => line.length));
    expect(longest).toBeLessThanOrEqual(80);
  });
});
