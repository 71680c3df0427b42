// SPDX-License-Identifier: Apache-2.0
/** `wattfeed record FILE`: every window's inputs as a trace, from the running agent or by own measuring. */
import { WriteStream } from 'node:tty';
import { Argument, Command, InvalidArgumentError, Option } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import type { Config } from '../config/config.js';
import type { Complaint } from '../model/errors.js';
import type { ReportSource } from '../model/report-source.js';
import { Recorder } from '../trace/recorder.js';
import { openTraceWriter, type TraceWriter } from '../trace/writer.js';
import { addConfigFlags, configOfFlags } from './config-flags.js';
import type { Finish, ProgramDeps } from './deps.js';
import type { CommandIo } from './io.js';
import { openSource } from './open-source.js';
import { FINE, failed, usage, type Outcome } from './outcome.js';

const EXAMPLES = `
Examples:
  wattfeed record trace.ndjson.gz --duration 300
  wattfeed record - | zstd > trace.ndjson.zst
  wattfeed replay trace.ndjson.gz

If an agent (wattfeed run) is on this host, its windows are recorded; if not,
record measures itself, which needs root. It ends after --duration, or at
Ctrl-C; the file is whole either way. A trace names the host's processes,
users and cgroups: it is made readable by its owner only.
docs/trace-format.md describes it.
`;

interface RawOptions {
  readonly duration?: number;
  readonly force?: true;
}

interface RecordRequest {
  readonly path: string;
  readonly durationSeconds: number | undefined;
  readonly isForced: boolean;
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const KIBIBYTE = 1024;
const LONGEST_SECONDS = 86_400 * 366;

const secondsOf = (text: string): number => {
  const seconds = Number(text);
  if (text.trim() === '' || !(seconds > 0 && seconds <= LONGEST_SECONDS))
    throw new InvalidArgumentError('a number of seconds');
  return seconds;
};

const sizeText = (bytes: number): string =>
  bytes < KIBIBYTE * KIBIBYTE
    ? `${(bytes / KIBIBYTE).toFixed(1)} KiB`
    : `${(bytes / KIBIBYTE / KIBIBYTE).toFixed(1)} MiB`;

const countText = (recorder: Recorder, writer: TraceWriter): string =>
  `${recorder.windows.toString()} windows, ${recorder.seconds().toFixed(1)} s, ` +
  `${sizeText(writer.bytes())} of JSON` +
  (recorder.skippedWindows === 0 ? '' : `, ${recorder.skippedWindows.toString()} gaps`);

/** One line that is written over on a terminal; nothing elsewhere. */
const progressOn = ({ stderr }: CommandIo): ((text: string) => void) =>
  stderr instanceof WriteStream && stderr.isTTY
    ? (text) => stderr.write(`\r\u001b[Krecording: ${text}`)
    : () => undefined;

const clearProgress = ({ stderr }: CommandIo): void => {
  if (stderr instanceof WriteStream && stderr.isTTY) stderr.write('\r\u001b[K');
};

/** Resolves when it is told to stop, the time is over, or nothing more will come (then: why). */
const followUntilEnd = async (
  source: ReportSource,
  writer: TraceWriter,
  { durationSeconds }: RecordRequest,
  io: CommandIo,
): Promise<{ readonly recorder: Recorder; readonly complaint: Complaint | undefined }> => {
  const progress = progressOn(io);
  let stop: (complaint?: Complaint) => void = () => undefined;
  const stopped = new Promise<Complaint | undefined>((resolve) => {
    stop = resolve;
  });
  const onSignal = (): void => stop();
  for (const signal of SIGNALS) process.on(signal, onSignal);
  const recorder: Recorder = new Recorder(writer, (seconds) => {
    progress(countText(recorder, writer));
    if (durationSeconds !== undefined && seconds >= durationSeconds) stop();
  });
  writer.onFailure(stop);
  source.onEnd(stop);
  const refused = source.record(recorder);
  const complaint = refused ?? (await stopped);
  await source.close();
  for (const signal of SIGNALS) process.removeListener(signal, onSignal);
  return { recorder, complaint };
};

const record = async (
  deps: ProgramDeps,
  config: Config,
  request: RecordRequest,
  isJoinRequired: boolean,
): Promise<Outcome> => {
  const { io } = deps;
  const { windowMillis } = config;
  const source = await openSource(config, { isJoinRequired, windowMillis }, deps)();
  if (E.isLeft(source)) return failed(source.left);
  const writer = await openTraceWriter({ ...request, stdout: io.stdout });
  if (E.isLeft(writer)) {
    await source.right.close();
    return failed(writer.left);
  }
  const { recorder, complaint } = await followUntilEnd(source.right, writer.right, request, io);
  recorder.finish();
  const written = await writer.right.close();
  clearProgress(io);
  // `head` has read enough.
  if (request.path === '-' && written?.cause === 'EPIPE') return FINE;
  const problem = written ?? complaint;
  if (written === undefined)
    io.stderr.write(`wattfeed: wrote ${request.path}: ${countText(recorder, writer.right)}\n`);
  return problem === undefined ? FINE : failed(problem);
};

export const recordCommand = (deps: ProgramDeps, finish: Finish): Command => {
  const command = new Command()
    .addArgument(new Argument('<file>', 'compressed if it ends in .gz; - is standard output'))
    .addOption(
      new Option('--duration <seconds>', 'default: until told to stop').argParser(secondsOf),
    )
    .option('--force', 'replace the file if it exists')
    .addHelpText('after', EXAMPLES);
  const flags = addConfigFlags(command);
  return command.action(async (path: string, raw: RawOptions) => {
    const config = configOfFlags(flags, deps.io.env);
    if (E.isLeft(config)) return finish(usage(...config.left));
    const isJoinRequired = flags.values.has('agent.socket_path');
    const request = { path, durationSeconds: raw.duration, isForced: raw.force === true };
    finish(await record(deps, config.right, request, isJoinRequired));
  });
};
