// SPDX-License-Identifier: Apache-2.0
/** One line of a trace to a record, or what is wrong with it; and back. Pure. */
import * as E from 'fp-ts/lib/Either.js';
import { KNOWN_TYPES, TRACE_VERSION, recordSchema, type AnyRecord } from './wire.js';

/** What is wrong with one line, in words: `tasks[3].runtimeNanos: …`. */
export interface LineDefect {
  readonly cause: string;
}

const pathText = (path: readonly PropertyKey[]): string =>
  path
    .map((part, at) =>
      typeof part === 'number' ? `[${part.toString()}]` : `${at === 0 ? '' : '.'}${String(part)}`,
    )
    .join('');

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const defect = (cause: string): E.Either<LineDefect, never> => E.left({ cause });

/** What gzip's first two bytes become when they are read as text. */
const GZIP_MAGIC = '\u001f\ufffd';

const notJson = (line: string): string => {
  if (line.startsWith(GZIP_MAGIC)) return 'compressed data: the name must end in .gz';
  const text = line.trim();
  return text.startsWith('{') && !text.endsWith('}') ? 'the line is cut off' : 'not JSON';
};

const parseJson = (line: string): E.Either<LineDefect, unknown> => {
  try {
    const json: unknown = JSON.parse(line);
    return E.right(json);
  } catch {
    return defect(notJson(line));
  }
};

/** A header of a newer version is refused: within a version, only fields and record types are added. */
const versionDefect = (json: Readonly<Record<string, unknown>>): string | undefined =>
  json['type'] === 'header' &&
  typeof json['version'] === 'number' &&
  json['version'] > TRACE_VERSION
    ? `version ${json['version'].toString()} of the format; this wattfeed reads up to ${TRACE_VERSION.toString()}`
    : undefined;

export const parseLine = (line: string): E.Either<LineDefect, AnyRecord> => {
  const parsed = parseJson(line);
  if (E.isLeft(parsed)) return parsed;
  const json = parsed.right;
  if (!isObject(json)) return defect('not a JSON object');
  const { type } = json;
  if (typeof type !== 'string') return defect('type: missing');
  if (!KNOWN_TYPES.has(type)) return E.right({ type: 'unknown', json });
  const newer = versionDefect(json);
  if (newer !== undefined) return defect(newer);
  const { data, error } = recordSchema.safeParse(json);
  if (data !== undefined) return E.right(data);
  const [issue] = error.issues;
  return defect(issue === undefined ? 'invalid' : `${pathText(issue.path)}: ${issue.message}`);
};

/** With everything that was not known when it was read. */
export const formatRecord = (record: AnyRecord): string =>
  JSON.stringify(record.type === 'unknown' ? ('json' in record ? record.json : record) : record);
