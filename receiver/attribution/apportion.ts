// SPDX-License-Identifier: Apache-2.0
/**
 * Splits one window's integer microjoules by weights so that the parts add up to exactly the whole:
 * largest-remainder rounding. Never rounding up each share (Kepler 0.9 does: more is handed out than
 * was measured), never rounding each to nearest (the sum drifts).
 */

/**
 * Up to this energy the rounding errors of all `total * (weight / sum)` in doubles together stay below
 * total * 4 * 2^-53 = 1/32 of a microjoule. So no share is off by a whole one, and the whole parts
 * never add up to more than the total. It is 70 MJ: 19 kW for the longest window of an hour. More is
 * split in portions of this size.
 */
const PORTION_MICROJOULES = 2 ** 46;

/** A sum of a million such weights is still finite. No real weight comes near it. */
const LARGEST_WEIGHT = 1e300;

const isUsable = (weight: number): boolean => weight > 0 && weight <= LARGEST_WEIGHT;

/** Neumaier's sum: exact for integers below 2^53, two roundings for anything else, in any order. */
const sumOf = (weights: ArrayLike<number>): number => {
  let sum = 0;
  let lost = 0;
  for (let i = 0; i < weights.length; i++) {
    const weight = weights[i] ?? 0;
    if (!isUsable(weight)) continue;
    const next = sum + weight;
    lost += Math.abs(sum) >= weight ? sum - next + weight : weight - next + sum;
    sum = next;
  }
  return sum + lost;
};

/** Hoare's selection: what stands at `place` of the sorted values. Reorders them; linear on average. */
const selectNth = (values: Float64Array, place: number): number => {
  let [low, high] = [0, values.length - 1];
  while (low < high) {
    const pivot = values[(low + high) >> 1] ?? 0;
    let [left, right] = [low, high];
    while (left <= right) {
      while ((values[left] ?? 0) < pivot) left += 1;
      while ((values[right] ?? 0) > pivot) right -= 1;
      if (left > right) break;
      const swapped = values[left] ?? 0;
      values[left] = values[right] ?? 0;
      values[right] = swapped;
      left += 1;
      right -= 1;
    }
    if (place <= right) high = right;
    else if (place >= left) low = left;
    else break;
  }
  return values[place] ?? 0;
};

/** One microjoule more to each of the `count` largest remainders; among equals to the first ones. */
const settle = (shares: Float64Array, remainders: Float64Array, count: number): void => {
  if (count === 0) return;
  const threshold = selectNth(remainders.slice(), remainders.length - count);
  let atThreshold = count;
  for (const remainder of remainders) if (remainder > threshold) atThreshold -= 1;
  for (let i = 0; i < shares.length; i++) {
    const remainder = remainders[i] ?? 0;
    if (remainder < threshold || (remainder === threshold && atThreshold <= 0)) continue;
    if (remainder === threshold) atThreshold -= 1;
    shares[i] = (shares[i] ?? 0) + 1;
  }
};

const apportionPortion = (total: number, weights: ArrayLike<number>, sum: number): Float64Array => {
  const shares = new Float64Array(weights.length);
  const remainders = new Float64Array(weights.length).fill(-1);
  let given = 0;
  for (let i = 0; i < weights.length; i++) {
    const weight = weights[i] ?? 0;
    if (!isUsable(weight)) continue;
    const real = total * (weight / sum);
    const whole = Math.floor(real);
    shares[i] = whole;
    remainders[i] = real - whole;
    given += whole;
  }
  settle(shares, remainders, total - given);
  return shares;
};

/**
 * Shares of `totalMicrojoules` (an integer in [0, 2^53)) in proportion to `weights`.
 *
 * - The shares are integers >= 0 and add up to the total exactly; all zero if no weight is positive.
 * - Each is less than 1 uJ from the real share (per portion of 2^46 uJ).
 * - A larger weight never gets less; a weight that is zero, negative, above 1e300 or NaN gets nothing.
 * - Deterministic; the order of the weights only decides who gets the odd microjoule among equals.
 *
 * Integer weights whose sum is below 2^53 are exact (task times are).
 */
export const apportion = (totalMicrojoules: number, weights: ArrayLike<number>): Float64Array => {
  const sum = sumOf(weights);
  if (!(sum > 0) || totalMicrojoules === 0) return new Float64Array(weights.length);
  if (totalMicrojoules <= PORTION_MICROJOULES) {
    return apportionPortion(totalMicrojoules, weights, sum);
  }
  const shares = new Float64Array(weights.length);
  for (let rest = totalMicrojoules; rest > 0; rest -= PORTION_MICROJOULES) {
    const portion = apportionPortion(Math.min(rest, PORTION_MICROJOULES), weights, sum);
    for (let i = 0; i < shares.length; i++) shares[i] = (shares[i] ?? 0) + (portion[i] ?? 0);
  }
  return shares;
};
