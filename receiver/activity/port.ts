// SPDX-License-Identifier: Apache-2.0
/**
 * What the agent needs from the kernel side. `native/index.ts` is the real instance; tests of pure
 * code use recorded bytes. The addon moves bytes: it interprets no record and no energy reading.
 */
import type * as E from 'fp-ts/lib/Either.js';
import type * as TE from 'fp-ts/lib/TaskEither.js';
import type { Coefficients } from '../model/coefficients.js';
import type { CounterKind } from '../model/counter-selection.js';

/** A failed operation of the addon, with what a log reader needs. */
export interface NativeError {
  readonly _tag: 'NativeError';
  /** e.g. `load accounting`, `attach sched_switch`, `mmap slots`, `lock /sys/fs/bpf/wattfeed`. */
  readonly operation: string;
  readonly errno: number;
  /** errno's name, e.g. `EPERM`. */
  readonly code: string;
  /** Tail of the verifier's or libbpf's log, or the first lock holder's pid. */
  readonly detail: string;
}

/** One perf event, opened on the CPU in whose list it stands. At most one of a kind per CPU. */
export interface CounterSpec {
  readonly kind: CounterKind;
  readonly pmuType: number;
  readonly config: bigint;
}

/** A counter that was asked for and could not be opened. */
export interface CounterFault {
  readonly cpu: number;
  readonly kind: CounterKind;
  /** errno's name, e.g. `ENOENT`. */
  readonly code: string;
}

export interface SessionOptions {
  /** Slots in the table; a power of two in [256, 4194304]. */
  readonly maxTasks: number;
  /** One per possible CPU, index = cpu: the CPU domain (package x core type) it belongs to. */
  readonly cpuDomains: readonly number[];
  /** One per possible CPU: its SMT sibling, or -1. */
  readonly smtSiblings: readonly number[];
  /** Name of the cgroup v1 controller whose hierarchy names workloads (`cpuacct`, …), or `unified`. */
  readonly cgroupHierarchy: string;
  /** One per possible CPU: its package, numbered from 0 to 15. Left out: one package. */
  readonly cpuPackages?: readonly number[];
  /** One list per possible CPU; empty = that CPU does not count. Left out: none does. */
  readonly counters?: readonly (readonly CounterSpec[])[];
  /** One table per CPU domain, see model/frequency-factor.ts. Left out: 1 at every frequency. */
  readonly frequencyFactors?: readonly (readonly number[])[];
  /** One path per possible CPU to its current frequency in kHz; empty = there is none. */
  readonly frequencyFiles?: readonly string[];
  /** Measure BPF run time (kernel.bpf_stats) for the self metrics. */
  readonly bpfStats: boolean;
  /** Pins whose `task` map the programs then write; undefined: no feed, no cost. */
  readonly powerFeed?:
    { readonly directory: string; readonly dramLineNanojoules: number } | undefined;
}

/** One energy source to be read at each window's edge, in order. */
export type EnergySourceSpec =
  | { readonly kind: 'file'; readonly path: string }
  | {
      readonly kind: 'perf';
      readonly pmuType: number;
      readonly config: bigint;
      readonly cpu: number;
    };

export interface WindowOptions {
  /** 20 ms to 3600 s. */
  readonly windowMillis: number;
  readonly sources: readonly EnergySourceSpec[];
  /** Hand windows over in batches of this many; 1 = each. Can be changed while running. */
  readonly wakeEvery: number;
  /** Of this many, if fewer, once a thread hardly slept in one of them; absent: as the others. */
  readonly wakeBusyEvery?: number;
}

export interface ProgramStats {
  readonly name: string;
  readonly runCount: bigint;
  readonly runTimeNanos: bigint;
  readonly recursionMisses: bigint;
  /** Instructions the verifier processed at load; 0 where the kernel does not say. */
  readonly verifiedInstructions: number;
}

/** One loaded and attached set of programs. */
export interface ActivitySession {
  /** Begins the window thread. `onBatch` gets one or more windows of records.h, one behind the other. */
  start(options: WindowOptions, onBatch: (batch: Uint8Array) => void): E.Either<NativeError, void>;
  setWakeEvery(windows: number): void;
  setWindowMillis(windowMillis: number): E.Either<NativeError, void>;
  /** Closes the running window now and hands everything over; resolves after onBatch was called. */
  closeWindow(): TE.TaskEither<NativeError, void>;
  /** Marks every thread of a process; children inherit. 0 removes the tag. Returns threads tagged. */
  setTag(tgid: number, tag: number): E.Either<NativeError, number>;
  /** By CPU domain: what the kernel predicts energy with, from the next slice on. */
  setCoefficients(byCpuDomain: readonly Coefficients[]): E.Either<NativeError, void>;
  /** By CPU: measured / predicted energy of its core; 1 where there is no measure. */
  setCoreScales(byCpu: readonly number[]): E.Either<NativeError, void>;
  /** Of the counters asked for at open. A CPU without its cycles does not count at all. */
  counterFaults(): E.Either<NativeError, readonly CounterFault[]>;
  programStats(): E.Either<NativeError, readonly ProgramStats[]>;
  /** Detaches first, takes the last window (WINDOW_FINAL), hands it over, frees everything. Twice is fine. */
  close(): TE.TaskEither<NativeError, void>;
}

/** Features the kernel side needs; each says whether it is there and, if not, the error met. */
export interface KernelFeature {
  readonly name: string;
  readonly isAvailable: boolean;
  /** errno's name, e.g. `EPERM`; empty if available. */
  readonly code: string;
  readonly detail: string;
}

export interface ActivityPort {
  /** Loads and attaches on a worker thread. Fails if another measurer holds `lockDirectory`. */
  open(options: SessionOptions): TE.TaskEither<NativeError, ActivitySession>;
  /** Probes the features themselves (never the kernel's version); leaves nothing loaded. */
  probeFeatures(): readonly KernelFeature[];
  /** Reads a perf event once per call for `millis`, to see whether it counts: first and last value. */
  probePerf(
    spec: EnergySourceSpec & { kind: 'perf' },
    millis: number,
  ): E.Either<NativeError, { readonly first: bigint; readonly last: bigint }>;
  /** flock on a directory; released by the kernel when the process ends. Left carries the holder's pid in `detail`. */
  lockDirectory(path: string): E.Either<NativeError, void>;
}
