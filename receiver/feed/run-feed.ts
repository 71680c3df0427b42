// SPDX-License-Identifier: Apache-2.0
/** `wattfeed feed`: shows the pinned maps, once or again and again; or publishes invented values. */
import { setTimeout as wait } from 'node:timers/promises';
import * as E from 'fp-ts/lib/Either.js';
import type * as TE from 'fp-ts/lib/TaskEither.js';
import { activityPort, feedPort } from '../../native/index.js';
import type { FeedPort, FeedPublisher } from '../../policy/port.js';
import type { NativeError } from '../activity/port.js';
import { feedDirectory } from '../agent/power-feed.js';
import { makePinDirectory } from '../agent/pin-directory.js';
import type { Config } from '../config/config.js';
import { namedFileCause, readNamedFile } from '../host/regular-file.js';
import type { Complaint } from '../model/errors.js';
import { feedText } from './feed-text.js';
import { emptyDocument, feedDocument, type FeedDocument } from './feed-view.js';
import { parseRecordedFile } from './recorded.js';
import { parseSetFile, parseSetLine, type SetStep } from './set-lines.js';
import { setTasks, simulatedHalves, withLines, type Settings } from './simulate.js';

export interface FeedOptions {
  readonly json: boolean;
  readonly tasks: boolean;
  /** Undefined: once. */
  readonly watchSeconds: number | undefined;
  readonly set: readonly string[];
  readonly simulateFile: string | undefined;
  /** Undefined: until a signal. */
  readonly forSeconds: number | undefined;
}

export interface FeedIo {
  readonly write: (text: string) => void;
  readonly note: (text: string) => void;
  readonly stopped: () => Promise<string>;
  readonly monotonicNanos: () => bigint;
}

const PUBLISH_EVERY_MILLIS = 100;
const VALID_NANOS = 1_000_000_000n;
const MILLIS_PER_SECOND = 1000;
/** An hour of recorded looks at a hundred tasks each. */
const MAX_SIMULATION_BYTES = 256 * 1024 * 1024;

const complaintOf = ({ operation, code, detail }: NativeError): Complaint => ({
  what: operation,
  cause: detail === '' ? code : `${code} (${detail.trim().split('\n').at(-1) ?? ''})`,
  remedy: code === 'EPERM' || code === 'EACCES' ? 'run as root' : 'see wattfeed check',
});

const lookOnce = (
  port: FeedPort,
  directory: string,
  wantsTasks: boolean,
): E.Either<Complaint, FeedDocument> => {
  const opened = port.openReader(directory);
  if (E.isLeft(opened)) {
    const { code } = opened.left;
    if (code === 'ENOENT') return E.right(emptyDocument(directory, 'missing'));
    if (code === 'EPROTO') return E.right(emptyDocument(directory, 'foreign'));
    return E.left(complaintOf(opened.left));
  }
  const reader = opened.right;
  try {
    const look = reader.read();
    if (E.isLeft(look)) return E.left(complaintOf(look.left));
    const tasks = wantsTasks ? reader.tasks() : undefined;
    if (tasks !== undefined && E.isLeft(tasks)) return E.left(complaintOf(tasks.left));
    return E.right(feedDocument(directory, look.right, tasks?.right));
  } finally {
    reader.close();
  }
};

/** True: the last look found a feed that holds. */
const show = async (
  port: FeedPort,
  directory: string,
  options: FeedOptions,
  io: FeedIo,
): Promise<E.Either<Complaint, boolean>> => {
  const stop = { isWanted: false };
  const stopped = io.stopped().then(() => {
    stop.isWanted = true;
  });
  for (;;) {
    const document = lookOnce(port, directory, options.tasks);
    if (E.isLeft(document)) return document;
    io.write(options.json ? `${JSON.stringify(document.right)}\n` : feedText(document.right));
    if (options.watchSeconds === undefined) return E.right(document.right.status === 'ok');
    if (!options.json) io.write('\n');
    await Promise.race([stopped, wait(options.watchSeconds * MILLIS_PER_SECOND)]);
    if (stop.isWanted) return E.right(true);
  }
};

