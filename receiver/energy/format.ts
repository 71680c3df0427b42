// SPDX-License-Identifier: Apache-2.0
/** Three significant digits, as far as a power reading is worth: `0.35 W`, `12.4 W`, `213 W`. */
export const formatWatts = (powerWatts: number): string => {
  const magnitude = Math.abs(powerWatts);
  const digits = magnitude >= 100 ? 0 : magnitude >= 10 ? 1 : 2;
  return `${powerWatts.toFixed(digits)} W`;
};
