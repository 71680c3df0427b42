// SPDX-License-Identifier: Apache-2.0
/** Wrong usage in one line with a hint, in the form of every other complaint. */
import type { Command, CommanderError } from 'commander';
import { nearest } from '../config/suggest.js';
import type { Complaint } from '../model/errors.js';
import type { CommandIo } from './io.js';
import { FINE, usage, type Outcome } from './outcome.js';

/** Texts are wrapped beside the longest flags of `config` too, where 39 of 80 columns are left. */
const HELP_TEXT_COLUMNS = 30;

/** Commander throws instead of ending the process, and leaves errors to `outcomeOfCommander`. */
export const styleErrors = (command: Command, io: CommandIo): void => {
  command
    .exitOverride()
    .configureHelp({ minWidthToWrap: HELP_TEXT_COLUMNS })
    .configureOutput({
      writeOut: (text) => void io.stdout.write(text),
      writeErr: (text) => void io.stderr.write(text),
      outputError: () => undefined,
    });
  for (const child of command.commands) styleErrors(child, io);
};

const SUGGESTION = /\s*\(Did you mean (?:one of )?([^)]*?)\?\)\s*/;
const UNKNOWN_OPTION = /unknown option '(--[^'=]+)/;

/** The command named by the first words that are commands; the program itself if none is. */
const commandOf = (program: Command, argv: readonly string[]): Command => {
  const named = program.commands.find((command) => command.name() === argv[0]);
  return named === undefined ? program : commandOf(named, argv.slice(1));
};

/** Commander suggests no hidden option, and most flags of the configuration are hidden. */
const suggestionFor = (message: string, command: Command): string | undefined => {
  const unknown = UNKNOWN_OPTION.exec(message)?.[1];
  const known = command.options.flatMap(({ long }) => (long === undefined ? [] : [long]));
  return unknown === undefined
    ? SUGGESTION.exec(message)?.[1]
    : (nearest(unknown, known) ?? SUGGESTION.exec(message)?.[1]);
};

const pathOf = (command: Command): string =>
  command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;

/** `help WORD`: commander prints the program's help where the word is no command. */
const unknownTopic = (
  program: Command,
  [first, topic]: readonly string[],
): readonly Complaint[] => {
  const names = program.commands.map((command) => command.name());
  if (first !== 'help' || topic === undefined || names.includes(topic)) return [];
  const suggested = nearest(topic, names);
  return [
    {
      what: 'parse arguments',
      cause: `unknown command '${topic}'`,
      remedy: suggested === undefined ? 'they are listed above' : `did you mean ${suggested}?`,
    },
  ];
};

/** Help and version are thrown too, as fine ends. `wattfeed` alone has printed its help to stderr. */
export const outcomeOfCommander = (
  error: CommanderError,
  program: Command,
  argv: readonly string[],
): Outcome => {
  if (error.exitCode === 0) return FINE;
  if (error.code === 'commander.help') return usage(...unknownTopic(program, argv));
  const command = commandOf(program, argv);
  const see = `see ${pathOf(command)} --help`;
  const suggested = suggestionFor(error.message, command);
  return usage({
    what: 'parse arguments',
    cause: error.message
      .replace(SUGGESTION, '')
      .replace(/^error: /, '')
      .replace(/\.$/, ''),
    remedy: suggested === undefined ? see : `did you mean ${suggested}? ${see}`,
  });
};
