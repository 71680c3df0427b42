// SPDX-License-Identifier: Apache-2.0
/** The command line: which commands there are, their arguments and help. What they do is `ProgramDeps`. */
import { Command, CommanderError } from 'commander';
import type { Finish, ProgramDeps } from './deps.js';
import { FINE, exitCodeOf, outcomeLines, type Outcome } from './outcome.js';
import { watchOutput } from './output-errors.js';
import { outcomeOfCommander, styleErrors } from './usage.js';

const EXAMPLES = `
Examples:
  wattfeed top                      which process burns the watts, live
  wattfeed top --once --json        the last window, for a script
  wattfeed check                    what this machine can measure, and remedies
  wattfeed spin 812                 do its threads wait awake?
  wattfeed explain 812              how process 812 came to its joules
  wattfeed run                      the agent: measures, exports, serves viewers

Exit codes: 0 fine, 1 failed, 2 wrong usage or configuration.
Configuration: wattfeed config --defaults. Every key is also a flag:
wattfeed config --help.
`;

type MakeCommand = (deps: ProgramDeps, finish: Finish) => Command;

interface CommandEntry {
  readonly name: string;
  readonly description: string;
  readonly load: () => Promise<MakeCommand>;
}

const COMMANDS: readonly CommandEntry[] = [
  {
    name: 'run',
    description: 'measure, export by OTLP, and serve viewers, until told to stop',
    load: async () => (await import('./run-command.js')).runCommand,
  },
  {
    name: 'top',
    description: 'show live who burns the watts, in a table',
    load: async () => (await import('./top-command.js')).topCommand,
  },
  {
    name: 'check',
    description: 'say what this machine offers, and the remedy for each thing missing',
    load: async () => (await import('./check-command.js')).checkCommand,
  },
  {
    name: 'explain',
    description: 'show how one process or cgroup came to its joules, with its own numbers',
    load: async () => (await import('./explain.js')).explainCommand,
  },
  {
    name: 'feed',
    description: 'show the power feed as a scheduler sees it, or publish invented values',
    load: async () => (await import('./feed-command.js')).feedCommand,
  },
  {
    name: 'record',
    description: 'write every window to a trace file, for replay and bug reports',
    load: async () => (await import('./record-command.js')).recordCommand,
  },
  {
    name: 'replay',
    description: 'attribute a recorded trace again, without a kernel',
    load: async () => (await import('./replay-command.js')).replayCommand,
  },
  {
    name: 'spin',
    description: 'examine whether the threads of a process run and do nothing',
    load: async () => (await import('./spin-command.js')).spinCommand,
  },
  {
    name: 'config',
    description: 'print, check or describe the configuration',
    load: async () => (await import('./config-command.js')).configCommand,
  },
];

/** Stands in the list of commands for one that the command line does not name; its option makes the list say so. */
const listed: MakeCommand = () => new Command().option('--config <file>');

/** Loads the commands that the command line names, and of the others only the names. */
export const buildProgram = async (
  deps: ProgramDeps,
  finish: Finish,
  argv: readonly string[],
): Promise<Command> => {
  const program = new Command('wattfeed')
    .description('Which process, container and pod burns how many joules.')
    .version(deps.version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand('help [command]', 'print the help of a command')
    .addHelpText('after', EXAMPLES);
  for (const { name, description, load } of COMMANDS) {
    const make = argv.includes(name) ? await load() : listed;
    program.addCommand(make(deps, finish).name(name).description(description));
  }
  styleErrors(program, deps.io);
  return program;
};

const outcomeOf = async (deps: ProgramDeps, argv: readonly string[]): Promise<Outcome> => {
  let outcome: Outcome = FINE;
  const finish: Finish = (ended) => {
    outcome = ended;
  };
  const program = await buildProgram(deps, finish, argv);
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
