// SPDX-License-Identifier: Apache-2.0
/**
 * What hardware counters say of a thread that may spin. They are evidence, not proof: a sum in registers
 * looks like a flag loop. But a thread that waits for memory all the time does not spin. Pure.
 */

export interface ThreadCounters {
  readonly cycles: number | undefined;
  readonly instructions: number | undefined;
  /** Of the last-level cache. */
  readonly cacheMisses: number | undefined;
  readonly branches?: number | undefined;
  readonly branchMisses?: number | undefined;
}

export type CounterLikeness =
  /** Hardly an instruction, and not for memory: as a loop of PAUSEs. */
  | 'pauses'
  /** Many branches that are always foreseen, and no memory: as a loop that looks again. */
  | 'loops'
  /** It waits for memory: a loop that looks again has what it looks at in its cache. */
  | 'memory'
  | 'neither';

/** Instructions per cycle; a PAUSE takes 40 to 140 cycles. */
const MAX_PAUSING_IPC = 0.2;
const MAX_PAUSING_MISSES = 0.5;
const MIN_LOOPING_BRANCHES = 0.2;
const MAX_LOOPING_BRANCH_MISSES = 1e-4;
const MAX_LOOPING_MISSES = 0.05;
/** Per thousand instructions, as the two above; a pointer chase has a hundred. */
const MIN_MEMORY_MISSES = 10;
const PER_THOUSAND = 1_000;

const ratio = (part: number | undefined, whole: number | undefined): number | undefined =>
  part === undefined || whole === undefined || whole === 0 ? undefined : part / whole;

interface Rates {
  readonly ipc: number | undefined;
  readonly missesPerThousand: number | undefined;
  readonly branchesPerInstruction: number | undefined;
  readonly missesPerBranch: number | undefined;
}

const ratesOf = (counters: ThreadCounters): Rates => {
  const { cycles, instructions, cacheMisses, branches, branchMisses } = counters;
  const misses = ratio(cacheMisses, instructions);
  return {
    ipc: ratio(instructions, cycles),
    missesPerThousand: misses === undefined ? undefined : PER_THOUSAND * misses,
    branchesPerInstruction: ratio(branches, instructions),
    missesPerBranch: ratio(branchMisses, branches),
  };
};

/** Undefined: nothing was counted. */
export const counterLikeness = (counters: ThreadCounters): CounterLikeness | undefined => {
  const { ipc, missesPerThousand, branchesPerInstruction, missesPerBranch } = ratesOf(counters);
  if (ipc === undefined || missesPerThousand === undefined) return undefined;
  if (missesPerThousand >= MIN_MEMORY_MISSES) return 'memory';
  if (ipc < MAX_PAUSING_IPC && missesPerThousand < MAX_PAUSING_MISSES) return 'pauses';
  const isLooping =
    (branchesPerInstruction ?? 0) > MIN_LOOPING_BRANCHES &&
    (missesPerBranch ?? 1) < MAX_LOOPING_BRANCH_MISSES &&
    missesPerThousand < MAX_LOOPING_MISSES;
  return isLooping ? 'loops' : 'neither';
};

/** For a person; empty where nothing was counted. */
export const counterText = (counters: ThreadCounters): string => {
  const { ipc, missesPerThousand, branchesPerInstruction, missesPerBranch } = ratesOf(counters);
  return [
    ipc === undefined ? '' : `IPC ${ipc.toFixed(2)}`,
    missesPerThousand === undefined
      ? ''
      : `${missesPerThousand.toFixed(1)} cache misses per 1000 instructions`,
    branchesPerInstruction === undefined
      ? ''
      : `${String(Math.round(100 * branchesPerInstruction))} % branches`,
    missesPerBranch === undefined ? '' : `${(100 * missesPerBranch).toFixed(2)} % of them missed`,
  ]
    .filter((part) => part !== '')
    .join(', ');
};
