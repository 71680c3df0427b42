// SPDX-License-Identifier: Apache-2.0
/** What an agent says of its own cost and losses, with figures that a test can find again. */
import { SelfTotals } from '../../receiver/export/self-totals.js';

export const selfTotals = (verifiedInstructions: number): SelfTotals =>
  new SelfTotals(
    () => [
      {
        name: 'on_sched_switch',
        runCount: 10n,
        runTimeNanos: 1_500n,
        recursionMisses: 0n,
        verifiedInstructions,
      },
    ],
    () => ({ storageMisses: 1, threadOverflowRows: 2 }),
  );
