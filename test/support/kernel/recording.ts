// SPDX-License-Identifier: Apache-2.0
/** A session on the real kernel whose windows are decoded and kept, with the sums tests ask for. */
import * as E from 'fp-ts/lib/Either.js';
import type * as TE from 'fp-ts/lib/TaskEither.js';
import { activityPort } from '../../../native/index.js';
import * as layout from '../../../native/layout.generated.js';
import { batchDecoder } from '../../../receiver/activity/decode.js';
import type { ActivitySession, SessionOptions } from '../../../receiver/activity/port.js';
import type { ActivityWindow, CpuSample, TaskSample } from '../../../receiver/model/activity.js';
import { cgroupHierarchy } from './cgroup.js';
import { possibleCpus, readCounts, type TaskCounts } from './proc.js';
import { untilDefined } from '../until.js';

const WINDOW_MILLIS = 200;
const SLEEPS_WITHIN_MILLIS = 20_000;

export interface Recording {
  readonly session: ActivitySession;
  /** Grows with each window. */
  readonly windows: readonly ActivityWindow[];
  closeWindow(): Promise<void>;
  /** Detaches, takes the final window. Twice is fine. */
  close(): Promise<void>;
}

export interface RecordingOptions extends Partial<SessionOptions> {
  readonly windowMillis?: number;
}

/** The value, or the error as a failed test. */
export const ok = <Left, Right>(either: E.Either<Left, Right>): Right => {
  if (E.isLeft(either)) throw new Error(JSON.stringify(either.left));
  return either.right;
};

const run = async <Left, Right>(task: TE.TaskEither<Left, Right>): Promise<Right> =>
  ok(await task());

const cpuTable = (value: number): number[] => Array.from({ length: possibleCpus() }, () => value);

export const startRecording = async ({
  windowMillis = WINDOW_MILLIS,
  ...options
}: RecordingOptions = {}): Promise<Recording> => {
  const session = await run(
    ok(activityPort()).open({
      maxTasks: 65_536,
      cpuDomains: cpuTable(0),
      smtSiblings: cpuTable(-1),
      cgroupHierarchy,
      bpfStats: false,
      ...options,
    }),
  );
  const decode = batchDecoder(layout);
  const windows: ActivityWindow[] = [];
  ok(
    session.start({ windowMillis, sources: [], wakeEvery: 1 }, (batch) => {
      windows.push(...ok(decode(batch)));
    }),
  );
  return {
    session,
    windows,
    closeWindow: () => run(session.closeWindow()),
    close: () => run(session.close()),
  };
};

export const tasksOf = (
  { windows }: Pick<Recording, 'windows'>,
  wanted: (task: TaskSample) => boolean,
): readonly TaskSample[] => windows.flatMap(({ tasks }) => tasks.filter(wanted));

export const sum = <Row>(rows: readonly Row[], value: (row: Row) => number): number =>
  rows.reduce((total, row) => total + value(row), 0);

export const runtimeNanosOf = (rows: readonly TaskSample[]): number =>
  sum(rows, ({ runtimeNanos }) => runtimeNanos);

/** Both sides of the identity that must hold exactly once the recording is closed. */
export const totals = ({ windows }: Recording) => {
  const cpus = windows.flatMap((window) => window.cpus);
  const cpuSum = (value: (cpu: CpuSample) => number): number => sum(cpus, value);
  return {
    taskNanos: cpuSum(({ taskNanos }) => taskNanos),
    slotNanos: runtimeNanosOf(windows.flatMap(({ tasks }) => tasks)),
    unslottedNanos: cpuSum(({ unslottedNanos }) => unslottedNanos),
    overflowNanos: cpuSum(({ overflowNanos }) => overflowNanos),
    stats: {
      exits: cpuSum(({ stats }) => stats.exits),
      slotsExhausted: cpuSum(({ stats }) => stats.slotsExhausted),
      storageFailed: cpuSum(({ stats }) => stats.storageFailed),
      cgroupMoves: cpuSum(({ stats }) => stats.cgroupMoves),
      overflowCgroupFull: cpuSum(({ stats }) => stats.overflowCgroupFull),
    },
  };
};

/** (tgid, leader's start): what names a process for ever. */
export const processesOf = (rows: readonly TaskSample[]): ReadonlySet<string> =>
  new Set(rows.map((row) => `${String(row.tgid)}@${String(row.processStartBoottimeNanos)}`));

/**
 * What the kernel says of a sleeping task, with a window closed in between two equal readings: what
 * was recorded of the task up to then belongs to exactly these counts.
 */
export const closeWindowAsleep = async (recording: Recording, pid: number): Promise<TaskCounts> =>
  untilDefined(
    `${String(pid)} to sleep`,
    async () => {
      const before = readCounts(pid);
      await recording.closeWindow();
      const after = readCounts(pid);
      const isStill =
        before.voluntarySwitches + before.involuntarySwitches ===
        after.voluntarySwitches + after.involuntarySwitches;
      return isStill && before.state === 'S' && after.state === 'S' ? after : undefined;
    },
    { deadlineMillis: SLEEPS_WITHIN_MILLIS, everyMillis: 20 },
  );
