// SPDX-License-Identifier: Apache-2.0
/** BTF of an object, as `bpftool btf dump -j` prints it, -> TypeScript text: where members lie, what enums say. */
import { readFile, writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { format, resolveConfig } from 'prettier';
import { z } from 'zod';

const BITS_PER_BYTE = 8;

const member = z.object({ name: z.string(), type_id: z.number(), bits_offset: z.number() });
const btfType = z.object({
  id: z.number(),
  kind: z.string(),
  name: z.string(),
  size: z.number().optional(),
  type_id: z.number().optional(),
  nr_elems: z.number().optional(),
  members: z.array(member).optional(),
  values: z.array(z.object({ name: z.string(), val: z.number() })).optional(),
});
const btf = z.object({ types: z.array(btfType) });

type BtfType = z.infer<typeof btfType>;
export type Types = ReadonlyMap<number, BtfType>;

const camel = (name: string): string =>
  name.toLowerCase().replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

/** The value, or an error that says what the BTF lacks. */
export const need = <T>(value: T | undefined, what: string): T => {
  if (value === undefined) throw new Error(`read layout: ${what} is missing; rebuild bpf/`);
  return value;
};

/** Follows typedefs and qualifiers to the type that has a size. */
const resolved = (types: Types, id: number): BtfType => {
  const type = need(types.get(id), `type ${id}`);
  const isAlias = ['TYPEDEF', 'CONST', 'VOLATILE'].includes(type.kind);
  return isAlias ? resolved(types, need(type.type_id, `target of type ${id}`)) : type;
};

/** Bytes of one element, and how many there are. */
const shapeOf = (types: Types, id: number): { widthBytes: number; length: number } => {
  const type = resolved(types, id);
  if (type.kind !== 'ARRAY')
    return { widthBytes: need(type.size, `size of type ${id}`), length: 1 };
  const element = resolved(types, need(type.type_id, `element of type ${id}`));
  return {
    widthBytes: need(element.size, `size of an element of type ${id}`),
    length: need(type.nr_elems, `length of type ${id}`),
  };
};

export const named = (types: Types, kinds: readonly string[], name: string): BtfType =>
  need(
    [...types.values()].find((type) => kinds.includes(type.kind) && type.name === name),
    `${kinds.join(' or ')} ${name}`,
  );

export const structText = (types: Types, name: string): string => {
  const type = named(types, ['STRUCT'], name);
  const members = need(type.members, `members of ${name}`).map((one) => ({
    key: camel(one.name),
    offsetBytes: one.bits_offset / BITS_PER_BYTE,
    ...shapeOf(types, one.type_id),
  }));
  const arrays = members.filter(({ length }) => length > 1);
  return [
    `/** struct ${name}: byte offset and element width of each member, length of each array. */`,
    `export const ${camel(name)} = {`,
    `sizeBytes: ${need(type.size, `size of ${name}`)},`,
    `offset: {${members.map(({ key, offsetBytes }) => `${key}: ${offsetBytes}`).join(',\n')}},`,
    `widthBytes: {${members.map(({ key, widthBytes }) => `${key}: ${widthBytes}`).join(',\n')}},`,
    `length: {${arrays.map(({ key, length }) => `${key}: ${length}`).join(',\n')}},`,
    '} as const;',
  ].join('\n');
};

export const enumText = (types: Types, name: string, prefix: RegExp): string => {
  const values = need(named(types, ['ENUM', 'ENUM64'], name).values, `values of ${name}`);
  const entries = values.map((one) => `${camel(one.name.replace(prefix, ''))}: ${one.val}`);
  return [
    `/** enum ${name} */`,
    `export const ${camel(name)} = {`,
    `${entries.join(',\n')},`,
    '} as const;',
  ].join('\n');
};

export interface Generator {
  /** Default of `--input`: the object's BTF. */
  readonly input: string;
  /** Default of `--output`. */
  readonly output: string;
  readonly script: string;
  readonly text: (types: Types) => string;
}

/** Writes the file, or with `--check` fails where it differs. Returns the exit code. */
export const runGenerator = async ({ input, output, script, text }: Generator): Promise<number> => {
  const { values } = parseArgs({
    options: {
      check: { type: 'boolean', default: false },
      input: { type: 'string', default: input },
      output: { type: 'string', default: output },
    },
  });
  const { types } = btf.parse(JSON.parse(await readFile(values.input, 'utf8')));
  const options = { ...(await resolveConfig(values.output)), parser: 'typescript' };
  const made = await format(text(new Map(types.map((type) => [type.id, type]))), options);
  if (!values.check) {
    await writeFile(values.output, made);
    return 0;
  }
  if (made === (await readFile(values.output, 'utf8'))) return 0;
  process.stderr.write(
    `check ${values.output}: differs from ${values.input}; run ${script} and commit\n`,
  );
  return 1;
};
