// SPDX-License-Identifier: Apache-2.0
/** A trace file through a replay, line by line. */
import * as E from 'fp-ts/lib/Either.js';
import type { Readable } from 'node:stream';
import type { Complaint } from '../model/errors.js';
import { traceLines } from './lines.js';
import { parseLine } from './parse-line.js';
import { Replay, type ReplayOptions } from './replay.js';
import type { LineProblem } from './replay-report.js';

export interface ReplayedFile {
  readonly replay: Replay;
  /** The first ones. */
  readonly problems: readonly LineProblem[];
  /** Lines passed over: as many as problems, or more. */
  readonly lostLines: number;
}

export interface FileOptions extends ReplayOptions {
  readonly path: string;
  readonly stdin: Readable;
  /** Called now and then with the number of windows so far. */
  readonly onProgress: (windows: number) => void;
}

/** Problems kept; more are only counted. */
const MOST_PROBLEMS = 100;
const PROGRESS_LINES = 64;

const complaintOf = (path: string, { line, cause }: LineProblem, isHeader: boolean): Complaint => ({
  what: `read ${path} line ${line.toString()}`,
  cause,
  remedy: isHeader
    ? 'docs/trace-format.md says what a trace must hold'
    : '--lenient passes over such lines and uses the rest',
});

const unreadable = (path: string, cause: string): Complaint => ({
  what: `read ${path === '-' ? 'standard input' : path}`,
  cause,
  remedy: 'give a file that wattfeed record wrote; see docs/trace-format.md',
});

/** Left: the first line that cannot be used; with `isLenient` only where nothing can be done without it. */
export const replayFile = async (
  options: FileOptions,
): Promise<E.Either<Complaint, ReplayedFile>> => {
  const { path, stdin, isLenient } = options;
  const replay = new Replay(options);
  const problems: LineProblem[] = [];
  let lostLines = 0;
  for await (const item of traceLines(path, stdin)) {
    const parsed = item.type === 'broken' ? E.left({ cause: item.cause }) : parseLine(item.text);
    const taken = E.isLeft(parsed) ? parsed : replay.take(parsed.right);
    if (item.number % PROGRESS_LINES === 0) options.onProgress(replay.windows);
    if (E.isRight(taken)) continue;
    const problem = { line: item.number, cause: taken.left.cause };
    const isHeader = replay.state === undefined;
    if (item.type === 'broken' && item.isFile && (!isLenient || isHeader))
      return E.left(unreadable(path, item.cause));
    if (!isLenient || isHeader) return E.left(complaintOf(path, problem, isHeader));
    replay.lose();
    lostLines += 1;
    if (problems.length < MOST_PROBLEMS) problems.push(problem);
  }
  replay.finish();
  if (replay.state === undefined) return E.left(unreadable(path, 'the trace is empty'));
  return E.right({ replay, problems, lostLines });
};
