// SPDX-License-Identifier: Apache-2.0
/** A schema's issue in words: where, what is wrong, what to write instead. */
import type { z } from 'zod';
import type { Complaint } from '../model/errors.js';
import { CONFIG_KEYS, childNames } from './keys.js';
import { valueAt } from './layers.js';
import { nearest } from './suggest.js';

export type PlaceOf = (path: readonly PropertyKey[], which: 'key' | 'value') => string;

const dottedOf = (path: readonly PropertyKey[]): string => path.map(String).join('.');

/** As YAML writes it: JSON has no word for it, and says null. */
const nonFinite = (value: number): string =>
  Number.isNaN(value) ? '.nan' : value > 0 ? '.inf' : '-.inf';

const isNonFinite = (value: unknown): value is number =>
  typeof value === 'number' && !Number.isFinite(value);

const shown = (value: unknown): string => {
  if (value === undefined) return 'undefined';
  const text = isNonFinite(value)
    ? nonFinite(value)
    : JSON.stringify(value, (_name, part: unknown) => (isNonFinite(part) ? nonFinite(part) : part));
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
};

/** `log: {level: …}` */
const nestedText = (path: readonly string[]): string =>
  path.reduceRight((inner, name) => (inner === '' ? `${name}: …` : `${name}: {${inner}}`), '');

/** A slip in the name, or the right name in the wrong section. */
const suggestKey = (section: readonly string[], name: string): string => {
  const near = nearest(name, childNames(section) ?? []);
  if (near !== undefined) return `did you mean ${near}?`;
  const nested = CONFIG_KEYS.find(({ dotted }) => dotted === [...section, name].join('.'));
  if (nested !== undefined)
    return `a dot makes no section: write ${nestedText(nested.path.slice(section.length))}`;
  const elsewhere = CONFIG_KEYS.find(({ path }) => path.at(-1) === name)?.dotted;
  if (elsewhere !== undefined) return `did you mean ${elsewhere}?`;
  return `known here: ${(childNames(section) ?? []).join(', ')}`;
};

const unknownKey = (path: readonly PropertyKey[], name: string, placeOf: PlaceOf): Complaint => ({
  what: `read ${placeOf([...path, name], 'key')} ${dottedOf([...path, name])}`,
  cause: 'unknown key',
  remedy: suggestKey(path.map(String), name),
});

const remedyFor = (path: readonly PropertyKey[]): string => {
  const dotted = dottedOf(path);
  const key = CONFIG_KEYS.find((candidate) => dotted.startsWith(candidate.dotted));
  if (key === undefined) {
    const names = childNames(path.map(String));
    return names === undefined ? '' : `it is a section with ${names.join(', ')}`;
  }
  return key.allowed === '' ? '' : `allowed: ${key.allowed}`;
};

const mustBe = (issue: z.core.$ZodIssue): string => {
  switch (issue.code) {
    case 'invalid_type':
      if (issue.input === undefined) return 'is missing';
      return isNonFinite(issue.input)
        ? 'must be a finite number'
        : `must be ${issue.expected === 'int' ? 'a whole number' : `of type ${issue.expected}`}`;
    case 'too_small':
      if (issue.origin === 'array') return `must name at least ${issue.minimum}`;
      return `must be ${issue.inclusive === false ? 'above' : 'at least'} ${issue.minimum}`;
    case 'too_big':
      return `must be at most ${issue.maximum}`;
    case 'invalid_value':
      return 'is none of the known values';
    default:
      return issue.message;
  }
};

const remedyOf = (issue: z.core.$ZodIssue): string => {
  if (issue.code !== 'invalid_value') return remedyFor(issue.path);
  const values = issue.values.map(String);
  const near = nearest(String(issue.input), values);
  return near === undefined ? `allowed: ${values.join(' | ')}` : `did you mean ${near}?`;
};

export const complaintsOfIssue = (
  issue: z.core.$ZodIssue,
  placeOf: PlaceOf,
): readonly Complaint[] => {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((name) => unknownKey(issue.path, name, placeOf));
  }
  const value = issue.input === undefined ? '' : `, is ${shown(issue.input)}`;
  return [
    {
      what: `read ${[placeOf(issue.path, 'value'), dottedOf(issue.path)].join(' ').trim()}`,
      cause: `${mustBe(issue)}${value}`,
      remedy: remedyOf(issue),
    },
  ];
};

const MODEL = ['energy', 'model'];
const TDP = ['energy', 'tdp_watts'];

/**
 * Rules between keys. They look at the raw values, so that they are told together with mistakes
 * elsewhere in the file.
 */
export const crossComplaints = (merged: unknown, placeOf: PlaceOf): readonly Complaint[] => {
  const idle = valueAt(merged, [...MODEL, 'idle_watts']);
  const max = valueAt(merged, [...MODEL, 'max_watts']);
  const complaints: Complaint[] = [];
  if (valueAt(merged, MODEL) !== undefined && valueAt(merged, TDP) !== undefined) {
    complaints.push({
      what: `read ${placeOf(TDP, 'key')} energy.tdp_watts`,
      cause: 'excludes energy.model, and both are set',
      remedy: 'keep one of them',
    });
  }
  if (typeof idle === 'number' && typeof max === 'number' && idle > max) {
    complaints.push({
      what: `read ${placeOf([...MODEL, 'idle_watts'], 'value')} energy.model.idle_watts`,
      cause: `${idle} is above energy.model.max_watts, ${max}`,
      remedy: 'idle is the lower of the two',
    });
  }
  return complaints;
};
