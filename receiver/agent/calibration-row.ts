// SPDX-License-Identifier: Apache-2.0
import type { PackageCalibration } from '../attribution/calibration/calibration.js';
import type { ExplainedCalibration } from '../model/explanation.js';

/** As reports and explanations carry it: JSON has no undefined. */
export const calibrationRow = (fit: PackageCalibration): ExplainedCalibration => ({
  packageId: fit.packageId,
  label: fit.label,
  nrmse: fit.nrmse ?? null,
  priorNrmse: fit.priorNrmse ?? null,
  windows: fit.windows,
});
