// SPDX-License-Identifier: Apache-2.0
import { Command } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import type { Config } from '../config/config.js';
import type { Complaint } from '../model/errors.js';
import type { ExplainTarget, Explanation } from '../model/explanation.js';
import type { ReportSource } from '../model/report-source.js';
import { addConfigFlags, configOfFlags } from './config-flags.js';
import type { Finish, ProgramDeps } from './deps.js';
import { renderExplanation } from './explain/render.js';
import { openSource } from './open-source.js';
import { failed, FINE, usage, type Outcome } from './outcome.js';

const EXAMPLES = `
Examples:
  wattfeed explain 812                     how process 812 came to its joules
  wattfeed explain --cgroup /system.slice/nginx.service
  wattfeed explain 812 --json | jq '.domains[].pools'

The worked example is of the next window in which it runs. If an agent runs
here, its numbers are shown; if not, explain measures for a few seconds itself,
which needs root. See docs/attribution.md for the mathematics.
`;

const PID = /^\d{1,7}$/;

const badArguments = (cause: string, remedy: string): Outcome =>
  usage({ what: 'parse arguments', cause, remedy });

const targetOf = (
  pidText: string | undefined,
  cgroup: string | undefined,
): E.Either<Outcome, ExplainTarget> => {
  if ((pidText === undefined) === (cgroup === undefined))
    return E.left(badArguments('explain needs a pid or --cgroup', 'give one of them'));
  if (pidText === undefined)
    return cgroup?.startsWith('/') === true
      ? E.right({ cgroup })
      : E.left(badArguments(`"${cgroup ?? ''}" is no cgroup path`, 'begin it with /'));
  return PID.test(pidText)
    ? E.right({ pid: Number(pidText) })
    : E.left(badArguments(`"${pidText}" is no pid`, 'give the number that top shows'));
};

const unknownEntity = (target: ExplainTarget): Complaint => ({
  what: 'pid' in target ? `explain process ${target.pid}` : `explain cgroup ${target.cgroup}`,
  cause: 'no such entity was charged since measuring began',
  remedy: 'see wattfeed top for those that were',
});

/** What came, or why nothing did: the source's end says more than an unknown entity. */
const ask = async (
  source: ReportSource,
  target: ExplainTarget,
): Promise<E.Either<Complaint, Explanation>> => {
  let ended: Complaint | undefined;
  const stop = source.onEnd((reason) => {
    ended = reason;
  });
  const explanation = await source.explain(target);
  stop();
  await source.close();
  if (explanation !== undefined) return E.right(explanation);
  return E.left(ended ?? unknownEntity(target));
};

const explain = async (
  deps: ProgramDeps,
  config: Config,
  target: ExplainTarget,
  { isJson, isJoinRequired }: { readonly isJson: boolean; readonly isJoinRequired: boolean },
): Promise<Outcome> => {
  const { windowMillis } = config;
  const source = await openSource(config, { isJoinRequired, windowMillis }, deps)();
  if (E.isLeft(source)) return failed(source.left);
  const explanation = await ask(source.right, target);
  if (E.isLeft(explanation)) return failed(explanation.left);
  deps.io.stdout.write(
    isJson
      ? `${JSON.stringify(explanation.right, null, 2)}\n`
      : renderExplanation(explanation.right),
  );
  return FINE;
};

export const explainCommand = (deps: ProgramDeps, finish: Finish): Command => {
  const command = new Command()
    .argument('[pid]', 'a process')
    .option('--cgroup <path>', 'a control group instead, as top shows it')
    .option('--json', 'print one JSON document')
    .addHelpText('after', EXAMPLES);
  const flags = addConfigFlags(command);
  return command.action(
    async (pid: string | undefined, { cgroup, json }: { cgroup?: string; json?: true }) => {
      const target = targetOf(pid, cgroup);
      if (E.isLeft(target)) return finish(target.left);
      const config = configOfFlags(flags, deps.io.env);
      if (E.isLeft(config)) return finish(usage(...config.left));
      const isJoinRequired = flags.values.has('agent.socket_path');
      finish(
        await explain(deps, config.right, target.right, { isJson: json === true, isJoinRequired }),
      );
    },
  );
};
