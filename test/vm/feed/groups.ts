// SPDX-License-Identifier: Apache-2.0
/** What groups of processes used between two truths of the simulated machine. */
import type { Run } from '../harness/files.js';
import { packageNanojoules, type Truth } from '../harness/truth.js';

export interface GroupUse {
  readonly joules: number;
  readonly cpuSeconds: number;
  readonly watts: number;
  /** CPU seconds per second; 1 = one CPU all the time. */
  readonly cpuRatio: number;
  /** Mean clock while it ran. */
  readonly gigahertz: number;
}

const NANO = 1e-9;

interface Sums {
  readonly energy: bigint;
  readonly run: bigint;
  readonly cycles: bigint;
}

const sums = (truth: Truth, comm: string): Sums =>
  truth.owners
    .filter((owner) => owner.kind === 'process' && owner.comm === comm)
    .reduce(
      (sum, owner) => ({
        energy: sum.energy + owner.energy.reduce((all, one) => all + packageNanojoules(one), 0n),
        run: sum.run + owner.runNanos,
        cycles: sum.cycles + owner.cycles,
      }),
      { energy: 0n, run: 0n, cycles: 0n },
    );

/** All processes of that name, between truths NAME-0 and NAME-1. */
export const useOf = (run: Run, name: string, comm: string): GroupUse => {
  const [before, after] = [run.truth(`${name}-0`), run.truth(`${name}-1`)];
  const [a, b] = [sums(before, comm), sums(after, comm)];
  const seconds = Number(after.monotonicNanos - before.monotonicNanos) * NANO;
  const joules = Number(b.energy - a.energy) * NANO;
  const cpuSeconds = Number(b.run - a.run) * NANO;
  return {
    joules,
    cpuSeconds,
    watts: joules / seconds,
    cpuRatio: cpuSeconds / seconds,
    gigahertz: Number(b.cycles - a.cycles) / Number(b.run - a.run),
  };
};

/** Of a zone between the same two. */
export const powerOf = (run: Run, name: string, zone: string): number => {
  const [before, after] = [run.truth(`${name}-0`), run.truth(`${name}-1`)];
  const total = (truth: Truth): bigint =>
    truth.zones.find((one) => one.name === zone)?.totalNanojoules ?? 0n;
  return (
    Number(total(after) - total(before)) / Number(after.monotonicNanos - before.monotonicNanos)
  );
};

/** Part of the first group in both, of energy and of CPU time. */
export const shareOf = (
  run: Run,
  name: string,
  comms: readonly [string, string],
): { readonly energy: number; readonly time: number } => {
  const [a, b] = comms.map((comm) => useOf(run, name, comm));
  if (a === undefined || b === undefined) throw new Error('two groups');
  return {
    energy: a.joules / (a.joules + b.joules),
    time: a.cpuSeconds / (a.cpuSeconds + b.cpuSeconds),
  };
};
