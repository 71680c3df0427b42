// SPDX-License-Identifier: Apache-2.0
import { Command, Option } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import { decodeConfigFile } from '../config/decode.js';
import { configJsonSchemaText } from '../config/json-schema.js';
import { readConfigFile } from '../config/load.js';
import { DEFAULT_CONFIG_FILE, renderConfigFile } from '../config/render.js';
import { addConfigFlags, type ConfigFlags } from './config-flags.js';
import { FINE, usage, type Outcome } from './outcome.js';
import type { Finish, ProgramDeps } from './deps.js';

const EXAMPLES = `
Examples:
  wattfeed config                          the configuration in effect here
  wattfeed config --defaults > config.yaml
  wattfeed config --check config.yaml
  wattfeed config --schema                 for editors and deployment checks
`;

interface Choices {
  readonly defaults?: true;
  readonly check?: string;
  readonly schema?: true;
}

const printed = (io: ProgramDeps['io'], text: string): Outcome => {
  io.stdout.write(text);
  return FINE;
};

const checkFile = (path: string, { io }: ProgramDeps): Outcome =>
  pipe(
    readConfigFile(path),
    E.flatMap((file) => decodeConfigFile({ file, flags: new Map(), env: {} })),
    E.match(
      (complaints) => usage(...complaints),
      () => printed(io, `${path}: fine\n`),
    ),
  );

const printEffective = (flags: ConfigFlags, { io }: ProgramDeps): Outcome =>
  pipe(
    readConfigFile(flags.path),
    E.flatMap((file) => decodeConfigFile({ file, flags: flags.values, env: io.env })),
    E.match(
      (complaints) => usage(...complaints),
      (values) => printed(io, renderConfigFile(values)),
    ),
  );

export const configCommand = (deps: ProgramDeps, finish: Finish): Command => {
  const command = new Command()
    .option('--defaults', 'print the defaults as a commented file')
    .addOption(
      new Option('--check <file>', 'say every mistake in a file; 0 if there is none').conflicts(
        'defaults',
      ),
    )
    .addOption(
      new Option('--schema', "print the file's JSON schema").conflicts(['defaults', 'check']),
    )
    .addHelpText('after', EXAMPLES);
  const flags = addConfigFlags(command, 'all');
  return command.action(({ defaults, check, schema }: Choices) => {
    if (check !== undefined) return finish(checkFile(check, deps));
    if (schema === true) return finish(printed(deps.io, configJsonSchemaText()));
    if (defaults === true) {
      return finish(printed(deps.io, renderConfigFile(DEFAULT_CONFIG_FILE)));
    }
    finish(printEffective(flags, deps));
  });
};
