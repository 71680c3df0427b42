// SPDX-License-Identifier: Apache-2.0
/** What could not be given to its owner, in words. Pure. */

/** By the report's names of losses; each is followed by its count. */
const WORDS: Readonly<Record<string, string>> = {
  storageMisses: 'switches to unknown tasks',
  storageFailed: 'forks without task storage',
  slotsExhausted: 'tasks without a free slot',
  discontinuities: 'switches not seen',
  overflowCgroupFull: 'overflow without its cgroup',
  inconsistentBalances: 'windows that do not add up',
  processOverflowRows: 'process rows over the cap',
  cgroupOverflowRows: 'cgroup rows over the cap',
  threadOverflowRows: 'thread rows over the cap',
  undecodableBatches: 'batches not understood',
  ledgerDefects: 'defects of the ledger',
};

/** An agent of another version may count what this viewer has no words for. */
const wordsOf = (name: string): string =>
  WORDS[name] ?? name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

/** Undefined if there is nothing to tell. The counts are events since the agent's start. */
export const lossText = (losses: Readonly<Record<string, number>>): string | undefined => {
  const seen = Object.entries(losses).filter(([, count]) => count > 0);
  if (seen.length === 0) return undefined;
  const parts = seen.map(([name, count]) => `${wordsOf(name)} ${count}`);
  return `no owner since start: ${parts.join(', ')}`;
};
