// SPDX-License-Identifier: Apache-2.0
import { Command } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import type { Config } from '../config/config.js';
import { readText } from '../host/files.js';
import type { Complaint } from '../model/errors.js';
import type { ExplainTarget, Explanation } from '../model/explanation.js';
import type { ReportSource } from '../model/report-source.js';
import { addConfigFlags, configOfFlags } from './config-flags.js';
import type { Finish, ProgramDeps } from './deps.js';
import {
  identityOfPath,
  pathBelowMount,
  renderIdentity,
  type PrintedIdentity,
} from './explain/identity.js';
import { renderExplanation } from './explain/render.js';
import { openSource } from './open-source.js';
import { failed, FINE, usage, type Outcome } from './outcome.js';

const EXAMPLES = `
Examples:
  wattfeed explain 812                     how process 812 came to its joules
  wattfeed explain --cgroup /system.slice/nginx.service
  wattfeed explain 812 --json | jq '.domains[].pools'

First whose joules they are: what the control group's path says, and which rule
says it; any path can be asked for. The worked example is of the next window in
which it runs. If an agent runs here, its numbers are shown; if not, explain
measures for a few seconds itself, which needs root. See docs/attribution.md
for the mathematics.
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

/** Somebody may paste the directory's whole path. */
const belowMount = (target: ExplainTarget, { roots }: Config): ExplainTarget =>
  'cgroup' in target ? { cgroup: pathBelowMount(target.cgroup, roots.cgroup) } : target;

const NOT_CHARGED = 'no such entity was charged since measuring began';

/** `procfs` tells a process that sleeps from one that is not there. */
const unknownEntity = (target: ExplainTarget, procfs: string): Complaint => {
  const remedy = 'see wattfeed top for those that were';
  if ('cgroup' in target)
    return { what: `explain cgroup ${target.cgroup}`, cause: NOT_CHARGED, remedy };
  const what = `explain process ${target.pid}`;
  return E.isRight(readText(`${procfs}/${target.pid}/comm`))
    ? { what, cause: 'it has not run since measuring began', remedy: 'ask again when it has' }
    : { what, cause: `there is no such process, and ${NOT_CHARGED}`, remedy };
};

/** What came, or why nothing did: the source's end says more than an unknown entity. */
const ask = async (
  source: ReportSource,
  target: ExplainTarget,
  procfs: string,
): Promise<E.Either<Complaint, Explanation>> => {
  let ended: Complaint | undefined;
  const stop = source.onEnd((reason) => {
    ended = reason;
  });
  const explanation = await source.explain(target);
  stop();
  await source.close();
  if (explanation !== undefined) return E.right(explanation);
  return E.left(ended ?? unknownEntity(target, procfs));
};

const explain = async (
  deps: ProgramDeps,
  config: Config,
  target: ExplainTarget,
  { isJson, isJoinRequired }: { readonly isJson: boolean; readonly isJoinRequired: boolean },
): Promise<Outcome> => {
  const { windowMillis } = config;
  const show = (explanation: Explanation | undefined, path: string | undefined): void => {
    if (path === undefined) return;
    deps.io.stdout.write(explanationText(explanation, identityOfPath(path), isJson));
  };
  const path = 'cgroup' in target ? target.cgroup : undefined;
  const source = await openSource(config, { isJoinRequired, windowMillis }, deps)();
  if (E.isLeft(source)) {
    // What a path says needs nobody who measures.
    show(undefined, path);
    return failed(source.left);
  }
  const explanation = await ask(source.right, target, config.roots.procfs);
  if (E.isLeft(explanation)) {
    show(undefined, path);
    return failed(explanation.left);
  }
  show(explanation.right, explanation.right.entity.cgroup);
  return FINE;
};

const explanationText = (
  explanation: Explanation | undefined,
  identity: PrintedIdentity,
  isJson: boolean,
): string => {
  if (isJson) return `${JSON.stringify({ ...explanation, identity }, null, 2)}\n`;
  const worked = explanation === undefined ? '' : `\n${renderExplanation(explanation)}`;
  return `${renderIdentity(identity)}${worked}`;
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
      const asked = belowMount(target.right, config.right);
      const isJoinRequired = flags.values.has('agent.socket_path');
      finish(await explain(deps, config.right, asked, { isJson: json === true, isJoinRequired }));
    },
  );
};
