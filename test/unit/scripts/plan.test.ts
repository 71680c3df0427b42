// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';

import { parseNames, planSuites, type PlanInput } from '../../../scripts/suites/plan.js';
import { type MachineFacts, SUITES } from '../../../scripts/suites/suite.js';

const CAPABLE: MachineFacts = {
  bpfObstacle: undefined,
  collectorObstacle: undefined,
  deployObstacle: undefined,
  asanObstacle: undefined,
  vmObstacle: undefined,
};
const ORDINARY_USER: MachineFacts = { ...CAPABLE, bpfObstacle: 'needs root' };

const input = (over: Partial<PlanInput>): PlanInput => ({
  suites: SUITES,
  facts: CAPABLE,
  picked: [],
  required: [],
  ...over,
});

const tags = (over: Partial<PlanInput>): Record<string, string> => {
  const plan = planSuites(input(over));
  if (plan._tag !== 'Plan') throw new Error(plan._tag);
  return Object.fromEntries(plan.suites.map((entry) => [entry.suite.name, entry._tag]));
};

describe('planSuites', () => {
  it('runs every suite where the machine has everything', () => {
    expect(new Set(Object.values(tags({})))).toEqual(new Set(['Run']));
  });

  it('leaves out exactly what an ordinary user cannot run, and says why', () => {
    const plan = planSuites(input({ facts: ORDINARY_USER }));
    if (plan._tag !== 'Plan') throw new Error(plan._tag);
    const skipped = plan.suites.filter((entry) => entry._tag === 'Skip');
    expect(skipped.map((entry) => entry.suite.name)).toEqual([
      'native',
      'native-asan',
      'kernel',
      'e2e',
      'collector',
      'deploy',
    ]);
    expect(skipped.every((entry) => entry.reason === 'needs root')).toBe(true);
  });

  it('fails a required suite that cannot run instead of skipping it', () => {
    expect(tags({ facts: ORDINARY_USER, required: ['kernel'] })).toMatchObject({
      static: 'Run',
      kernel: 'Missing',
      native: 'Skip',
    });
  });

  it('takes only the picked suites, in the order of the list', () => {
    expect(Object.keys(tags({ picked: ['kernel', 'unit'] }))).toEqual(['unit', 'kernel']);
  });

  it('refuses a name that no suite has and tells the known ones', () => {
    const plan = planSuites(input({ picked: ['unti'] }));
    expect(plan).toMatchObject({ _tag: 'UnknownSuite', name: 'unti' });
    expect(plan).toHaveProperty(
      'known',
      SUITES.map((suite) => suite.name),
    );
  });
});

describe('parseNames', () => {
  it('reads a list with blanks and takes an empty variable as not given', () => {
    expect(parseNames(' unit, kernel ,')).toEqual(['unit', 'kernel']);
    expect(parseNames('')).toEqual([]);
    expect(parseNames(undefined)).toEqual([]);
  });
});
