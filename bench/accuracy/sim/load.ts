// SPDX-License-Identifier: Apache-2.0
/** What runs on the simulated machine: jobs, their threads, and who has which CPU when. */
import type { CodeClass } from './classes.js';
import { TaskRow } from './task-row.js';

/** What truth and estimates are scored by: a process, or a cgroup of many. */
export interface Job {
  readonly index: number;
  readonly name: string;
  readonly cgroupId: bigint;
  readonly rssBytes: number;
  /** Where its memory lies; undefined: where it runs. */
  readonly homeNode: number | undefined;
  /** Hidden: how much more its data switches than usual data. Drifts slowly. */
  dataFactor: number;
  readonly meanDataFactor: number;
}

export class Thread {
  public code: CodeClass;
  public isDead = false;
  /** It did not end by itself: the mix was over. */
  public endedWithLoad = false;
  public bornNanos = 0n;
  /** By CPU domain: what it did since the window began. */
  public readonly rows = new Map<number, TaskRow>();

  public constructor(
    public readonly job: Job,
    public readonly pid: number,
    public readonly tid: number,
    public readonly name: string,
    code: CodeClass,
  ) {
    this.code = code;
  }

  public rowOn(cpuDomain: number): TaskRow {
    const known = this.rows.get(cpuDomain);
    if (known !== undefined) return known;
    const row = new TaskRow();
    this.rows.set(cpuDomain, row);
    return row;
  }
}

/** Who has the CPU in this millisecond; undefined: nobody. */
export type Lane = (atMillis: number) => Thread | undefined;

export interface Placement {
  readonly cpu: number;
  readonly lane: Lane;
  /** cpufreq holds the core's clock here. */
  readonly fixedGigahertz?: number;
}

/** A part of each millisecond that a CPU spends in interrupts, whoever runs. */
export interface InterruptLoad {
  readonly cpu: number;
  readonly ratio: number;
}

export const always =
  (thread: Thread): Lane =>
  () =>
    thread;

/** Runs for `onMillis` of every `periodMillis`. */
export const duty =
  (thread: Thread, onMillis: number, periodMillis: number, offsetMillis = 0): Lane =>
  (at) =>
    (at + offsetMillis) % periodMillis < onMillis ? thread : undefined;

/** Changes what it does every `periodMillis`. */
export const phases =
  (thread: Thread, codes: readonly CodeClass[], periodMillis: number, offset = 0): Lane =>
  (at) => {
    const code = codes[(Math.floor(at / periodMillis) + offset) % codes.length];
    if (code !== undefined) thread.code = code;
    return thread;
  };

/** Several threads take turns on one CPU. */
export const turns =
  (threads: readonly (Thread | undefined)[], sliceMillis: number): Lane =>
  (at) =>
    threads[Math.floor(at / sliceMillis) % threads.length];

/** One thread that moves: the lane of `cpus[place]`. */
export const hop =
  (thread: Thread, place: number, places: number, stayMillis: number): Lane =>
  (at) =>
    Math.floor(at / stayMillis) % places === place ? thread : undefined;
