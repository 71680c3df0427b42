// SPDX-License-Identifier: Apache-2.0
/** The configuration's flags on a command, made from the schema, and their values read back. */
import { Option, type Command } from 'commander';
import type * as E from 'fp-ts/lib/Either.js';
import { DEFAULT_CONFIG_PATH, loadConfig } from '../config/load.js';
import { CONFIG_KEYS, type ConfigKey } from '../config/keys.js';
import type { Config } from '../config/config.js';
import type { Complaint } from '../model/errors.js';

/** What a command line said about the configuration. */
export interface ConfigFlags {
  /** `--config`; undefined if not given. */
  path: string | undefined;
  /** Dotted key to the flag's text. */
  readonly values: Map<string, string>;
}

const placeholderOf = ({ kind, allowed }: ConfigKey): string =>
  kind === 'text' && allowed === 'an absolute path' ? 'path' : kind;

const optionsOf = (key: ConfigKey, flags: ConfigFlags): readonly Option[] =>
  [key.flag, ...(key.notes.alias === undefined ? [] : [key.notes.alias])].map((flag) =>
    new Option(
      `${flag} <${placeholderOf(key)}>`,
      `${key.notes.description} (${key.dotted})`,
    ).argParser((text: string) => {
      flags.values.set(key.dotted, text);
      return text;
    }),
  );

const ALL_FLAGS = `
Every key of the configuration is a flag too: wattfeed config --help.`;

/**
 * Adds `--config` and every key as a flag. They are many, so only `--config` and those short names that
 * are of use to the command are in its help; `wattfeed config --help` lists all.
 */
export const addConfigFlags = (
  command: Command,
  shown: 'viewers' | 'agents' | 'all' = 'viewers',
): ConfigFlags => {
  const flags: ConfigFlags = { path: undefined, values: new Map() };
  const file = new Option(
    '--config <file>',
    `configuration file (default: ${DEFAULT_CONFIG_PATH})`,
  );
  command.addOption(
    file.argParser((text: string) => {
      flags.path = text;
      return text;
    }),
  );
  if (shown !== 'all') command.addHelpText('after', ALL_FLAGS);
  for (const key of CONFIG_KEYS) {
    for (const option of optionsOf(key, flags)) {
      const isOfUse = shown === 'agents' || key.notes.isOfAgent !== true;
      const isShown = shown === 'all' || (isOfUse && option.long === key.notes.alias);
      command.addOption(isShown ? option : option.hideHelp());
    }
  }
  return flags;
};

export const configOfFlags = (
  { path, values }: ConfigFlags,
  env: Readonly<Record<string, string | undefined>>,
): E.Either<readonly Complaint[], Config> => loadConfig({ path, flags: values, env });
