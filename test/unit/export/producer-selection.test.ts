// SPDX-License-Identifier: Apache-2.0
import { DataPointType } from '@opentelemetry/sdk-metrics';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  isSelected,
  parseSelectionRule,
  type SelectionRule,
} from '../../../receiver/model/selection-rule.js';
import { ProducerRig, DEFAULT_OPTIONS } from '../../support/producer-rig.js';

const rule = (text: string): SelectionRule => {
  const parsed = parseSelectionRule(text);
  if (parsed === undefined) throw new Error(`not a rule: ${text}`);
  return parsed;
};

describe('parseSelectionRule', () => {
  it('takes a field and a pattern', () => {
    const { field, matches } = rule('name=kworker/*');
    expect(field).toBe('name');
    expect(
      ['kworker/0:1', 'kworker/', 'kworkerx', 'akworker/1'].map((text) => matches(text)),
    ).toEqual([true, true, false, false]);
    expect(rule('name=a.c').matches('abc')).toBe(false);
    expect(rule('name=a?c').matches('abc')).toBe(true);
    expect(rule('cgroup=/a b/[x]*').matches('/a b/[x]/y\n')).toBe(true);
  });

  it('refuses what is none', () => {
    for (const text of ['', 'name', '=x', 'name=', 'pid=1', 'NAME=x'])
      expect(parseSelectionRule(text), text).toBeUndefined();
  });

  it('never throws, and matches a pattern without wild cards only as it stands', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 60 }), fc.string({ maxLength: 60 }), (glob, text) => {
        const parsed = parseSelectionRule(`name=${glob}`);
        if (parsed === undefined || /[*?]/.test(glob)) return;
        expect(parsed.matches(text)).toBe(text === glob);
        expect(parsed.matches(glob)).toBe(true);
      }),
    );
  });
});

describe('isSelected', () => {
  it('takes all without rules, the included with them, and never the excluded', () => {
    const alice = { name: 'cc1', user: 'alice' };
    const select = (include: readonly string[], exclude: readonly string[]) =>
      isSelected({ include: include.map(rule), exclude: exclude.map(rule) }, alice);
    expect(select([], [])).toBe(true);
    expect(select(['user=alice'], [])).toBe(true);
    expect(select(['user=bob'], [])).toBe(false);
    expect(select(['user=bob', 'name=cc*'], [])).toBe(true);
    expect(select(['user=alice'], ['name=cc1'])).toBe(false);
  });

  it('leaves a level alone that lacks the field', () => {
    const rules = { include: [rule('user=bob')], exclude: [rule('name=*')] };
    expect(isSelected(rules, { pod: 'x' })).toBe(true);
    expect(isSelected({ include: [rule('pod=y')], exclude: [] }, { pod: undefined })).toBe(false);
  });
});

type Collected = Awaited<ReturnType<ProducerRig['collect']>>;

const namesOf = (result: Collected): readonly (readonly [name: string, joules: number])[] =>
  (result.resourceMetrics.scopeMetrics[0]?.metrics ?? [])
    .filter(({ descriptor }) => descriptor.name === 'wattfeed.process.energy')
    .flatMap((metric) => (metric.dataPointType === DataPointType.SUM ? metric.dataPoints : []))
    .filter(({ attributes }) => attributes['wattfeed.domain'] === 'package')
    .map(({ attributes: { 'process.executable.name': name }, value }) => [
      typeof name === 'string' ? name : 'rest',
      value,
    ]);

describe('LedgerProducer: selection', () => {
  const rigWith = (more: object): ProducerRig =>
    new ProducerRig({ processes: { ...DEFAULT_OPTIONS.processes, ...more } });

  it('puts into the rest what is excluded, so that the sum stays whole', async () => {
    const rig = rigWith({ rules: { include: [], exclude: [rule('name=noise*')] } });
    rig.ledger.burn(rig.ledger.begin(1, 1n, 'noise-1'), 5_000_000n);
    rig.ledger.burn(rig.ledger.begin(2, 1n, 'work'), 3_000_000n);
    expect(namesOf(await rig.collect())).toEqual([
      ['work', 3],
      ['rest', 5],
    ]);
  });

  it('ends the series of a process whose new name is excluded', async () => {
    const rig = rigWith({ rules: { include: [], exclude: [rule('name=noise*')] } });
    const process = rig.ledger.begin(2, 1n, 'work');
    rig.ledger.burn(process, 3_000_000n);
    await rig.collect();
    process.identity = { ...process.identity, name: 'noise' };
    rig.ledger.burn(process, 1_000_000n);
    await rig.collect();
    rig.ledger.burn(process, 2_000_000n);
    const names = namesOf(await rig.collect());
    expect(names.reduce((sum, [, joules]) => sum + joules, 0)).toBe(6);
    const last = namesOf(await rig.collect());
    expect(last).toContainEqual(['rest', 2]);
    expect(last.map(([name]) => name)).not.toContain('noise');
  });

  it('gives a series from the least energy on, with all that was burned before', async () => {
    const rig = rigWith({ minMicrojoules: 4_000_000n });
    const process = rig.ledger.begin(2, 1n, 'work');
    rig.ledger.burn(process, 3_000_000n, 0n);
    expect(namesOf(await rig.collect())).toEqual([['rest', 3]]);
    rig.ledger.burn(process, 3_000_000n, 0n);
    expect(namesOf(await rig.collect())).toEqual([
      ['work', 3],
      ['rest', 3],
    ]);
  });
});
