// SPDX-License-Identifier: Apache-2.0
import { Command, Option } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import type { FeedOptions } from '../feed/run-feed.js';
import { addConfigFlags, configOfFlags } from './config-flags.js';
import type { Finish, ProgramDeps } from './deps.js';
import { FINE, failed, outcomeOfResult, usage } from './outcome.js';

const EXAMPLES = `
Examples:
  wattfeed feed                             the maps as a scheduler sees them
  wattfeed feed --tasks --watch 1           again every second, with tasks
  wattfeed feed --json | jq .status
  wattfeed feed --set 'pid:1234 power_mw=3000' --set 'pid:1240 power_mw=9000'
  wattfeed feed --simulate steps.txt --for 60

--set and --simulate publish invented values through the real pins, labelled
simulated, so that a scheduler can be written without the hardware. Kinds: pid,
tid, cgroup (by id), package, state. A file has one of them per line, "@2.5"
begins what is set after 2.5 s; or it is what --json --tasks --watch printed.
Refused while an agent publishes.

Exit code 0: a scheduler would take the feed; 1: it is missing, stale or of
another version. See docs/power-feed.md.
`;

interface Given {
  readonly json?: true;
  readonly tasks?: true;
  readonly watch?: number;
  readonly set?: readonly string[];
  readonly simulate?: string;
  readonly for?: number;
}

const seconds = (text: string): number => (/^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN);

export const feedCommand = (deps: ProgramDeps, finish: Finish): Command => {
  const command = new Command()
    .option('--json', 'print one JSON document per look')
    .option('--tasks', 'show the entries of tasks too')
    .addOption(new Option('--watch <seconds>', 'look again and again').argParser(seconds))
    .addOption(
      new Option('--set <line>', 'publish an invented value; may be repeated').argParser(
        (line: string, before: readonly string[] | undefined) => [...(before ?? []), line],
      ),
    )
    .option('--simulate <file>', 'publish what a file says')
    .addOption(new Option('--for <seconds>', 'end publishing after that long').argParser(seconds))
    .addHelpText('after', EXAMPLES);
  const flags = addConfigFlags(command);
  return command.action(async (given: Given) => {
    for (const name of ['watch', 'for'] as const) {
      if (given[name] === undefined || given[name] > 0) continue;
      const cause = `--${name} needs seconds above 0`;
      return finish(usage({ what: 'parse arguments', cause, remedy: `write --${name} 1` }));
    }
    const config = configOfFlags(flags, deps.io.env);
    if (E.isLeft(config)) return finish(usage(...config.left));
    const options: FeedOptions = {
      json: given.json === true,
      tasks: given.tasks === true,
      watchSeconds: given.watch,
      set: given.set ?? [],
      simulateFile: given.simulate,
      forSeconds: given.for,
    };
    const result = await deps.feed(config.right, options)();
    if (E.isLeft(result)) return finish(outcomeOfResult(result));
    // Why it is none was printed by the look itself.
    finish(result.right ? FINE : failed());
  });
};
