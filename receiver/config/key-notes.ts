// SPDX-License-Identifier: Apache-2.0
/** What a person needs to know about a key, kept beside its schema. */
import type { z } from 'zod';

export interface KeyNotes {
  readonly description: string;
  /** Why the default is what it is; for keys without one, what happens when it is not set. */
  readonly reason: string;
  /** Shown, commented out, where there is no default. */
  readonly example?: string | number;
  /** What may be written, where the schema alone does not tell. */
  readonly allowed?: string;
  /** A second, shorter flag. */
  readonly alias?: string;
  /** Of use to `wattfeed run` alone: no other command shows it in its help. */
  readonly isOfAgent?: true;
}

/** Notes by schema instance: zod copies a schema when it is described, so they are kept beside it. */
const notesBySchema = new WeakMap<z.ZodType, KeyNotes>();

export const key = <S extends z.ZodType>(schema: S, notes: KeyNotes): S => {
  const described = schema.describe(`${notes.description} ${notes.reason}`);
  notesBySchema.set(described, notes);
  return described;
};

export const notesOf = (schema: z.ZodType): KeyNotes | undefined => notesBySchema.get(schema);
