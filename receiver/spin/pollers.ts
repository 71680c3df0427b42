// SPDX-License-Identifier: Apache-2.0
/**
 * Threads that wait awake by design: packet and storage pollers, virtual CPUs, parallel programs at a
 * barrier. They are told by the names that their makers gave them; the configuration has the list. Pure.
 */
import { globMatcher } from '../model/glob.js';
import type { SpinVerdict } from '../model/spin.js';

export interface ThreadNames {
  readonly processName: string;
  readonly threadName: string;
  /** File of the hottest code; empty: none. */
  readonly hottestPlace: string;
}

/** A thread with such a name that the kernel made itself has no program that could be sampled. */
const KERNEL_POLLER = /^iou-sqp-/;

const baseName = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

export type RelabelPolling = (verdict: SpinVerdict, names: ThreadNames) => SpinVerdict;

/** What is said of a thread, with its kind `polling` where one of `globs` says that it does so by design. */
export const relabelPolling = (globs: readonly string[]): RelabelPolling => {
  const patterns = globs.map((glob) => ({ glob, matches: globMatcher(glob) }));
  return (verdict, { processName, threadName, hottestPlace }) => {
    const names = [processName, threadName, baseName(hottestPlace)];
    const known = patterns.find(({ matches }) => names.some(matches));
    if (known === undefined) return verdict;
    if (verdict._tag === 'Spinning')
      return {
        ...verdict,
        kind: 'polling',
        evidence: `${verdict.evidence} (${verdict.kind}); by design, as ${known.glob}`,
      };
    return KERNEL_POLLER.test(threadName) && verdict._tag === 'Working'
      ? {
          _tag: 'Spinning',
          kind: 'polling',
          confidence: 0.5,
          evidence: `the kernel polls for the process, idle or not; by design, as ${known.glob}`,
        }
      : verdict;
  };
};
