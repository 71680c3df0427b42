// SPDX-License-Identifier: Apache-2.0
/** The command line: which commands there are, their arguments and help. What they do is `ProgramDeps`. */
import { Command, CommanderError } from 'commander';
import { checkCommand } from './check-command.js';
import { configCommand } from './config-command.js';
import type { Finish, ProgramDeps } from './deps.js';
import { FINE, exitCodeOf, outcomeLines, type Outcome } from './outcome.js';
import { watchOutput } from './output-errors.js';
import { runCommand } from './run-command.js';
import { topCommand } from './top-command.js';
import { outcomeOfCommander, styleErrors } from './usage.js';

const EXAMPLES = `
Examples:
  wattfeed top                      which process burns the watts, live
  wattfeed top --once --json        the last window, for a script
  wattfeed check                    what this machine can measure, and remedies
  wattfeed run                      the agent: measures, exports, serves viewers

Exit codes: 0 fine, 1 failed, 2 wrong usage or configuration.
Configuration: wattfeed config --defaults. Every key is also a flag:
wattfeed config --help.
`;

export const buildProgram = (deps: ProgramDeps, finish: Finish): Command => {
  const program = new Command('wattfeed')
    .description('Which process, container and pod burns how many joules.')
    .version(deps.version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand('help [command]', 'print the help of a command')
    .addHelpText('after', EXAMPLES);
  program.addCommand(runCommand(deps, finish));
  program.addCommand(topCommand(deps, finish));
  program.addCommand(checkCommand(deps, finish));
  program.addCommand(configCommand(deps, finish));
  styleErrors(program, deps.io);
  return program;
};

const outcomeOf = async (deps: ProgramDeps, argv: readonly string[]): Promise<Outcome> => {
  let outcome: Outcome = FINE;
  const program = buildProgram(deps, (ended) => {
    outcome = ended;
  });
  try {
    await program.parseAsync([...argv], { from: 'user' });
    return outcome;
  } catch (error) {
    if (error instanceof CommanderError) return outcomeOfCommander(error, program, argv);
    throw error;
  }
};

/** `argv` without node and script. Resolves to the exit code; complaints went to standard error. */
export const runProgram = async (deps: ProgramDeps, argv: readonly string[]): Promise<number> => {
  const { stdout, stderr } = deps.io;
  // A full disk under the log must end neither the agent nor a complaint: there is nobody to tell.
  stderr.on('error', () => undefined);
  const written = watchOutput(stdout);
  const ended = await outcomeOf(deps, argv);
  const output = await written();
  const outcome = ended._tag === 'Fine' ? output : ended;
  for (const line of outcomeLines(outcome)) stderr.write(`${line}\n`);
  return exitCodeOf(outcome);
};
