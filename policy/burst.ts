// SPDX-License-Identifier: Apache-2.0
/**
 * A budget of watts with a burst window: a leaky bucket of joules. Power above the budget fills it, power below
 * drains it; it may hold what the budget gives in the burst window. Full = over budget; it counts as back under
 * only when it has drained to half, so that advice does not flap. Pure.
 */
export interface BurstState {
  /** Joules used ahead of the budget. */
  readonly levelJoules: number;
  readonly isOver: boolean;
  /** Mean power over about the burst window. */
  readonly meanWatts: number | undefined;
}

export const INITIAL_BURST: BurstState = { levelJoules: 0, isOver: false, meanWatts: undefined };

/** How far over the brim the bucket may go: bounds the time it takes to be forgiven. */
const OVERFILL = 2;
const BACK_UNDER = 0.5;
/** Without a burst window a budget is judged over one window; noise below this part of it is forgiven. */
const TOLERANCE = 0.05;
const MILLIS_PER_SECOND = 1000;

interface BurstLimits {
  readonly budgetWatts: number;
  readonly burstMillis: number;
}

export const advanceBurst = (
  state: BurstState,
  watts: number,
  spanSeconds: number,
  { budgetWatts, burstMillis }: BurstLimits,
): BurstState => {
  const burstSeconds = burstMillis / MILLIS_PER_SECOND;
  const brimJoules = budgetWatts * Math.max(burstSeconds, TOLERANCE * spanSeconds);
  const filled = state.levelJoules + (watts - budgetWatts) * spanSeconds;
  const levelJoules = Math.min(Math.max(filled, 0), brimJoules * OVERFILL);
  const brim = state.isOver ? brimJoules * BACK_UNDER : brimJoules;
  const weight = spanSeconds / Math.max(spanSeconds, burstSeconds);
  const before = state.meanWatts ?? watts;
  return {
    levelJoules,
    isOver: levelJoules > brim,
    meanWatts: before + (watts - before) * weight,
  };
};
