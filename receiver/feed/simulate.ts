// SPDX-License-Identifier: Apache-2.0
/** Publishes invented values through the real pins, labelled `simulated`, until told to stop or the steps are over. */
import { readdirSync } from 'node:fs';
import * as E from 'fp-ts/lib/Either.js';
import {
  powerFeedCgroupFlag,
  powerFeedCgroupHalf,
  powerFeedLimit,
  powerFeedPackageFlag,
  powerFeedPackageHalf,
  powerFeedSource,
  powerFeedStateFlag,
  powerFeedStateHalf,
  powerFeedTask,
} from '../../native/feed-layout.generated.js';
import type { FeedHalves, FeedPublisher } from '../../policy/port.js';
import { encodeRecords } from '../../policy/record-bytes.js';
import type { NativeError } from '../activity/port.js';
import { readText } from '../host/files.js';
import type { SetLine } from './set-lines.js';

/** Values of everything that was set so far, by kind and id. */
export type Settings = ReadonlyMap<string, SetLine>;

export const withLines = (settings: Settings, lines: readonly SetLine[]): Settings => {
  const next = new Map(settings);
  for (const line of lines) {
    const key = `${line.kind}:${line.id}`;
    const values = new Map([...(next.get(key)?.values ?? []), ...line.values]);
    next.set(key, { ...line, values });
  }
  return next;
};

const UNKNOWN16 = powerFeedLimit.unknown16;
const DEFAULT_REFERENCE_MW = 4000;
const MICROWATTS_PER_MILLIWATT = 1000;

const ofKind = (settings: Settings, kind: SetLine['kind']): readonly SetLine[] =>
  [...settings.values()].filter((line) => line.kind === kind);

const cgroupRecord = ({ id, values }: SetLine, index: number) => {
  const value = (key: string): number => values.get(key) ?? 0;
  const hasBudget = value('budget_mw') > 0;
  return {
    cgroupId: BigInt(id),
    budgetCgroupId: hasBudget ? BigInt(id) : 0n,
    powerMw: value('power_mw'),
    budgetMw: value('budget_mw'),
    overPermille: value('over_permille'),
    burstMs: value('burst_ms'),
    flags:
      (value('over') > 0 ? powerFeedCgroupFlag.overBudget : 0) |
      (value('soft') > 0 ? powerFeedCgroupFlag.workConserving : 0) |
      (value('batch') > 0 ? powerFeedCgroupFlag.batch : 0),
    classId: value('class'),
    headroomBudgetMw: value('headroom_budget_mw'),
    frequencySensitivityPermille: UNKNOWN16,
    spinPermille: UNKNOWN16,
    budgetIndex: hasBudget ? index : UNKNOWN16,
  };
};

const packageRecord = ({ values }: SetLine) => {
  const [power, limit] = [values.get('power_mw') ?? 0, values.get('limit_mw') ?? 0];
  return {
    powerMw: power,
    limitMw: limit,
    headroomMw: limit - power,
    overMw: limit > 0 ? power - limit : 0,
    flags: limit > 0 ? powerFeedPackageFlag.hasLimit : 0,
  };
};

export const simulatedHalves = (
  settings: Settings,
  nowNanos: bigint,
  validNanos: bigint,
): FeedHalves => {
  const cgroups = ofKind(settings, 'cgroup').map(cgroupRecord);
  const lines = ofKind(settings, 'package').filter(
    ({ id }) => Number(id) < powerFeedLimit.packagesMax,
  );
  const byId = new Map(lines.map((line) => [Number(line.id), packageRecord(line)]));
  const packageCount = lines.length === 0 ? 0 : Math.max(...byId.keys()) + 1;
  return {
    cgroups: encodeRecords(powerFeedCgroupHalf, cgroups),
    packages: encodeRecords(
      powerFeedPackageHalf,
      Array.from({ length: packageCount }, (_, at) => byId.get(at) ?? {}),
    ),
    cpus: new Uint8Array(),
    state: encodeRecords(powerFeedStateHalf, [
      {
        publishedNs: nowNanos,
        validUntilNs: nowNanos + validNanos,
        source: powerFeedSource.simulated,
        flags: powerFeedStateFlag.hasTasks,
        cgroupCount: cgroups.length,
        packageCount,
        referencePowerMw:
          settings.get('state:')?.values.get('reference_power_mw') ?? DEFAULT_REFERENCE_MW,
      },
    ]),
  };
};

/** Time on a CPU of one thread, nanoseconds; undefined: it is gone. */
const runNanosOf = (pid: string, tid: string): bigint | undefined => {
  const text = readText(`/proc/${pid}/task/${tid}/schedstat`);
  const first = E.isRight(text) ? /^\d+/.exec(text.right)?.[0] : undefined;
  return first === undefined ? undefined : BigInt(first);
};

const threadsOf = (pid: string): readonly string[] =>
  E.getOrElse((): readonly string[] => [])(
    E.tryCatch(
      () => readdirSync(`/proc/${pid}/task`),
      () => undefined,
    ),
  );

/** Energy is the thread's real CPU time at the invented power: then a scheduler's settling comes out right. */
const taskEntry = ({ values }: SetLine, runNanos: bigint, nowNanos: bigint): Uint8Array => {
  const microwatts = (values.get('power_mw') ?? 0) * MICROWATTS_PER_MILLIWATT;
  return encodeRecords(powerFeedTask, [
    {
      updatedNs: nowNanos,
      foldedNs: nowNanos,
      runNs: runNanos,
      // uW x ns = fJ
      energyNj: (runNanos * BigInt(Math.round(microwatts))) / 1_000_000n,
      runPowerUw: microwatts,
      powerFastUw: microwatts,
      powerSlowUw: microwatts,
      classId: values.get('class') ?? 0,
      spinPermille: values.get('spin_permille') ?? UNKNOWN16,
      frequencySensitivityPermille: UNKNOWN16,
      smtPenaltyPermille: UNKNOWN16,
    },
  ]);
};

const tgidOf = (tid: string): string => {
  const status = readText(`/proc/${tid}/status`);
  return (E.isRight(status) ? /^Tgid:\s*(\d+)/m.exec(status.right)?.[1] : undefined) ?? tid;
};

/** Sets every thread that is meant; returns how many there were. Threads that are gone are no error. */
export const setTasks = (
  publisher: FeedPublisher,
  settings: Settings,
  nowNanos: bigint,
): E.Either<NativeError, number> => {
  let count = 0;
  const targets = [
    ...ofKind(settings, 'pid').flatMap((line) =>
      threadsOf(line.id).map((tid) => ({ line, pid: line.id, tid })),
    ),
    ...ofKind(settings, 'tid').map((line) => ({ line, pid: tgidOf(line.id), tid: line.id })),
  ];
  for (const { line, pid, tid } of targets) {
    const runNanos = runNanosOf(pid, tid);
    if (runNanos === undefined) continue;
    const set = publisher.setTask(Number(tid), 0, taskEntry(line, runNanos, nowNanos));
    if (E.isLeft(set)) return set;
    count += set.right;
  }
  return E.right(count);
};
