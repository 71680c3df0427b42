// SPDX-License-Identifier: Apache-2.0
/** A thread that runs and does nothing: how it does so, and how sure we are. */
import type { Microjoules, Nanos } from './units.js';

/**
 * `pause`: waits for memory to change with a hint to the CPU; `flag`: without one; `yield`: gives the CPU
 * up again and again; `poll`: asks the kernel for what is not there; `clock`: reads the time;
 * `syscall`: another call that returns at once; `polling`: in any of these ways, and by design.
 */
export const SPIN_KINDS = [
  'pause',
  'flag',
  'yield',
  'poll',
  'clock',
  'syscall',
  'polling',
] as const;
export type SpinKind = (typeof SPIN_KINDS)[number];

export type SpinVerdict =
  | {
      readonly _tag: 'Spinning';
      readonly kind: SpinKind;
      /** 0..1. */
      readonly confidence: number;
      /** One line: what was seen. */
      readonly evidence: string;
    }
  /** It works: what it computes, moves or asks for differs from moment to moment. */
  | { readonly _tag: 'Working'; readonly evidence: string }
  /** Nothing can be said, e.g. too few samples or code that cannot be read. */
  | { readonly _tag: 'Unknown'; readonly evidence: string };

/** A thread that spins or did a moment ago, and what it cost since it was found; in its process's energy too. */
export interface SpinningThread {
  readonly pid: number;
  readonly tid: number;
  readonly processName: string;
  readonly threadName: string;
  readonly kind: SpinKind;
  readonly energy: Microjoules;
  /** CPU time. */
  readonly time: Nanos;
  readonly isActive: boolean;
}
