// SPDX-License-Identifier: Apache-2.0
import { WriteStream } from 'node:tty';
import { Command } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import type { Config } from '../config/config.js';
import { MILLIS_PER_SECOND } from '../model/units.js';
import { addConfigFlags, configOfFlags } from './config-flags.js';
import type { Finish, ProgramDeps } from './deps.js';
import { openSource } from './open-source.js';
import { failed, usage, type Outcome } from './outcome.js';
import { hasTree } from './top/row.js';
import { showLive, type LiveRequest } from './top/live.js';
import { addTopOptions, topOptionsOf, type RawTopOptions, type TopOptions } from './top/options.js';
import { streamReports } from './top/stream.js';

const EXAMPLES = `
Examples:
  wattfeed top                            the live table; ? shows its keys
  wattfeed top --by cgroup --sort joules
  wattfeed top --by pod                   or container, job, unit, user, name
  wattfeed top --filter '^postgres'       a regular expression, or a pid
  wattfeed top --threads 812              the threads of one process
  wattfeed top --once --rows 10           one window, the ten largest
  wattfeed top --once --json | jq '.processes[0]'
  wattfeed top -I 10 | tee watts.log      in a pipe: a block of lines every 10 s

If an agent (wattfeed run) is on this host, top joins it and shows its windows;
if not, top measures itself, which needs root. The title says which.
--socket PATH joins that agent or fails.
`;

/** Own measuring makes windows as long as the interval, never longer than configured: longer intervals are summed up. */
const windowMillisOf = (config: Config, { intervalSeconds }: TopOptions): number =>
  intervalSeconds === undefined
    ? config.windowMillis
    : Math.min(config.windowMillis, Math.round(intervalSeconds * MILLIS_PER_SECOND));

/** A terminal that cannot move its cursor gets lines, as a pipe does. */
const present = async (request: LiveRequest): Promise<Outcome> => {
  const { source, options, io } = request;
  const { stdout } = io;
  if (!(stdout instanceof WriteStream) || !stdout.isTTY || options.json) {
    return streamReports(source, options, io, undefined);
  }
  return options.once || io.env['TERM'] === 'dumb'
    ? streamReports(source, options, io, { columns: stdout.columns, rows: stdout.rows })
    : showLive(request, stdout);
};

const show = async (
  deps: ProgramDeps,
  config: Config,
  options: TopOptions,
  isJoinRequired: boolean,
): Promise<Outcome> => {
  const windowMillis = windowMillisOf(config, options);
  const source = await openSource(config, { isJoinRequired, windowMillis }, deps)();
  if (E.isLeft(source)) return failed(source.left);
  if (options.threadsOf !== undefined) source.right.setOptions({ threadsOf: options.threadsOf });
  return present({
    source: source.right,
    options,
    longestWindowMillis: config.windowMillis,
    io: deps.io,
  });
};

export const topCommand = (deps: ProgramDeps, finish: Finish): Command => {
  const command = addTopOptions(new Command()).addHelpText('after', EXAMPLES);
  const flags = addConfigFlags(command);
  return command.action(async (raw: RawTopOptions) => {
    const options = topOptionsOf(raw);
    if (options.isTree && !hasTree(options.grouping)) {
      const cause = `--tree has no meaning with --by ${options.grouping}`;
      return finish(
        usage({ what: 'parse arguments', cause, remedy: 'use --by process or --by cgroup' }),
      );
    }
    const config = configOfFlags(flags, deps.io.env);
    if (E.isLeft(config)) return finish(usage(...config.left));
    const isJoinRequired = flags.values.has('agent.socket_path');
    finish(await show(deps, config.right, options, isJoinRequired));
  });
};