const stepsOf = ({ set, simulateFile }: FeedOptions): E.Either<Complaint, readonly SetStep[]> => {
  const lines = [];
  for (const text of set) {
    const parsed = parseSetLine(text);
    if (E.isLeft(parsed)) return parsed;
    lines.push(parsed.right);
  }
  const given: readonly SetStep[] = [{ atSeconds: 0, lines }];
  if (simulateFile === undefined) return E.right(given);
  const text = readNamedFile(simulateFile, MAX_SIMULATION_BYTES);
  if (E.isLeft(text))
    return E.left({
      what: `read ${simulateFile}`,
      cause: namedFileCause(text.left),
      remedy: 'give a file that can be read',
      isUsage: true,
    });
  const parse = text.right.trimStart().startsWith('{') ? parseRecordedFile : parseSetFile;
  const steps = parse(text.right);
  return E.isLeft(steps) ? steps : E.right([...given, ...steps.right]);
};

/** The publisher's lock, so that a running agent is never overwritten. */
const admitSimulation = (
  port: FeedPort,
  pinDirectory: string,
): E.Either<Complaint, FeedPublisher> => {
  const made = makePinDirectory(pinDirectory);
  if (E.isLeft(made)) return made;
  const activity = activityPort();
  if (E.isLeft(activity)) return E.left(complaintOf(activity.left));
  const locked = activity.right.lockDirectory(pinDirectory);
  if (E.isLeft(locked))
    return E.left({
      what: `lock ${pinDirectory}`,
      cause:
        locked.left.code === 'EAGAIN'
          ? `an agent publishes here${locked.left.detail === '' ? '' : ` (pid ${locked.left.detail})`}`
          : locked.left.code,
      remedy: 'stop it first, or give another --agent-pin-directory',
    });
  const opened = port.openPublisher(feedDirectory(pinDirectory), true);
  return E.isLeft(opened) ? E.left(complaintOf(opened.left)) : E.right(opened.right.publisher);
};

const simulate = async (
  publisher: FeedPublisher,
  steps: readonly SetStep[],
  options: FeedOptions,
  io: FeedIo,
): Promise<E.Either<Complaint, boolean>> => {
  const began = performance.now();
  const stop = { isWanted: false };
  void io.stopped().then(() => {
    stop.isWanted = true;
  });
  let settings: Settings = new Map();
  let done = 0;
  while (!stop.isWanted) {
    const elapsedSeconds = (performance.now() - began) / MILLIS_PER_SECOND;
    if (options.forSeconds !== undefined && elapsedSeconds >= options.forSeconds) break;
    for (
      let step = steps[done];
      step !== undefined && step.atSeconds <= elapsedSeconds;
      step = steps[done]
    ) {
      settings = withLines(settings, step.lines);
      done += 1;
    }
    const now = io.monotonicNanos();
    const published = publisher.publish(simulatedHalves(settings, now, VALID_NANOS));
    if (E.isLeft(published)) return E.left(complaintOf(published.left));
    const set = setTasks(publisher, settings, now);
    if (E.isLeft(set)) return E.left(complaintOf(set.left));
    await wait(PUBLISH_EVERY_MILLIS);
  }
  return E.right(true);
};

/** Right(false): there is no feed that a scheduler would take. */
export const runFeed =
  (config: Config, options: FeedOptions, io: FeedIo): TE.TaskEither<Complaint, boolean> =>
  async () => {
    const port = feedPort();
    if (E.isLeft(port)) return E.left(complaintOf(port.left));
    const { pinDirectory } = config.agent;
    if (options.set.length === 0 && options.simulateFile === undefined)
      return show(port.right, feedDirectory(pinDirectory), options, io);
    const steps = stepsOf(options);
    if (E.isLeft(steps)) return steps;
    const publisher = admitSimulation(port.right, pinDirectory);
    if (E.isLeft(publisher)) return publisher;
    io.note(`publishing simulated values in ${feedDirectory(pinDirectory)}\n`);
    try {
      return await simulate(publisher.right, steps.right, options, io);
    } finally {
      publisher.right.withdraw();
      publisher.right.close();
    }
  };
