// SPDX-License-Identifier: Apache-2.0
/**
 * Who caused the traffic of a memory domain, and on whose memory it lies.
 *
 *   weight_i(domain) = L_i · π_i(domain)     L: lines that missed the last cache
 *                                            π: part of the task's memory on the domain's NUMA nodes
 *
 * π comes from the cgroup's memory.numa_stat where it was read, else a task's memory is taken to be
 * where its CPU is. Without a miss counter the time model's share stands for L; by choice resident memory does (the
 * seed article's coarse way, which charges a large sleeping heap whenever its owner blinks).
 */
import type { ActivityWindow, TaskSample } from '../model/activity.js';
import type { EnergyDomain, SplitMethod } from '../model/energy-domain.js';
import type { HostTopology } from '../model/host-topology.js';

/** `rss`: resident memory; `time`: CPU time; `misses` falls back to `time` where none are counted. */
export type DramSplit = 'misses' | 'rss' | 'time';

/** What is known of memory beside the window, read at its edge. */
export interface MemoryUse {
  /** By cgroup: part of its memory on each NUMA node, index = node, sum 1. */
  readonly nodeSharesOfCgroup: ReadonlyMap<bigint, readonly number[]>;
  /** By pid: resident bytes. */
  readonly residentBytesOfProcess: ReadonlyMap<number, number>;
}

export const NO_MEMORY_USE: MemoryUse = {
  nodeSharesOfCgroup: new Map(),
  residentBytesOfProcess: new Map(),
};

const byTime = (window: ActivityWindow): Float64Array =>
  Float64Array.from(window.tasks, ({ runtimeNanos, sliceNanos, overlapNanos }) => {
    const shared = sliceNanos > 0 ? Math.min(1, overlapNanos / sliceNanos) : 0;
    return runtimeNanos * (1 - shared / 2);
  });

/** A process's resident memory, divided among its rows by their time; unknown ones have the mean. */
const byResidentMemory = (window: ActivityWindow, memory: MemoryUse): Float64Array => {
  const nanosOf = new Map<number, number>();
  for (const { tgid, runtimeNanos } of window.tasks)
    nanosOf.set(tgid, (nanosOf.get(tgid) ?? 0) + runtimeNanos);
  const known = [...nanosOf.keys()].flatMap((pid) => memory.residentBytesOfProcess.get(pid) ?? []);
  const mean = known.length > 0 ? known.reduce((a, b) => a + b, 0) / known.length : 1;
  return Float64Array.from(window.tasks, ({ tgid, runtimeNanos }) => {
    const all = nanosOf.get(tgid) ?? 0;
    const bytes = memory.residentBytesOfProcess.get(tgid) ?? mean;
    return all > 0 ? (bytes * runtimeNanos) / all : 0;
  });
};

const hasAny = (weights: Float64Array): boolean => weights.some((weight) => weight > 0);

/** Before their place is known: parallel to `window.tasks`. */
export const dramWeights = (
  window: ActivityWindow,
  misses: Float64Array,
  { dramSplit, memory }: { readonly dramSplit: DramSplit; readonly memory: MemoryUse | undefined },
): { readonly split: SplitMethod; readonly tasks: Float64Array } => {
  if (dramSplit === 'rss' && memory !== undefined && memory.residentBytesOfProcess.size > 0)
    return { split: 'rss', tasks: byResidentMemory(window, memory) };
  return dramSplit === 'misses' && hasAny(misses)
    ? { split: 'counters', tasks: misses }
    : { split: 'time', tasks: byTime(window) };
};

/** NUMA nodes whose memory hangs on the domain's package; undefined: all of them. */
export const nodesOf = (
  domain: EnergyDomain,
  topology: HostTopology,
): ReadonlySet<number> | undefined =>
  domain.packageId === undefined || topology.packageIds.length < 2
    ? undefined
    : new Set(
        topology.cpus
          .filter(({ packageId }) => packageId === domain.packageId)
          .map(({ nodeId }) => nodeId),
      );

/** Part of a task's memory on `nodes`; undefined where its cgroup's memory is not known. */
export const locatedRatio = (
  task: Pick<TaskSample, 'cgroupId'>,
  nodes: ReadonlySet<number>,
  memory: MemoryUse | undefined,
): number | undefined => {
  const shares = memory?.nodeSharesOfCgroup.get(task.cgroupId);
  if (shares === undefined) return undefined;
  let ratio = 0;
  for (const node of nodes) ratio += shares[node] ?? 0;
  return ratio;
};
