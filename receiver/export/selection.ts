// SPDX-License-Identifier: Apache-2.0
/**
 * Which entities get series of their own when there are more than the cap allows; pure.
 *
 * Chosen by what they burned since the last export, and sticky: while there is room the biggest are
 * promoted; without room a newcomer takes a place only from one that has had it for some exports and
 * burned less than half as much. Without these two conditions entities of like power would swap places
 * at every export, and each swap ends a series and begins another.
 */
export interface Candidate {
  /** Microjoules since the last export (microseconds of CPU time on a host without energy). */
  readonly gain: number;
}

export interface Resident {
  readonly gain: number;
  /** Exports since it was promoted. */
  readonly ageExports: number;
}

export interface SelectionLimits {
  readonly maxSeries: number;
}

/** A place is kept for this many exports at least: about a minute at the default interval of 10 s. */
export const MIN_RESIDENCE_EXPORTS = 6;
/** A newcomer must burn this many times as much as the one it replaces. */
export const TAKEOVER_FACTOR = 2;
/** At most this part of all places changes hands in one export. */
const MAX_SWAP_RATIO = 0.05;

export interface Selection<C, R> {
  readonly promoted: readonly C[];
  readonly demoted: readonly R[];
}

export const selectSeries = <C extends Candidate, R extends Resident>(
  candidates: readonly C[],
  residents: readonly R[],
  { maxSeries }: SelectionLimits,
): Selection<C, R> => {
  const burning = candidates.filter(({ gain }) => gain > 0);
  const room = Math.max(0, maxSeries - residents.length);
  if (burning.length <= room) return { promoted: burning, demoted: [] };
  burning.sort((a, b) => b.gain - a.gain);
  const waiting = burning.slice(room);
  const demoted = takenOver(waiting, residents, Math.ceil(maxSeries * MAX_SWAP_RATIO));
  return { promoted: burning.slice(0, room + demoted.length), demoted };
};

/** The weakest residents, each burning less than half of the newcomer of the same rank. */
const takenOver = <R extends Resident>(
  waiting: readonly Candidate[],
  residents: readonly R[],
  maxSwaps: number,
): readonly R[] => {
  const weakest = residents
    .filter(({ ageExports }) => ageExports >= MIN_RESIDENCE_EXPORTS)
    .sort((a, b) => a.gain - b.gain)
    .slice(0, maxSwaps);
  const firstSafe = weakest.findIndex(({ gain }, rank) => {
    const newcomer = waiting[rank];
    return newcomer === undefined || newcomer.gain <= TAKEOVER_FACTOR * gain;
  });
  return firstSafe === -1 ? weakest : weakest.slice(0, firstSafe);
};
