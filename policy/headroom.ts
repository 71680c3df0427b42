// SPDX-License-Identifier: Apache-2.0
/** Packages against their limits, and what batch work may use below them. Pure. */
import type { PackageObservation } from './observation.js';
import type { PackagePolicy } from './policy.js';

/** Weight of the last window in the smoothed scale of predictions. */
const SCALE_WEIGHT = 0.3;
/** Beyond these a prediction is broken, not merely off. */
const LEAST_SCALE = 0.05;
const MOST_SCALE = 20;
/** Below this nothing can be said about a scale. */
const LEAST_WATTS = 0.1;

export interface HeadroomState {
  /** By package: smoothed measured ÷ predicted. */
  readonly scales: ReadonlyMap<number, number>;
}

export const INITIAL_HEADROOM: HeadroomState = { scales: new Map() };

const scaleOfWindow = (seen: PackageObservation): number | undefined => {
  if (seen.watts === undefined || seen.predictedWatts < LEAST_WATTS) return undefined;
  const active = seen.watts - (seen.idleFloorWatts ?? 0);
  if (active < LEAST_WATTS) return undefined;
  return Math.min(MOST_SCALE, Math.max(LEAST_SCALE, active / seen.predictedWatts));
};

const advanceScale = (
  before: number | undefined,
  window: number | undefined,
): number | undefined =>
  window === undefined || before === undefined
    ? (window ?? before)
    : before + (window - before) * SCALE_WEIGHT;

/**
 * Limit less reserve less everything that is not batch: what batch work may draw. Its own power stands on
 * both sides, so that holding it back does not lower its budget.
 */
const batchBudget = (
  { watts, limitWatts }: PackageObservation,
  batchWatts: number,
  reserveRatio: number,
): number | undefined => {
  if (watts === undefined || limitWatts === undefined) return undefined;
  return Math.max(0, limitWatts * (1 - reserveRatio) - Math.max(0, watts - batchWatts));
};

const packagePolicy = (
  seen: PackageObservation,
  watts: number,
  batchBudgetWatts: number | undefined,
  predictionScale: number | undefined,
): PackagePolicy => ({
  packageId: seen.packageId,
  watts,
  limitWatts: seen.limitWatts,
  headroomWatts: seen.limitWatts === undefined ? 0 : Math.max(0, seen.limitWatts - watts),
  overWatts: seen.limitWatts === undefined ? 0 : Math.max(0, watts - seen.limitWatts),
  idleFloorWatts: seen.idleFloorWatts,
  coreWatts: seen.coreWatts,
  dramWatts: seen.dramWatts,
  batchBudgetWatts,
  predictionScale,
  busyRatio: seen.busyRatio,
  isMeasured: seen.origin === 'measured',
});

/** `batchWatts`: of all batch cgroups, on all packages; each package carries its part by its power. */
export const decidePackages = (
  state: HeadroomState,
  packages: readonly PackageObservation[],
  batchWatts: number,
  reserveRatio: number,
): { readonly state: HeadroomState; readonly packages: readonly PackagePolicy[] } => {
  const total = packages.reduce((sum, { watts }) => sum + (watts ?? 0), 0);
  const scales = new Map(state.scales);
  const policies = packages.flatMap((seen) => {
    const scale = advanceScale(scales.get(seen.packageId), scaleOfWindow(seen));
    if (scale !== undefined) scales.set(seen.packageId, scale);
    // without a reading nothing is said of the package: a power of zero would promise headroom
    if (seen.watts === undefined) return [];
    const part = total > 0 ? (batchWatts * seen.watts) / total : 0;
    return [packagePolicy(seen, seen.watts, batchBudget(seen, part, reserveRatio), scale)];
  });
  return { state: { scales }, packages: policies };
};
