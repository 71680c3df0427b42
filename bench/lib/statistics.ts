// SPDX-License-Identifier: Apache-2.0
/** Of measured figures: always one that was measured, never a mean of two. NaN of none. Pure. */

/** `at`: 0 is the least, 1 the most. */
export const quantile = (values: readonly number[], at: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor(at * (values.length - 1))] ?? Number.NaN;

/** The upper of the middle two of an even number: a cost is not made to look less. */
export const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
