// SPDX-License-Identifier: Apache-2.0
/** Sums of energy rows in which a quantity may be absent or unknown. Pure. */
import type { EnergyRow } from './agent-report.js';

/** What is null adds nothing; null only if neither is known. Any unit, the same for both. */
export const addKnown = (a: number | null, b: number | null): number | null =>
  a === null ? b : b === null ? a : a + b;

export const addEnergyRows = (a: EnergyRow, b: EnergyRow): EnergyRow => ({
  packageWatts: addKnown(a.packageWatts, b.packageWatts),
  dramWatts: addKnown(a.dramWatts, b.dramWatts),
  packageJoules: addKnown(a.packageJoules, b.packageJoules),
  dramJoules: addKnown(a.dramJoules, b.dramJoules),
  cpuRatio: a.cpuRatio + b.cpuRatio,
  cpuSeconds: a.cpuSeconds + b.cpuSeconds,
  ...(a.isDramPredicted === true || b.isDramPredicted === true ? { isDramPredicted: true } : {}),
});
