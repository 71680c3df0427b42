// SPDX-License-Identifier: Apache-2.0
/**
 * Puts the layers one above the other: flag > environment > file. Defaults are the schema's own.
 * Each value remembers where it came from, so that a complaint can point there.
 */
import { CONFIG_KEYS, type ConfigKey } from './keys.js';

export interface RawSection {
  [name: string]: unknown;
}

/** Dotted keys that a flag or the environment has set, and its name as the user wrote it. */
export interface Override {
  readonly key: ConfigKey;
  readonly value: unknown;
  /** `--energy-tdp-watts`, `ENERGY_TDP_WATTS`. */
  readonly where: string;
}

const NUMBER = /^[-+]?(\d+(\.\d*)?|\.\d+)(e[-+]?\d+)?$/i;

/** Text that is not of the key's kind stays text, and the schema complains about it. */
export const valueOfText = ({ kind }: ConfigKey, text: string): unknown => {
  switch (kind) {
    case 'number':
      return NUMBER.test(text) ? Number(text) : text;
    case 'boolean':
      return text === 'true' ? true : text === 'false' ? false : text;
    case 'list':
      return text === 'auto' ? text : text.split(',').map((part) => part.trim());
    case 'text':
      return text;
  }
};

const keyNamed = (dotted: string): ConfigKey => {
  const key = CONFIG_KEYS.find((candidate) => candidate.dotted === dotted);
  if (key === undefined) throw new Error(`no configuration key ${dotted}`);
  return key;
};

/** The one variable that is not OTel's: an older tool of this kind had it, so fleets set it. */
export const TDP_VARIABLE = 'ENERGY_TDP_WATTS';

export const overridesOf = (
  flags: ReadonlyMap<string, string>,
  env: Readonly<Record<string, string | undefined>>,
): { readonly env: readonly Override[]; readonly flags: readonly Override[] } => {
  const tdpText = env[TDP_VARIABLE];
  const override = (key: ConfigKey, text: string, where: string): Override => ({
    key,
    value: valueOfText(key, text),
    where,
  });
  return {
    env:
      tdpText === undefined || tdpText === ''
        ? []
        : [override(keyNamed('energy.tdp_watts'), tdpText, TDP_VARIABLE)],
    flags: [...flags].map(([dotted, text]) => {
      const key = keyNamed(dotted);
      return override(key, text, key.flag);
    }),
  };
};

export const isSection = (value: unknown): value is RawSection =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const valueAt = (root: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>((value, name) => {
    if (Array.isArray(value)) return typeof name === 'number' ? value[name] : undefined;
    return isSection(value) && Object.hasOwn(value, name) ? value[String(name)] : undefined;
  }, root);

/** A copy of `root` with the value at `path`; sections on the way are made. */
const withValue = (root: unknown, path: readonly string[], value: unknown): unknown => {
  const [name, ...rest] = path;
  if (name === undefined) return value;
  // What is no section there is a mistake of the file: it is kept, so that it is reported.
  if (root !== undefined && !isSection(root)) return root;
  return { ...root, [name]: withValue(valueAt(root, [name]), rest, value) };
};

/** YAML reads `9464` and `0` as numbers; where a text is asked for they are the text that was written. */
export const withTextOfNumbers = (root: unknown): unknown =>
  CONFIG_KEYS.filter(({ kind }) => kind === 'text').reduce((values, { path }) => {
    const value = valueAt(values, path);
    return Number.isSafeInteger(value) ? withValue(values, path, String(value)) : values;
  }, root);

const without = (root: unknown, section: string, name: string): unknown => {
  const below = valueAt(root, [section]);
  if (!isSection(root) || !isSection(below)) return root;
  const { [name]: _dropped, ...kept } = below;
  return { ...root, [section]: kept };
};

/**
 * energy.model and energy.tdp_watts exclude each other: in one layer that is a mistake; from a
 * higher layer one replaces the other, as it replaces the value itself.
 */
const dropExcluded = (root: unknown, layer: readonly Override[]): unknown => {
  const setsTdp = layer.some(({ key }) => key.dotted === 'energy.tdp_watts');
  const setsModel = layer.some(({ key }) => key.dotted.startsWith('energy.model.'));
  if (setsTdp === setsModel) return root;
  return without(root, 'energy', setsTdp ? 'model' : 'tdp_watts');
};

export const applyLayer = (root: unknown, layer: readonly Override[]): unknown =>
  layer.reduce<unknown>(
    (below, { key, value }) => withValue(below, key.path, value),
    dropExcluded(root, layer),
  );
