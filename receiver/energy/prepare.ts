// SPDX-License-Identifier: Apache-2.0
/** Facts, candidates, probe and plan in one call: what `run` and `check` do first. */
import type { HostRoots } from '../host/roots.js';
import { listCandidates } from './candidates.js';
import { readEnergyFacts, type EnergyFacts } from './facts.js';
import { planEnergy } from './plan.js';
import type { EnergyConfig, EnergyPlan } from './plan-types.js';
import { probeLiveness, type ProbePorts } from './probe.js';

export interface PreparedEnergy {
  readonly facts: EnergyFacts;
  readonly plan: EnergyPlan;
}

/** Takes about 250 ms: the probe reads every source twice. */
export const prepareEnergy = async (
  roots: HostRoots,
  config: EnergyConfig & {
    readonly maxPlausibleWatts?: number | undefined;
    readonly coreCounters?: boolean;
  },
  ports: ProbePorts,
): Promise<PreparedEnergy> => {
  const facts = readEnergyFacts(roots);
  const candidates = listCandidates(facts, config.maxPlausibleWatts, config.coreCounters);
  const liveness = await probeLiveness(candidates.usable, ports);
  return { facts, plan: planEnergy({ facts, candidates, liveness, config }) };
};
