// SPDX-License-Identifier: Apache-2.0
/** `wattfeed replay FILE`: attribution on a recorded trace, without a kernel. */
import { WriteStream } from 'node:tty';
import { Argument, Command, Option } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import { namedFileCause, readNamedFile } from '../host/regular-file.js';
import type { Complaint } from '../model/errors.js';
import { replayFile } from '../trace/replay-file.js';
import { replayReport } from '../trace/replay-report.js';
import {
  REPLAY_IDLE_POLICIES,
  REPLAY_MODELS,
  isOverriding,
  parseCoefficients,
  pipelineOptionsOf,
  type SplitOverrides,
} from '../trace/settings.js';
import type { Finish, ProgramDeps } from './deps.js';
import type { CommandIo } from './io.js';
import { FINE, failed, usage, type Outcome } from './outcome.js';

const EXAMPLES = `
Examples:
  wattfeed replay trace.ndjson.gz | jq .conservation
  wattfeed replay trace.ndjson --model time        by CPU time instead
  wattfeed replay trace.ndjson --idle-policy equal
  wattfeed replay trace.ndjson --coefficients default
  wattfeed replay cut.ndjson --lenient             the rest of a damaged file
  zstdcat trace.zst | wattfeed replay -

Energies are decimal strings of whole microjoules, so that sums can be checked.
If the trace was recorded by an agent and nothing is overridden, "live" says
whether the replay gave the same as the agent, window by window.

Exit code 1: the trace cannot be used, or a window does not close.
`;

interface RawOptions {
  readonly model?: (typeof REPLAY_MODELS)[number];
  readonly idlePolicy?: (typeof REPLAY_IDLE_POLICIES)[number];
  readonly coefficients?: string;
  readonly lenient?: true;
}

const coefficientsOf = (
  choice: string,
): E.Either<Complaint, NonNullable<SplitOverrides['coefficients']>> => {
  if (choice === 'default' || choice === 'learn') return E.right(choice);
  const what = `read ${choice}`;
  const wrong = (cause: string): E.Either<Complaint, never> =>
    E.left({
      what,
      cause,
      remedy:
        'give default, learn or a file {"default": {"cycleNanojoules": 0.6, …}}; see docs/trace-format.md',
      isUsage: true,
    });
  const text = readNamedFile(choice);
  if (E.isLeft(text)) return wrong(namedFileCause(text.left));
  const json = E.tryCatch(
    (): unknown => JSON.parse(text.right),
    () => 'not JSON',
  );
  if (E.isLeft(json)) return wrong(json.left);
  const parsed = parseCoefficients(json.right);
  return E.isLeft(parsed) ? wrong(parsed.left) : parsed;
};

const overridesOf = (raw: RawOptions): E.Either<Complaint, SplitOverrides> => {
  const choices = {
    ...(raw.model === undefined ? {} : { model: raw.model }),
    ...(raw.idlePolicy === undefined ? {} : { idlePolicy: raw.idlePolicy }),
  };
  if (raw.coefficients === undefined) return E.right(choices);
  const coefficients = coefficientsOf(raw.coefficients);
  return E.isLeft(coefficients)
    ? coefficients
    : E.right({ ...choices, coefficients: coefficients.right });
};

/** On a terminal only: a pipe's log has no use for it. */
const progressOn = ({ stderr }: CommandIo): ((windows: number) => void) =>
  stderr instanceof WriteStream && stderr.isTTY
    ? (windows) => stderr.write(`\rreplaying: ${windows.toString()} windows `)
    : () => undefined;

const replay = async (io: CommandIo, path: string, raw: RawOptions): Promise<Outcome> => {
  const overrides = overridesOf(raw);
  if (E.isLeft(overrides)) return usage(overrides.left);
  const onProgress = progressOn(io);
  const replayed = await replayFile({
    path,
    stdin: io.stdin,
    isLenient: raw.lenient === true,
    setup: pipelineOptionsOf(overrides.right),
    isOverridden: isOverriding(overrides.right),
    usesRecordedCoefficients: overrides.right.coefficients === undefined,
    onProgress,
  });
  if (E.isLeft(replayed)) return failed(replayed.left);
  const { replay: done, problems, lostLines } = replayed.right;
  const report = replayReport(done, { path, problems, lostLines });
  io.stdout.write(`${JSON.stringify(report, undefined, 2)}\n`);
  if (report.conservation.closes) return FINE;
  const [defect] = report.conservation.defects;
  return failed({
    what: `replay ${path}`,
    cause: `does not close: ${defect ?? 'sums of entities differ from the domains'}`,
    remedy: 'this is a defect of wattfeed: send the trace',
  });
};

export const replayCommand = ({ io }: ProgramDeps, finish: Finish): Command =>
  new Command()
    .addArgument(new Argument('<file>', 'a trace; .gz is unpacked, - is standard input'))
    .addOption(new Option('--model <model>', 'how energy is split').choices(REPLAY_MODELS))
    .addOption(
      new Option('--idle-policy <policy>', 'who pays for idle').choices(REPLAY_IDLE_POLICIES),
    )
    .option('--coefficients <which>', 'default, learn (from the trace itself), or a JSON file')
    .option('--lenient', 'pass over lines that cannot be used')
    .addHelpText('after', EXAMPLES)
    .action(async (path: string, raw: RawOptions) => finish(await replay(io, path, raw)));
