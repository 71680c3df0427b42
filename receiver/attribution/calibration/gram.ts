// SPDX-License-Identifier: Apache-2.0
/**
 * Least squares that forgets: the Gram matrix and moment of weighted rows, and the bounded ridge
 * solution by cyclic coordinate descent.
 *
 *   G ← G + ω·x xᵀ      h ← h + ω·x·y       what was known along x is forgotten first
 *   min ½θᵀ(G+Λ)θ − (h+Λθ0)ᵀθ,  lo ≤ θ ≤ hi,   Λ_j = η·(tr(DGD)/p) / θ0_j²,  D = diag(θ0)
 *
 * Recursive least squares would do the same with less memory, but it winds up under a constant load;
 * the ridge towards the priors does not.
 */
export interface Gram {
  readonly size: number;
  /** Row by row, size x size, symmetric. */
  readonly matrix: Float64Array;
  readonly moment: Float64Array;
}

export const dot = (a: Float64Array, b: Float64Array): number => {
  let sum = 0;
  for (let at = 0; at < a.length; at++) sum += (a[at] ?? 0) * (b[at] ?? 0);
  return sum;
};

export const newGram = (size: number): Gram => ({
  size,
  matrix: new Float64Array(size * size),
  moment: new Float64Array(size),
});

/**
 * Forgets what was known along `x` by `factor`, and nothing else (Cao and Schwartz, Automatica 2000), so
 * that the solution stays where it is:
 *
 *   G ← G − (1−λ)·(Gx)(Gx)ᵀ / xᵀGx      h ← h − (1−λ)·(Gx)·(xᵀh) / xᵀGx
 *
 * Decay of everything alike would let one load that runs for an hour wipe out what others taught.
 */
export const forgetAlong = (gram: Gram, x: Float64Array, factor: number): void => {
  const { size, matrix, moment } = gram;
  const along = new Float64Array(size);
  for (let row = 0; row < size; row++)
    for (let column = 0; column < size; column++)
      along[row] = (along[row] ?? 0) + (matrix[row * size + column] ?? 0) * (x[column] ?? 0);
  const known = dot(x, along);
  if (!(known > 0)) return;
  const part = (1 - factor) / known;
  const momentAlong = dot(x, moment);
  for (let row = 0; row < size; row++) {
    const scaled = part * (along[row] ?? 0);
    moment[row] = (moment[row] ?? 0) - scaled * momentAlong;
    for (let column = 0; column < size; column++) {
      const at = row * size + column;
      matrix[at] = (matrix[at] ?? 0) - scaled * (along[column] ?? 0);
    }
  }
};

export const addRow = (gram: Gram, x: Float64Array, y: number, weight: number): void => {
  const { size, matrix, moment } = gram;
  for (let row = 0; row < size; row++) {
    const scaled = weight * (x[row] ?? 0);
    if (scaled === 0) continue;
    moment[row] = (moment[row] ?? 0) + scaled * y;
    for (let column = 0; column < size; column++) {
      const at = row * size + column;
      matrix[at] = (matrix[at] ?? 0) + scaled * (x[column] ?? 0);
    }
  }
};

export interface Bounds {
  readonly prior: Float64Array;
  readonly low: Float64Array;
  readonly high: Float64Array;
}

/** Pull to the priors, in parts of the mean diagonal. */
export const RIDGE = 0.02;
/** Cycles, core time and on-time move together: the descent is slow, and still below a millisecond. */
const SWEEPS = 4000;
const STEP_RATIO = 1e-10;

const ridgeOf = ({ size, matrix }: Gram, { prior }: Bounds, ridge: number): Float64Array => {
  let trace = 0;
  for (let j = 0; j < size; j++) trace += (matrix[j * size + j] ?? 0) * (prior[j] ?? 0) ** 2;
  return Float64Array.from(prior, (value) => (value > 0 ? (ridge * trace) / size / value ** 2 : 0));
};

const clip = (value: number, low: number, high: number): number =>
  value < low ? low : value > high ? high : value;

/** Best θ for the rows so far; the priors where there are none. 7 unknowns: up to 0.5 ms. */
export const solve = (gram: Gram, bounds: Bounds, ridge = RIDGE): Float64Array => {
  const { size, matrix, moment } = gram;
  const { prior, low, high } = bounds;
  const pull = ridgeOf(gram, bounds, ridge);
  const theta = prior.slice();
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    let moved = 0;
    for (let j = 0; j < size; j++) {
      const ridgeJ = pull[j] ?? 0;
      const diagonal = (matrix[j * size + j] ?? 0) + ridgeJ;
      if (!(diagonal > 0)) continue;
      let rest = (moment[j] ?? 0) + ridgeJ * (prior[j] ?? 0);
      for (let k = 0; k < size; k++)
        if (k !== j) rest -= (matrix[j * size + k] ?? 0) * (theta[k] ?? 0);
      const next = clip(rest / diagonal, low[j] ?? 0, high[j] ?? Infinity);
      const scale = Math.max(1e-12, prior[j] ?? 0);
      moved = Math.max(moved, Math.abs(next - (theta[j] ?? 0)) / scale);
      theta[j] = next;
    }
    if (moved < STEP_RATIO) break;
  }
  return theta;
};
