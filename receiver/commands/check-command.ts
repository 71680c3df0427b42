// SPDX-License-Identifier: Apache-2.0
import { Command } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import { addConfigFlags, configOfFlags } from './config-flags.js';
import { FINE, failed, usage } from './outcome.js';
import type { Finish, ProgramDeps } from './deps.js';

const EXAMPLES = `
Examples:
  wattfeed check
  wattfeed check --json
  wattfeed check --sysfs-root /host/sys --procfs-root /host/proc

Exit code 0: this machine can be measured (if need be with a model); 1: it
cannot.
`;

export const checkCommand = (deps: ProgramDeps, finish: Finish): Command => {
  const command = new Command()
    .option('--json', 'print one JSON document')
    .addHelpText('after', EXAMPLES);
  const flags = addConfigFlags(command);
  return command.action(async ({ json }: { json?: true }) => {
    const config = configOfFlags(flags, deps.io.env);
    if (E.isLeft(config)) return finish(usage(...config.left));
    const result = await deps.check(config.right, { json: json === true })();
    if (E.isLeft(result)) return finish(failed(result.left));
    // What is missing was printed by the check itself, with its remedy.
    finish(result.right ? FINE : failed());
  });
};
