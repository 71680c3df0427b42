// SPDX-License-Identifier: Apache-2.0
/** YAML text to plain values, with the line and column of each of them. */
import * as E from 'fp-ts/lib/Either.js';
import { LineCounter, isMap, isNode, isScalar, isSeq, parseDocument, type Document } from 'yaml';
import type { Complaint } from '../model/errors.js';
import { childNames } from './keys.js';
import { isSection } from './layers.js';

export interface YamlValues {
  readonly values: unknown;
  /** `file:line:column` of the value at a path, or of its key; of the nearest parent if it is absent. */
  readonly placeOf: (path: readonly PropertyKey[], which: 'key' | 'value') => string;
}

const offsetOf = (node: unknown): number | undefined =>
  isNode(node) ? node.range?.[0] : undefined;

const pairAt = (node: unknown, name: PropertyKey): { key: unknown; value: unknown } | undefined => {
  if (isMap(node)) {
    return node.items.find(({ key }) => isScalar(key) && String(key.value) === String(name));
  }
  if (isSeq(node) && typeof name === 'number') {
    const value = node.items[name];
    return value === undefined ? undefined : { key: value, value };
  }
  return undefined;
};

const offsetAt = (doc: Document, path: readonly PropertyKey[], which: 'key' | 'value'): number => {
  let node: unknown = doc.contents;
  let offset = 0;
  for (const [depth, name] of path.entries()) {
    const pair = pairAt(node, name);
    if (pair === undefined) break;
    const wanted = depth === path.length - 1 && which === 'value' ? pair.value : pair.key;
    offset = offsetOf(wanted) ?? offsetOf(pair.key) ?? offset;
    node = pair.value;
  }
  return offset;
};

/** A section without content (`ledger:`) is a section of defaults, not a null. */
const withoutEmptySections = (value: unknown, path: readonly string[] = []): unknown => {
  if (value === null && childNames(path) !== undefined) return path.length === 0 ? {} : undefined;
  if (!isSection(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([name, child]) => [name, withoutEmptySections(child, [...path, name])] as const)
      .filter(([, child]) => child !== undefined),
  );
};

/** One mistake can make hundreds behind it; the first ones tell. */
const MOST_MISTAKES = 5;

const firstLine = (text: string): string => text.split('\n', 1)[0] ?? text;

export const parseYaml = (
  file: string,
  text: string,
): E.Either<readonly Complaint[], YamlValues> => {
  const lineCounter = new LineCounter();
  // Of the last CRLF only the CR is left here, and it would belong to the last value.
  const doc = parseDocument(text.replace(/\r$/, ''), {
    lineCounter,
    prettyErrors: false,
    stringKeys: true,
  });
  const place = (offset: number): string => {
    const { line, col } = lineCounter.linePos(offset);
    return `${file}:${line}:${col}`;
  };
  const mistakes = [...doc.errors, ...doc.warnings];
  if (mistakes.length > 0) {
    return E.left(
      mistakes.slice(0, MOST_MISTAKES).map(({ pos, code, message }) => ({
        what: `read ${place(pos[0])}`,
        cause:
          code === 'MULTIPLE_DOCS'
            ? 'not valid YAML: a second document begins here (---), and a file holds one'
            : `not valid YAML: ${firstLine(message)}`,
        remedy: 'compare with wattfeed config --defaults',
      })),
    );
  }
  return E.tryCatch(
    (): YamlValues => ({
      values: withoutEmptySections(doc.toJS({ maxAliasCount: 100 })),
      placeOf: (path, which) => place(offsetAt(doc, path, which)),
    }),
    // Only an alias that is unknown or expands without bound gets here.
    (error) => [
      {
        what: `read ${file}`,
        cause: `not valid YAML: ${error instanceof Error ? firstLine(error.message) : String(error)}`,
        remedy: 'write the values out instead of using aliases',
      },
    ],
  );
};
