// SPDX-License-Identifier: Apache-2.0
import type { MachineFacts, Suite } from './suite.js';

export type PlannedSuite =
  | { readonly _tag: 'Run'; readonly suite: Suite }
  | { readonly _tag: 'Skip'; readonly suite: Suite; readonly reason: string }
  /** Must run here (CI says so) and cannot. */
  | { readonly _tag: 'Missing'; readonly suite: Suite; readonly reason: string };

export type Plan =
  | { readonly _tag: 'Plan'; readonly suites: readonly PlannedSuite[] }
  | { readonly _tag: 'UnknownSuite'; readonly name: string; readonly known: readonly string[] };

export interface PlanInput {
  /** The suites that have files in this checkout. */
  readonly suites: readonly Suite[];
  readonly facts: MachineFacts;
  /** Names picked by the person; empty = all. */
  readonly picked: readonly string[];
  /** Names that may not be skipped; names not in this checkout or not picked are ignored. */
  readonly required: readonly string[];
}

const planOne = (suite: Suite, { facts, required }: PlanInput): PlannedSuite => {
  const reason = suite.needs.map((need) => facts[need]).find((obstacle) => obstacle !== undefined);
  if (reason === undefined) return { _tag: 'Run', suite };
  return { _tag: required.includes(suite.name) ? 'Missing' : 'Skip', suite, reason };
};

/** Facts → which suites run. Pure; decided before the first test, never while one runs. */
export const planSuites = (input: PlanInput): Plan => {
  const known = input.suites.map((suite) => suite.name);
  const unknown = input.picked.find((name) => !known.includes(name));
  if (unknown !== undefined) return { _tag: 'UnknownSuite', name: unknown, known };
  const wanted = input.suites.filter(
    (suite) => input.picked.length === 0 || input.picked.includes(suite.name),
  );
  return { _tag: 'Plan', suites: wanted.map((suite) => planOne(suite, input)) };
};

/** `a, b` → names; blank entries are dropped, so that an empty variable means "not given". */
export const parseNames = (list: string | undefined): readonly string[] =>
  (list ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
