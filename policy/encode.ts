// SPDX-License-Identifier: Apache-2.0
/** A policy as the records of power_feed.h. Pure. */
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
  powerFeedStateFlag,
  powerFeedStateHalf,
} from '../native/feed-layout.generated.js';
import type { CgroupPolicy, CpuPolicy, PackagePolicy, Policy, WorkloadClass } from './policy.js';
import type { FeedHalves } from './port.js';
import { encodeRecords } from './record-bytes.js';

const MILLIWATTS_PER_WATT = 1000;
const PERMILLE = 1000;
const PICOJOULES_PER_NANOJOULE = 1000;
const MICROS_PER_SECOND = 1e6;
const NANOS_PER_SECOND = 1e9;
const UNKNOWN16 = powerFeedLimit.unknown16;

export const CLASS_IDS: Readonly<Record<WorkloadClass, number>> = {
  unknown: powerFeedClass.unknown,
  compute: powerFeedClass.compute,
  'memory-bound': powerFeedClass.memoryBound,
  spinning: powerFeedClass.spinning,
  latency: powerFeedClass.latency,
};

const milliwatts = (watts: number | undefined): number => (watts ?? 0) * MILLIWATTS_PER_WATT;
const permille = (ratio: number | undefined): number => (ratio ?? 0) * PERMILLE;
/** Where zero is a value of its own. */
const permilleOrUnknown = (ratio: number | undefined): number =>
  ratio === undefined ? UNKNOWN16 : Math.min(UNKNOWN16 - 1, Math.max(0, ratio * PERMILLE));
const bits = (flags: readonly (readonly [boolean, number])[]): number =>
  flags.reduce((sum, [isSet, bit]) => (isSet ? sum | bit : sum), 0);

const cgroupRecord = (policy: CgroupPolicy, indexOf: ReadonlyMap<bigint, number>) => ({
  cgroupId: policy.id,
  budgetCgroupId: policy.budgetOwner ?? 0n,
  powerMw: milliwatts(policy.watts),
  // a budget that rounds to nothing would mean none
  budgetMw: policy.budgetWatts === undefined ? 0 : Math.max(1, milliwatts(policy.budgetWatts)),
  overPermille: permille(policy.overRatio),
  burstMs: policy.burstMillis,
  flags: bits([
    [policy.isOverBudget, powerFeedCgroupFlag.overBudget],
    [policy.isBursting, powerFeedCgroupFlag.bursting],
    [policy.isBatch, powerFeedCgroupFlag.batch],
    [policy.isWorkConserving, powerFeedCgroupFlag.workConserving],
    [
      policy.budgetOwner !== undefined && policy.budgetOwner !== policy.id,
      powerFeedCgroupFlag.inherited,
    ],
  ]),
  classId: CLASS_IDS[policy.workload],
  frequencySensitivityPermille: permilleOrUnknown(policy.frequencySensitivity),
  dramMw: milliwatts(policy.dramWatts),
  energyPerInstructionPj: (policy.energyPerInstructionNanojoules ?? 0) * PICOJOULES_PER_NANOJOULE,
  queueWaitUs: policy.queueWaitRatio * MICROS_PER_SECOND,
  spinPermille: permilleOrUnknown(policy.spinRatio),
  budgetIndex:
    (policy.budgetOwner === undefined ? undefined : indexOf.get(policy.budgetOwner)) ?? UNKNOWN16,
  headroomBudgetMw:
    policy.headroomBudgetWatts === undefined
      ? 0
      : Math.max(1, milliwatts(policy.headroomBudgetWatts)),
});

const packageRecord = (policy: PackagePolicy) => ({
  powerMw: milliwatts(policy.watts),
  limitMw: milliwatts(policy.limitWatts),
  headroomMw: milliwatts(policy.headroomWatts),
  overMw: milliwatts(policy.overWatts),
  idleFloorMw: milliwatts(policy.idleFloorWatts),
  coreMw: milliwatts(policy.coreWatts),
  dramMw: milliwatts(policy.dramWatts),
  batchBudgetMw: milliwatts(policy.batchBudgetWatts),
  predictionScalePermille: permille(policy.predictionScale),
  busyPermille: permille(policy.busyRatio),
  flags: bits([
    [policy.limitWatts !== undefined, powerFeedPackageFlag.hasLimit],
    [policy.isMeasured, powerFeedPackageFlag.measured],
  ]),
});

const cpuRecord = (policy: CpuPolicy) => ({
  coreMw: milliwatts(policy.coreWatts),
  frequencyKhz: policy.frequencyKhz ?? 0,
  busyPermille: permille(policy.busyRatio),
  packageId: policy.packageId,
  placeSiblingMw: milliwatts(policy.siblingWatts),
  placeCoreMw: milliwatts(policy.idleCoreWatts),
  placePackageMw: milliwatts(policy.idlePackageWatts),
});

type EmptyRecord = Readonly<Record<string, never>>;

/** Rows at the place that their number names; holes are empty records. */
const byNumber = <T, R extends object>(
  rows: readonly T[],
  numberOf: (row: T) => number,
  recordOf: (row: T) => R,
  limit: number,
): readonly (R | EmptyRecord)[] => {
  const placed = new Map(
    rows.filter((row) => numberOf(row) < limit).map((row) => [numberOf(row), recordOf(row)]),
  );
  const count = placed.size === 0 ? 0 : Math.max(...placed.keys()) + 1;
  return Array.from({ length: count }, (_, at) => placed.get(at) ?? {});
};

export interface Stamp {
  readonly nowNanos: bigint;
  readonly validUntilNanos: bigint;
  /** The kernel writes `task` entries. */
  readonly hasTasks: boolean;
}

/**
 * `slots`: the index of each cgroup that has an entry, stable from window to window so that few ids move.
 */
export const encodePolicy = (
  policy: Policy,
  slots: ReadonlyMap<bigint, number>,
  { nowNanos, validUntilNanos, hasTasks }: Stamp,
): FeedHalves => {
  const cgroups = byNumber(
    policy.cgroups.filter(({ id }) => slots.has(id)),
    ({ id }) => slots.get(id) ?? 0,
    (one) => cgroupRecord(one, slots),
    powerFeedLimit.cgroupsMax,
  );
  const packages = byNumber(
    policy.packages,
    ({ packageId }) => packageId,
    packageRecord,
    powerFeedLimit.packagesMax,
  );
  const cpus = byNumber(policy.cpus, ({ cpu }) => cpu, cpuRecord, powerFeedLimit.cpusMax);
  return {
    packages: encodeRecords(powerFeedPackageHalf, packages),
    cpus: encodeRecords(powerFeedCpuHalf, cpus),
    cgroups: encodeRecords(powerFeedCgroupHalf, cgroups),
    state: encodeRecords(powerFeedStateHalf, [
      {
        publishedNs: nowNanos,
        validUntilNs: validUntilNanos,
        windowNs: policy.windowSeconds * NANOS_PER_SECOND,
        source: powerFeedSource[policy.source],
        split: powerFeedSplit[policy.split],
        flags: hasTasks ? powerFeedStateFlag.hasTasks : 0,
        cgroupCount: cgroups.length,
        packageCount: packages.length,
        cpuCount: cpus.length,
        referencePowerMw: Math.max(1, milliwatts(policy.referenceWatts)),
      },
    ]),
  };
};
