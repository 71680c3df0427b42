// SPDX-License-Identifier: Apache-2.0
/** The configuration's words for the split, as the attribution takes them. */
import type { AttributionSettings } from '../attribution/attribute.js';
import type { Config } from '../config/config.js';

export const attributionSettings = ({
  attribution,
  dram,
}: Pick<Config, 'attribution' | 'dram'>): AttributionSettings => ({
  model: attribution.model,
  seed: attribution.seed,
  dramSplit: dram.split,
  idlePolicy: attribution.idlePolicy,
});
