// SPDX-License-Identifier: Apache-2.0
/** What was learnt, as it is read back from a file. Checks shape and range, not sense. */
import { z } from 'zod';
import type { SavedFit } from './package-fit.js';

const numbers = z.array(z.number()).max(4096);
const errors = z.object({ squares: numbers, energies: numbers });

export const savedFitSchema: z.ZodType<SavedFit> = z.object({
  packageId: z.int(),
  coreTypes: z.array(z.string()).max(16),
  matrix: numbers,
  moment: numbers,
  scaleNumerator: z.number(),
  scaleDenominator: z.number(),
  theta: numbers,
  isCalibrated: z.boolean(),
  windows: z.number().min(0),
  sinceSolveSeconds: z.number().min(0),
  meanError: z.number().min(0),
  ofPrior: errors,
  ofCandidate: errors,
});
