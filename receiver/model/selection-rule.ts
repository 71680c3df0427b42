// SPDX-License-Identifier: Apache-2.0
/**
 * Rules `FIELD=GLOB` by which the configuration says what has series of its own. What is left out is
 * still counted: it is in the overflow series of its level. Pure.
 */
import { globMatcher, type MatchesGlob } from './glob.js';

export const SELECTION_FIELDS = [
  'name',
  'user',
  'cgroup',
  'container',
  'pod',
  'unit',
  'job',
] as const;
export type SelectionField = (typeof SELECTION_FIELDS)[number];

export interface SelectionRule {
  readonly field: SelectionField;
  readonly matches: MatchesGlob;
}

/** What an entity has of each field; a level that lacks a field is not concerned by its rules. */
export type SelectionFields = Readonly<Partial<Record<SelectionField, string | undefined>>>;

const RULE = /^([a-z]+)=(.{1,512})$/s;

const isField = (text: string): text is SelectionField =>
  SELECTION_FIELDS.some((field) => field === text);

/** Undefined: not a rule. `*` stands for any text, `?` for one character. */
export const parseSelectionRule = (text: string): SelectionRule | undefined => {
  const [, field = '', glob = ''] = RULE.exec(text) ?? [];
  return isField(field) ? { field, matches: globMatcher(glob) } : undefined;
};

export interface SelectionRules {
  /** Empty: all. Else only what one of those matches that concern its level. */
  readonly include: readonly SelectionRule[];
  readonly exclude: readonly SelectionRule[];
}

export const NO_RULES: SelectionRules = { include: [], exclude: [] };

export const isSelected = (
  { include, exclude }: SelectionRules,
  fields: SelectionFields,
): boolean => {
  const matches = ({ field, matches: fits }: SelectionRule): boolean => fits(fields[field] ?? '');
  const concerns = ({ field }: SelectionRule): boolean => field in fields;
  const included = include.filter(concerns);
  return (
    (included.length === 0 || included.some(matches)) &&
    !exclude.some((rule) => concerns(rule) && matches(rule))
  );
};
