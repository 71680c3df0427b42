// SPDX-License-Identifier: Apache-2.0
/**
 * What the split needs beside the window and only files know: on which NUMA nodes a cgroup's memory lies,
 * how much a process has resident, what a cgroup has reserved. Read for what ran, a bounded number of
 * files a window, and believed for ten seconds: memory does not move faster than that.
 */
import * as E from 'fp-ts/lib/Either.js';
import type { MemoryUse } from '../attribution/dram-weights.js';
import type { Clock } from '../host/clock.js';
import { readText } from '../host/files.js';
import type { ActivityWindow } from '../model/activity.js';
import { millisToNanos } from '../model/units.js';
import { parseNumaStat } from './numa-stat.js';
import { cpusOfMax, cpusOfQuota, cpusOfShares, cpusOfWeight } from './reservation.js';

export interface SurroundingsOptions {
  /** Root of the hierarchy that has memory.numa_stat, and whether it is v2; undefined: not wanted. */
  readonly memoryDirectory: string | undefined;
  /** Root of the hierarchy that has cpu.weight or cpu.shares; undefined: not wanted. */
  readonly cpuDirectory: string | undefined;
  readonly isV2: boolean;
  readonly requestSource: 'weight' | 'max';
  /** Resident memory by process is wanted. */
  readonly wantsResident: boolean;
  readonly procfs: string;
  readonly pageBytes: number;
  readonly cgroupPath: (id: bigint) => string;
  readonly clock: Clock;
}

/** Files read at one window's edge: some 10 us each, 1 ms in all. */
const READS_PER_WINDOW = 64;
const BELIEVED_NANOS = millisToNanos(10_000);
/** Entries kept; what was not asked for longest goes first. */
const MAX_ENTRIES = 16_384;

interface Known<Value> {
  readonly value: Value | undefined;
  readonly readNanos: bigint;
}

/** Values by key, each read again when it is too old and the window's budget allows. */
class Cache<Key, Value> {
  readonly #known = new Map<Key, Known<Value>>();

  constructor(private readonly read: (key: Key) => Value | undefined) {}

  /** Returns how many reads are left of `budget`. */
  refresh(keys: ReadonlySet<Key>, nowNanos: bigint, budget: number): number {
    let left = budget;
    for (const key of keys) {
      const known = this.#known.get(key);
      const isFresh = known !== undefined && nowNanos - known.readNanos < BELIEVED_NANOS;
      if (isFresh || left === 0) continue;
      left -= 1;
      this.#known.delete(key);
      this.#known.set(key, { value: this.read(key), readNanos: nowNanos });
    }
    for (const key of this.#known.keys()) {
      if (this.#known.size <= MAX_ENTRIES) break;
      this.#known.delete(key);
    }
    return left;
  }

  valuesOf(keys: ReadonlySet<Key>): ReadonlyMap<Key, Value> {
    const values = new Map<Key, Value>();
    for (const key of keys) {
      const value = this.#known.get(key)?.value;
      if (value !== undefined) values.set(key, value);
    }
    return values;
  }
}

const textOf = (path: string): string => {
  const text = readText(path);
  return E.isRight(text) ? text.right : '';
};

export class SurroundingsReader {
  readonly #nodes: Cache<bigint, readonly number[]>;
  readonly #resident: Cache<number, number>;
  readonly #reserved: Cache<bigint, number>;

  constructor(private readonly options: SurroundingsOptions) {
    this.#nodes = new Cache((id) => this.#readNodes(id));
    this.#resident = new Cache((pid) => this.#readResident(pid));
    this.#reserved = new Cache((id) => this.#readReserved(id));
  }

  /** Nothing is read where nothing is wanted. */
  read(window: ActivityWindow): {
    readonly memory?: MemoryUse;
    readonly reservations?: ReadonlyMap<bigint, number>;
  } {
    const { memoryDirectory, cpuDirectory, wantsResident, clock } = this.options;
    const wantsMemory = memoryDirectory !== undefined || wantsResident;
    if (!wantsMemory && cpuDirectory === undefined) return {};
    const now = clock.monotonicNanos();
    const ran = window.tasks.filter(({ runtimeNanos }) => runtimeNanos > 0);
    const cgroups = new Set(ran.map(({ cgroupId }) => cgroupId));
    const pids = new Set(wantsResident ? ran.map(({ tgid }) => tgid) : []);
    const asked = memoryDirectory === undefined ? new Set<bigint>() : cgroups;
    let budget = this.#nodes.refresh(asked, now, READS_PER_WINDOW);
    budget = this.#resident.refresh(pids, now, budget);
    const reserving = cpuDirectory === undefined ? new Set<bigint>() : cgroups;
    this.#reserved.refresh(reserving, now, budget);
    return {
      ...(wantsMemory
        ? {
            memory: {
              nodeSharesOfCgroup: this.#nodes.valuesOf(asked),
              residentBytesOfProcess: this.#resident.valuesOf(pids),
            },
          }
        : {}),
      ...(cpuDirectory === undefined ? {} : { reservations: this.#reserved.valuesOf(reserving) }),
    };
  }

  #readNodes(id: bigint): readonly number[] | undefined {
    const path = this.options.cgroupPath(id);
    if (!path.startsWith('/') || this.options.memoryDirectory === undefined) return undefined;
    return parseNumaStat(textOf(`${this.options.memoryDirectory}${path}/memory.numa_stat`));
  }

  #readResident(pid: number): number | undefined {
    const [, pages] = textOf(`${this.options.procfs}/${pid}/statm`).split(' ');
    return /^\d{1,15}$/.test(pages ?? '') ? Number(pages) * this.options.pageBytes : undefined;
  }

  /** A container's own group often has the default, and the pod above it the request: the nearest that is set. */
  #readReserved(id: bigint): number | undefined {
    let path = this.options.cgroupPath(id);
    while (path.startsWith('/') && path.length > 1) {
      const own = this.#reservedAt(path);
      if (own !== undefined) return own;
      path = path.slice(0, path.lastIndexOf('/'));
    }
    return undefined;
  }

  #reservedAt(path: string): number | undefined {
    const { cpuDirectory = '', isV2, requestSource } = this.options;
    const at = (file: string): string => textOf(`${cpuDirectory}${path}/${file}`);
    if (requestSource === 'weight')
      return isV2 ? cpusOfWeight(at('cpu.weight')) : cpusOfShares(at('cpu.shares'));
    return isV2
      ? cpusOfMax(at('cpu.max'))
      : cpusOfQuota(at('cpu.cfs_quota_us'), at('cpu.cfs_period_us'));
  }
}
