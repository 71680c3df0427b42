// SPDX-License-Identifier: Apache-2.0
/** The schema as a flat list of keys: what flags, the printed defaults and the reference walk over. */
import { z } from 'zod';
import { ENERGY_SOURCE_NAMES, configSchema, notesOf, type KeyNotes } from './schema.js';

/** How a flag's text becomes a value. */
export type KeyKind = 'number' | 'boolean' | 'text' | 'list';

export interface ConfigKey {
  readonly path: readonly string[];
  /** `energy.model.idle_watts`. */
  readonly dotted: string;
  /** `--energy-model-idle-watts`. */
  readonly flag: string;
  readonly kind: KeyKind;
  /** Undefined where a key has no default. */
  readonly defaultValue: unknown;
  readonly notes: KeyNotes;
  /** Allowed values, as a person reads them: `20 to 3600000`, `error | warn | info | debug`. */
  readonly allowed: string;
}

interface Peeled {
  readonly core: unknown;
  readonly defaultValue: unknown;
}

const peel = (schema: unknown, defaultValue?: unknown): Peeled => {
  if (schema instanceof z.ZodDefault) return peel(schema.unwrap(), schema.def.defaultValue);
  if (schema instanceof z.ZodPrefault) return peel(schema.unwrap(), defaultValue);
  if (schema instanceof z.ZodOptional) return peel(schema.unwrap(), defaultValue);
  return { core: schema, defaultValue };
};

const kindOf = (core: unknown): KeyKind => {
  if (core instanceof z.ZodNumber) return 'number';
  if (core instanceof z.ZodBoolean) return 'boolean';
  if (core instanceof z.ZodUnion || core instanceof z.ZodArray) return 'list';
  return 'text';
};

const numberRange = ({ minValue, maxValue }: z.ZodNumber): string =>
  `${minValue === 0 ? '0' : (minValue ?? '')} to ${maxValue ?? ''}`;

const allowedOf = (core: unknown, dotted: string): string => {
  if (core instanceof z.ZodNumber) {
    return core.minValue === 0 && !core.safeParse(0).success
      ? `above 0, up to ${core.maxValue ?? ''}`
      : numberRange(core);
  }
  if (core instanceof z.ZodBoolean) return 'true | false';
  if (core instanceof z.ZodEnum) return core.options.join(' | ');
  if (core instanceof z.ZodUnion) return `auto | a list of ${ENERGY_SOURCE_NAMES.join(', ')}`;
  if (core instanceof z.ZodArray)
    return dotted.startsWith('export.') ? 'a list of FIELD=GLOB' : 'a list';
  if (core instanceof z.ZodString)
    return dotted.endsWith('_address') ? 'PORT or HOST:PORT' : 'an absolute path';
  throw new Error(`configuration key ${dotted} has a type that keys.ts does not know`);
};

const keyOf = (path: readonly string[], schema: z.ZodType, notes: KeyNotes): ConfigKey => {
  const { core, defaultValue } = peel(schema);
  const dotted = path.join('.');
  return {
    path,
    dotted,
    flag: `--${path.join('-').replaceAll('_', '-')}`,
    kind: kindOf(core),
    defaultValue,
    notes,
    allowed: notes.allowed ?? allowedOf(core, dotted),
  };
};

const walk = (schema: unknown, path: readonly string[]): readonly ConfigKey[] => {
  const { core } = peel(schema);
  if (core instanceof z.ZodObject) {
    return Object.entries(core.shape).flatMap(([name, child]) => walk(child, [...path, name]));
  }
  const notes = schema instanceof z.ZodType ? notesOf(schema) : undefined;
  if (notes === undefined || !(schema instanceof z.ZodType)) {
    throw new Error(`configuration key ${path.join('.')} has no description`);
  }
  return [keyOf(path, schema, notes)];
};

/** Every key, in the order of the schema. */
export const CONFIG_KEYS: readonly ConfigKey[] = walk(configSchema, []);

/** Names directly below a section (the empty path is the top level); undefined if it is no section. */
export const childNames = (section: readonly string[]): readonly string[] | undefined => {
  const below = CONFIG_KEYS.filter(
    ({ path }) => path.length > section.length && section.every((name, at) => path[at] === name),
  );
  const names = new Set(below.map(({ path }) => path[section.length] ?? ''));
  return names.size === 0 ? undefined : [...names];
};
