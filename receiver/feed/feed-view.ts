// SPDX-License-Identifier: Apache-2.0
/** A look at the feed as a document for people and scripts: names instead of numbers, watts. Pure. */
import {
  powerFeedCgroupFlag,
  powerFeedCgroupHalf,
  powerFeedClass,
  powerFeedCpuHalf,
  powerFeedLimit,
  powerFeedPackageFlag,
  powerFeedPackageHalf,
  powerFeedSource,
  powerFeedSplit,
  powerFeedState,
  powerFeedStateFlag,
  powerFeedStateHalf,
  powerFeedStatus,
  powerFeedTaskFlag,
} from '../../native/feed-layout.generated.js';
import type { FeedLook, FeedTask } from '../../policy/port.js';
import { readRecords, type RecordReader } from '../../policy/record-bytes.js';
import { escapeBytes } from '../model/escape.js';

export const FEED_SCHEMA = 1;

export interface FeedCgroupRow {
  readonly id: string;
  readonly watts: number;
  readonly budgetWatts: number | null;
  readonly budgetCgroupId: string | null;
  readonly overRatio: number | null;
  readonly burstMillis: number;
  readonly flags: readonly string[];
  readonly class: string;
  readonly dramWatts: number;
  readonly frequencySensitivity: number | null;
  readonly spinRatio: number | null;
  readonly energyPerInstructionNanojoules: number | null;
  readonly queueWaitRatio: number;
  readonly headroomBudgetWatts: number | null;
}

export interface FeedPackageRow {
  readonly packageId: number;
  readonly watts: number;
  readonly limitWatts: number | null;
  readonly headroomWatts: number | null;
  readonly idleFloorWatts: number | null;
  readonly dramWatts: number | null;
  readonly batchBudgetWatts: number | null;
  readonly predictionScale: number | null;
  readonly busyRatio: number;
}

export interface FeedCpuRow {
  readonly cpu: number;
  readonly packageId: number;
  readonly coreWatts: number | null;
  readonly frequencyKhz: number | null;
  readonly busyRatio: number;
  readonly siblingWatts: number;
  readonly idleCoreWatts: number;
  readonly idlePackageWatts: number;
}

export interface FeedTaskRow {
  readonly tid: number;
  readonly pid: number;
  readonly name: string;
  readonly cgroupId: string;
  readonly ageMillis: number;
  readonly joules: number;
  readonly runSeconds: number;
  readonly runWatts: number;
  readonly fastWatts: number;
  readonly slowWatts: number;
  readonly dramWatts: number;
  readonly queueWaitMillis: number;
  readonly class: string;
  readonly isCounted: boolean;
  readonly spinRatio: number | null;
  readonly frequencySensitivity: number | null;
  readonly smtPenalty: number | null;
  readonly energyPerInstructionNanojoules: number | null;
}

export interface FeedDocument {
  readonly schema: typeof FEED_SCHEMA;
  readonly directory: string;
  readonly status: keyof typeof powerFeedStatus;
  readonly isWithdrawn: boolean;
  readonly abi: string | null;
  readonly generation: string | null;
  readonly writerPid: number | null;
  readonly publishedAgoMillis: number | null;
  /** Negative: expired for that long. Null: withdrawn. */
  readonly validForMillis: number | null;
  readonly windowSeconds: number | null;
  readonly source: string | null;
  readonly split: string | null;
  readonly hasTasks: boolean;
  readonly referenceWatts: number | null;
  readonly packages: readonly FeedPackageRow[];
  readonly cpus: readonly FeedCpuRow[];
  readonly cgroups: readonly FeedCgroupRow[];
  readonly tasks?: readonly FeedTaskRow[];
}

const THOUSAND = 1000;
const MILLION = 1e6;
const BILLION = 1e9;

const nameOf = (values: Readonly<Record<string, number>>, value: number): string =>
  Object.entries(values).find(([, one]) => one === value)?.[0] ?? `unknown (${value})`;
const namesOf = (values: Readonly<Record<string, number>>, bits: number): readonly string[] =>
  Object.entries(values).flatMap(([name, bit]) => ((bits & bit) === 0 ? [] : [name]));
const orNull = (value: number): number | null => (value === 0 ? null : value);
const ratio16 = (permille: number): number | null =>
  permille === powerFeedLimit.unknown16 ? null : permille / THOUSAND;

type Members<L extends { readonly offset: object }> = RecordReader<keyof L['offset'] & string>;

const cgroupRow = (record: Members<typeof powerFeedCgroupHalf>): FeedCgroupRow => ({
  id: String(record.bigint('cgroupId')),
  watts: record.number('powerMw') / THOUSAND,
  budgetWatts: orNull(record.number('budgetMw') / THOUSAND),
  budgetCgroupId:
    record.bigint('budgetCgroupId') === 0n ? null : String(record.bigint('budgetCgroupId')),
  overRatio: record.number('budgetMw') === 0 ? null : record.number('overPermille') / THOUSAND,
  burstMillis: record.number('burstMs'),
  flags: namesOf(powerFeedCgroupFlag, record.number('flags')),
  class: nameOf(powerFeedClass, record.number('classId')),
  dramWatts: record.number('dramMw') / THOUSAND,
  frequencySensitivity: ratio16(record.number('frequencySensitivityPermille')),
  spinRatio: ratio16(record.number('spinPermille')),
  energyPerInstructionNanojoules: orNull(record.number('energyPerInstructionPj') / THOUSAND),
  queueWaitRatio: record.number('queueWaitUs') / MILLION,
  headroomBudgetWatts: orNull(record.number('headroomBudgetMw') / THOUSAND),
});

