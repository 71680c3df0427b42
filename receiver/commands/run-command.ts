// SPDX-License-Identifier: Apache-2.0
import { Command } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import { addConfigFlags, configOfFlags } from './config-flags.js';
import type { Finish, ProgramDeps } from './deps.js';
import { outcomeOfResult, usage } from './outcome.js';

const EXAMPLES = `
Examples:
  wattfeed run
  OTEL_EXPORTER_OTLP_ENDPOINT=http://collector:4317 wattfeed run
  wattfeed run --config ./wattfeed.yaml --log-level debug
  wattfeed run --energy-model-idle-watts 12 --energy-model-max-watts 65

It runs until SIGTERM, SIGINT or SIGHUP. Viewers (wattfeed top) on this host
join it. Where metrics go to is said by the standard OTEL_* variables.
`;

export const runCommand = (deps: ProgramDeps, finish: Finish): Command => {
  const command = new Command().addHelpText('after', EXAMPLES);
  const flags = addConfigFlags(command, 'agents');
  return command.action(async () => {
    const config = configOfFlags(flags, deps.io.env);
    if (E.isLeft(config)) return finish(usage(...config.left));
    finish(outcomeOfResult(await deps.run(config.right)()));
  });
};
