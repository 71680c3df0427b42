// SPDX-License-Identifier: Apache-2.0
/** Whether a window is short enough for the counters of a plan. Pure. */
import type { Complaint } from '../model/errors.js';
import type { EnergyPlan } from './plan-types.js';

/** Undefined: it is. `check` and `run` say the same. */
export const windowComplaint = (
  { longestWindowMillis }: Pick<EnergyPlan, 'longestWindowMillis'>,
  windowMillis: number,
): Complaint | undefined =>
  longestWindowMillis === undefined || windowMillis <= longestWindowMillis
    ? undefined
    : {
        what: `windows of ${String(windowMillis)} ms are longer than ${String(longestWindowMillis)} ms`,
        cause: 'a counter may wrap twice unseen in one window: such windows are rejected',
        remedy: `set the window to at most ${String(longestWindowMillis)} ms`,
      };
