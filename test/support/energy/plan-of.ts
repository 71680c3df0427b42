// SPDX-License-Identifier: Apache-2.0
/** Plans for trees made up in a test, and raw readings as the addon would hand them over. */
import { listCandidates } from '../../../receiver/energy/candidates.js';
import { readEnergyFacts } from '../../../receiver/energy/facts.js';
import type { Liveness } from '../../../receiver/energy/liveness.js';
import { planEnergy } from '../../../receiver/energy/plan.js';
import type { EnergyConfig, EnergyPlan } from '../../../receiver/energy/plan-types.js';
import type { RawReading } from '../../../receiver/model/activity.js';
import { nanos } from '../../../receiver/model/units.js';
import { rootsWith } from '../machines/temporary-tree.js';
import { cpuTree, placesOf, type CpuShape, type Entry } from '../machines/tree.js';

export const alive = (watts: number, lastRaw = BigInt(Math.round(watts * 1e6))): Liveness => ({
  _tag: 'Alive',
  watts,
  lastRaw,
});
export const still: Liveness = { _tag: 'Still', lastRaw: 0n };
export const denied: Liveness = { _tag: 'Failed', reason: 'permission', detail: 'EACCES' };

const ONE_PACKAGE: CpuShape = { packages: 1, coresPerPackage: 2, threadsPerCore: 1 };

export const planOf = (
  parts: readonly Readonly<Record<string, Entry>>[],
  liveness: Readonly<Record<string, Liveness>>,
  options: { readonly shape?: CpuShape; readonly config?: EnergyConfig } = {},
): EnergyPlan => {
  const facts = readEnergyFacts(
    rootsWith(cpuTree(placesOf(options.shape ?? ONE_PACKAGE)), ...parts),
  );
  return planEnergy({
    facts,
    candidates: listCandidates(facts),
    liveness: new Map(Object.entries(liveness)),
    config: options.config ?? { sources: 'auto' },
  });
};

/** `id kind attributed` of each planned domain. */
export const planned = (plan: EnergyPlan): readonly string[] =>
  plan.domains.map(
    ({ domain }) => `${domain.id} ${domain.kind}${domain.isAttributed ? ' attributed' : ''}`,
  );

export const droppedAs = (plan: EnergyPlan): Readonly<Record<string, string>> =>
  Object.fromEntries(plan.dropped.map(({ id, reason }) => [id, reason]));

export const fileReading = (seconds: number, text: string, errno = 0): RawReading => {
  const at = nanos(BigInt(Math.round(seconds * 1e9)));
  return {
    _tag: 'FileReading',
    text: text.slice(0, 40),
    textLength: text.length,
    errno,
    beforeNanos: at,
    afterNanos: at,
  };
};

export const perfReading = (seconds: number, value: bigint, errno = 0): RawReading => {
  const at = nanos(BigInt(Math.round(seconds * 1e9)));
  return {
    _tag: 'PerfReading',
    value,
    enabledNanos: at + 1n,
    runningNanos: at + 1n,
    errno,
    beforeNanos: at,
    afterNanos: at,
  };
};
