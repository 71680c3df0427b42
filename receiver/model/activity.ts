// SPDX-License-Identifier: Apache-2.0
import type { WindowNanos, Nanos } from './units.js';

/** Deltas of one (thread, CPU domain) over one window, decoded from `struct window_task`. */
export interface TaskSample {
  readonly slot: number;
  readonly sequence: number;
  readonly tid: number;
  readonly tgid: number;
  readonly parentTgid: number;
  readonly uid: number;
  readonly tag: number;
  readonly cpuDomain: number;
  readonly startBoottimeNanos: Nanos;
  /** Start of the thread group's leader: (tgid, this) names a process for ever. */
  readonly processStartBoottimeNanos: Nanos;
  readonly cgroupId: bigint;
  /** Escaped for display already: no control bytes, valid UTF-8. */
  readonly comm: string;
  readonly processComm: string;
  readonly runtimeNanos: WindowNanos;
  readonly sliceNanos: WindowNanos;
  readonly overlapNanos: WindowNanos;
  /** Task time of slices whose hardware counters were not read or did not run throughout. */
  readonly uncountedNanos: WindowNanos;
  /** Part of `overlapNanos` inside those. */
  readonly uncountedOverlapNanos: WindowNanos;
  /** Counted slices only, as the next six; 0 where nothing was counted. */
  readonly cycles: number;
  readonly instructions: number;
  readonly llcMisses: number;
  readonly vectorOps: number;
  /** Σ φ(f)·(cycles less the part shared with the SMT sibling). */
  readonly phiCycles: number;
  readonly phiInstructions: number;
  readonly phiVector: number;
  /** Uncounted slices: Σ φ(f)·f·(Δt − 0.45·overlap), in cycles; f = 1 GHz, φ = 1 where unknown. */
  readonly uncountedPhiCycles: number;
  /** ∫ dt / busy CPUs of the package, over all slices. */
  readonly packageOnNanos: WindowNanos;
  /** Time runnable but not running; 0 where the kernel does not keep it. */
  readonly queueWaitNanos: WindowNanos;
  /** What the kernel predicted from the coefficients; the core's part includes the CPU's scale. */
  readonly predictedCoreNanojoules: number;
  readonly predictedNanojoules: number;
  readonly voluntarySwitches: number;
  readonly involuntarySwitches: number;
  readonly migrations: number;
  readonly isKernelThread: boolean;
  readonly isPreexisting: boolean;
  readonly isFirst: boolean;
  /** The thread is gone: this is the slot's last sample. */
  readonly isDead: boolean;
  /** This thread's exit left no live thread in its process. */
  readonly isGroupDead: boolean;
}

/** Task time that found no slot, by cgroup. */
export interface OverflowSample {
  readonly cgroupId: bigint;
  readonly cpuDomain: number;
  readonly runtimeNanos: WindowNanos;
}

export interface CpuSample {
  readonly cpu: number;
  readonly cpuDomain: number;
  readonly isOnline: boolean;
  readonly taskNanos: WindowNanos;
  readonly busyNanos: WindowNanos;
  readonly unslottedNanos: WindowNanos;
  readonly overflowNanos: WindowNanos;
  /** irq + softirq; undefined where the kernel does not say. */
  readonly irqNanos: WindowNanos | undefined;
  readonly stealNanos: WindowNanos | undefined;
  /** Task time of counted slices, and their cycles and instructions. */
  readonly countedNanos: WindowNanos;
  readonly cycles: number;
  readonly instructions: number;
  /** Of all slices, without the CPU's core scale. */
  readonly predictedCoreNanojoules: number;
  /** Counter readings that failed. */
  readonly counterFailures: number;
  /** Slice time that is uncounted because a counter shared the PMU with others meanwhile. */
  readonly multiplexedNanos: WindowNanos;
  /** At the window's end; undefined where no source says it. */
  readonly frequencyKhz: number | undefined;
  /** This CPU has hardware counters open. */
  readonly isCounting: boolean;
  readonly stats: AccountingStats;
}

/** Events since the previous window; names as in `enum acct_stat` of records.h. */
export interface AccountingStats {
  readonly switches: number;
  readonly storageMisses: number;
  readonly slotsExhausted: number;
  readonly discontinuities: number;
  readonly storageFailed: number;
  readonly forks: number;
  readonly exits: number;
  readonly flushes: number;
  readonly cgroupMoves: number;
  readonly overflowCgroupFull: number;
}

/** One raw reading of an energy source, as the addon handed it over. */
export type RawReading =
  | {
      readonly _tag: 'FileReading';
      readonly text: string;
      readonly textLength: number;
      readonly errno: number;
      readonly beforeNanos: Nanos;
      readonly afterNanos: Nanos;
    }
  | {
      readonly _tag: 'PerfReading';
      readonly value: bigint;
      readonly enabledNanos: bigint;
      readonly runningNanos: bigint;
      readonly errno: number;
      readonly beforeNanos: Nanos;
      readonly afterNanos: Nanos;
    };

/** Everything the kernel side says about one window. Energy readings are in the order of the plan. */
export interface ActivityWindow {
  readonly index: bigint;
  readonly startNanos: Nanos;
  readonly endNanos: Nanos;
  readonly dueNanos: Nanos;
  readonly flushNanos: WindowNanos;
  readonly energyReadNanos: WindowNanos;
  readonly scanNanos: WindowNanos;
  readonly threadCpuNanos: WindowNanos;
  readonly boottimeOffsetNanos: Nanos;
  readonly realtimeNanos: Nanos;
  readonly slotsUsed: number;
  readonly slotsLimit: number;
  readonly flushedCpus: number;
  readonly isFinal: boolean;
  readonly isReseeded: boolean;
  readonly isForced: boolean;
  readonly cpus: readonly CpuSample[];
  readonly readings: readonly RawReading[];
  readonly overflow: readonly OverflowSample[];
  readonly tasks: readonly TaskSample[];
}