const packageRow = (
  record: Members<typeof powerFeedPackageHalf>,
  packageId: number,
): FeedPackageRow => {
  const hasLimit = (record.number('flags') & powerFeedPackageFlag.hasLimit) !== 0;
  return {
    packageId,
    watts: record.number('powerMw') / THOUSAND,
    limitWatts: hasLimit ? record.number('limitMw') / THOUSAND : null,
    headroomWatts: hasLimit ? record.number('headroomMw') / THOUSAND : null,
    idleFloorWatts: orNull(record.number('idleFloorMw') / THOUSAND),
    dramWatts: orNull(record.number('dramMw') / THOUSAND),
    batchBudgetWatts: hasLimit ? record.number('batchBudgetMw') / THOUSAND : null,
    predictionScale: orNull(record.number('predictionScalePermille') / THOUSAND),
    busyRatio: record.number('busyPermille') / THOUSAND,
  };
};

const cpuRow = (record: Members<typeof powerFeedCpuHalf>, cpu: number): FeedCpuRow => ({
  cpu,
  packageId: record.number('packageId'),
  coreWatts: orNull(record.number('coreMw') / THOUSAND),
  frequencyKhz: orNull(record.number('frequencyKhz')),
  busyRatio: record.number('busyPermille') / THOUSAND,
  siblingWatts: record.number('placeSiblingMw') / THOUSAND,
  idleCoreWatts: record.number('placeCoreMw') / THOUSAND,
  idlePackageWatts: record.number('placePackageMw') / THOUSAND,
});

/** Tasks whose entry a scheduler would take. */
export const taskRows = (tasks: readonly FeedTask[]): readonly FeedTaskRow[] =>
  tasks
    .filter(({ status }) => status === powerFeedStatus.ok)
    .map((task) => {
      const end = task.comm.indexOf(0);
      return {
        tid: task.tid,
        pid: task.tgid,
        name: escapeBytes(task.comm, 0, end < 0 ? task.comm.length : end),
        cgroupId: String(task.cgroupId),
        ageMillis: task.ageNanos / MILLION,
        joules: task.energyNanojoules / BILLION,
        runSeconds: task.runNanos / BILLION,
        runWatts: task.runMicrowatts / MILLION,
        fastWatts: task.fastMicrowatts / MILLION,
        slowWatts: task.slowMicrowatts / MILLION,
        dramWatts: task.dramMicrowatts / MILLION,
        queueWaitMillis: task.queueWaitNanos / MILLION,
        class: nameOf(powerFeedClass, task.classId),
        isCounted: (task.flags & powerFeedTaskFlag.counted) !== 0,
        spinRatio: ratio16(task.spinPermille),
        frequencySensitivity: ratio16(task.frequencySensitivityPermille),
        smtPenalty: ratio16(task.smtPenaltyPermille),
        energyPerInstructionNanojoules: orNull(task.energyPerInstructionPicojoules / THOUSAND),
      };
    })
    .toSorted((a, b) => b.slowWatts - a.slowWatts || a.tid - b.tid);

/** Without pins, with another version's, or before the first generation. */
export const emptyDocument = (directory: string, status: FeedDocument['status']): FeedDocument => ({
  schema: FEED_SCHEMA,
  directory,
  status,
  isWithdrawn: false,
  abi: null,
  generation: null,
  writerPid: null,
  publishedAgoMillis: null,
  validForMillis: null,
  windowSeconds: null,
  source: null,
  split: null,
  hasTasks: false,
  referenceWatts: null,
  packages: [],
  cpus: [],
  cgroups: [],
});

export const feedDocument = (
  directory: string,
  look: FeedLook,
  tasks: readonly FeedTask[] | undefined,
): FeedDocument => {
  const status = nameOf(powerFeedStatus, look.status);
  const empty = emptyDocument(directory, statusNamed(status));
  const [head] = readRecords(powerFeedState, look.state);
  const generation = head?.bigint('generation') ?? 0n;
  if (head === undefined || generation === 0n) return empty;
  const halves = readRecords(powerFeedStateHalf, look.state.subarray(powerFeedState.offset.half));
  const half = halves[Number(generation & 1n)];
  if (half === undefined) return empty;
  const flags = half.number('flags');
  const validUntil = half.bigint('validUntilNs');
  return {
    ...empty,
    isWithdrawn: (flags & powerFeedStateFlag.withdrawn) !== 0,
    abi: `${head.number('abiMajor')}.${head.number('abiMinor')}`,
    generation: String(generation),
    writerPid: head.number('writerPid'),
    publishedAgoMillis: Number(look.nowNanos - half.bigint('publishedNs')) / MILLION,
    validForMillis: validUntil === 0n ? null : Number(validUntil - look.nowNanos) / MILLION,
    windowSeconds: half.number('windowNs') / BILLION,
    source: nameOf(powerFeedSource, half.number('source')),
    split: nameOf(powerFeedSplit, half.number('split')),
    hasTasks: (flags & powerFeedStateFlag.hasTasks) !== 0,
    referenceWatts: half.number('referencePowerMw') / THOUSAND,
    packages: readRecords(powerFeedPackageHalf, look.packages).map(packageRow),
    cpus: readRecords(powerFeedCpuHalf, look.cpus).map(cpuRow),
    cgroups: readRecords(powerFeedCgroupHalf, look.cgroups)
      .filter((record) => record.bigint('cgroupId') !== 0n)
      .map(cgroupRow)
      .toSorted((a, b) => b.watts - a.watts),
    ...(tasks === undefined ? {} : { tasks: taskRows(tasks) }),
  };
};

const STATUSES: readonly FeedDocument['status'][] = ['ok', 'missing', 'foreign', 'expired', 'torn'];
const statusNamed = (name: string): FeedDocument['status'] =>
  STATUSES.find((one) => one === name) ?? 'missing';
