// SPDX-License-Identifier: Apache-2.0
/** A configuration as a commented YAML file: what `wattfeed config --defaults` prints. */
import { stringify } from 'yaml';
import { CONFIG_KEYS, type ConfigKey } from './keys.js';
import { valueAt } from './layers.js';
import { configSchema, type ConfigFile } from './schema.js';

const COMMENT_WIDTH = 92;

export const DEFAULT_CONFIG_FILE: ConfigFile = configSchema.parse({});

/** Breaks text at spaces so that no line is longer than `width`, unless one word is. */
export const wrapText = (text: string, width: number): readonly string[] =>
  text.split(' ').reduce<readonly string[]>((lines, word) => {
    const last = lines.at(-1);
    return last !== undefined && last.length + 1 + word.length <= width
      ? [...lines.slice(0, -1), `${last} ${word}`]
      : [...lines, word];
  }, []);

const INDENT = '  ';
const indentOf = (depth: number): string => INDENT.repeat(depth);

const scalar = (value: unknown): string =>
  stringify(value, { lineWidth: 0, collectionStyle: 'flow' }).trimEnd();

const commentLines = ({ notes, allowed, path }: ConfigKey): readonly string[] => {
  const indent = indentOf(path.length - 1);
  return wrapText(
    `${notes.description} ${notes.reason} Allowed: ${allowed}.`,
    COMMENT_WIDTH - indent.length,
  ).map((line) => `${indent}# ${line}`);
};

/** Sections of `path` that `previous` was not in yet. */
const openedSections = (path: readonly string[], previous: readonly string[]): readonly number[] =>
  path
    .slice(0, -1)
    .map((_, at) => at)
    .filter((at) => path.slice(0, at + 1).some((name, depth) => name !== previous[depth]));

const keyLines = (
  key: ConfigKey,
  previous: readonly string[],
  values: ConfigFile,
): readonly string[] => {
  const value = valueAt(values, key.path);
  // A section none of whose keys is set (energy.model) is commented out as a whole.
  const mark = (path: readonly string[]): string =>
    valueAt(values, path) === undefined ? '# ' : '';
  const headings = openedSections(key.path, previous).map((at) => {
    const path = key.path.slice(0, at + 1);
    return `${indentOf(at)}${mark(path)}${path[at] ?? ''}:`;
  });
  const indent = indentOf(key.path.length - 1);
  const name = key.path.at(-1) ?? '';
  const shown = scalar(value ?? key.notes.example ?? key.defaultValue);
  const isInUnsetSection = key.path.length > 2 && mark(key.path.slice(0, -1)) !== '';
  const line = isInUnsetSection
    ? `${indentOf(key.path.length - 2)}# ${INDENT}${name}: ${shown}`
    : `${indent}${mark(key.path)}${name}: ${shown}`;
  return [...headings, ...commentLines(key), line];
};

/** Reading the result gives `values` again; keys that are not set are there as comments. */
export const renderConfigFile = (values: ConfigFile): string => {
  const blocks = CONFIG_KEYS.map((key, at) =>
    keyLines(key, CONFIG_KEYS[at - 1]?.path ?? [], values).join('\n'),
  );
  return (
    [
      '# wattfeed configuration. Every key is also a flag: energy.model.idle_watts is\n' +
        '# --energy-model-idle-watts. A flag goes before the environment, the environment before this file.',
      ...blocks,
      '',
    ]
      .join('\n\n')
      .trimEnd() + '\n'
  );
};
