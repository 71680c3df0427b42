// SPDX-License-Identifier: Apache-2.0
/** Looks at the machine once, at start: CPUs, cgroups, energy sources and which of them really count. */
import { setTimeout as wait } from 'node:timers/promises';
import type { ActivityPort } from '../activity/port.js';
import type { Config } from '../config/config.js';
import type { CounterPlan } from '../counters/plan.js';
import { readCounterPlan } from '../counters/read-plan.js';
import type { EnergyFacts } from '../energy/facts.js';
import type { EnergyConfig, EnergyPlan } from '../energy/plan-types.js';
import { prepareEnergy } from '../energy/prepare.js';
import type { ProbePorts } from '../energy/probe.js';
import { chooseCgroupHierarchy, type CgroupHierarchy } from '../host/cgroup-hierarchy.js';
import type { Clock } from '../host/clock.js';
import { readHostIdentity, type HostIdentity } from '../host/identity.js';

export interface Machine {
  readonly facts: EnergyFacts;
  readonly counters: CounterPlan;
  readonly plan: EnergyPlan;
  readonly cgroups: CgroupHierarchy;
  readonly host: HostIdentity;
}

export interface MachinePorts {
  /** Undefined where the addon cannot be loaded: perf sources then count as unusable. */
  readonly activity: ActivityPort | undefined;
  readonly clock: Clock;
}

const pause = async (durationMillis: number): Promise<void> => wait(durationMillis);

export const probePorts = (activity: ActivityPort | undefined, clock: Clock): ProbePorts => ({
  probePerf:
    activity === undefined ? undefined : (spec, millis) => activity.probePerf(spec, millis),
  clock,
  wait: pause,
});

/** `accounting.cgroup_hierarchy` wins over what the host suggests. */
const chosenHierarchy = ({ roots, accounting }: Config): CgroupHierarchy => {
  const suggested = chooseCgroupHierarchy(roots);
  const wanted = accounting.cgroupHierarchy;
  if (wanted === 'auto' || wanted === suggested.hierarchy) return suggested;
  const known = suggested.candidates.find(({ controller }) => controller === wanted);
  return {
    ...suggested,
    hierarchy: wanted,
    directory: known?.directory ?? `${roots.cgroup}/${wanted}`,
    reason: 'accounting.cgroup_hierarchy in the configuration',
  };
};

/** What the energy plan is made from; `check` and `run` ask for the same. */
export const energyConfig = ({
  energy,
  dram,
}: Pick<Config, 'energy' | 'dram'>): EnergyConfig & {
  readonly maxPlausibleWatts: number | undefined;
  readonly coreCounters: boolean;
} => ({
  ...energy,
  dramModel: dram.isModelled
    ? { backgroundWatts: dram.backgroundWatts, lineNanojoules: dram.lineNanojoules }
    : undefined,
});

/** Takes a quarter of a second where there are sources to watch. */
export const surveyMachine = async (
  config: Config,
  { activity, clock }: MachinePorts,
): Promise<Machine> => {
  const energy = await prepareEnergy(
    config.roots,
    energyConfig(config),
    probePorts(activity, clock),
  );
  return {
    ...energy,
    counters: readCounterPlan(config.roots, energy.facts, config.accounting.counters),
    cgroups: chosenHierarchy(config),
    host: readHostIdentity(config.roots),
  };
};
