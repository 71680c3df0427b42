// SPDX-License-Identifier: Apache-2.0
/** What has no row of its own any more as one row, so that the rows' sum is the whole. Pure. */
import type { EnergyRow } from '../../model/agent-report.js';
import { energyOnly, type ViewRow } from './row.js';

/** None where there is nothing in it. */
export const remainder = (name: string, energy: EnergyRow): readonly ViewRow[] => {
  const row = energyOnly(energy);
  const isEmpty = Object.values(row).every((value) => value === 0 || value === null);
  if (isEmpty) return [];
  const place = { key: name, pid: undefined, user: '', count: 0, name, cgroup: '', depth: 0 };
  return [{ ...row, ...place, kind: 'remainder' }];
};
