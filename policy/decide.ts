// SPDX-License-Identifier: Apache-2.0
/**
 * One window's observation to what the scheduler is told: power per cgroup with everything below it, budgets
 * and whether they are used up, packages against their limits, classes. Pure: the same input and state give
 * the same policy; all memory is in the state that is handed back.
 */
import { advanceBurst, INITIAL_BURST, type BurstState } from './burst.js';
import { nearest, subtreeSums } from './cgroup-tree.js';
import {
  advanceClass,
  classOfWindow,
  frequencySensitivity,
  INITIAL_CLASS,
  type ClassState,
} from './classify.js';
import { decidePackages, INITIAL_HEADROOM, type HeadroomState } from './headroom.js';
import { firstMatch, matches } from './match.js';
import type { CgroupObservation, Observation, PackageObservation } from './observation.js';
import type { Budget, CgroupPolicy, CpuPolicy, Policy, PolicySettings } from './policy.js';

interface CgroupState {
  readonly workload: ClassState;
  readonly burst: BurstState;
}

export interface DecideState {
  readonly cgroups: ReadonlyMap<bigint, CgroupState>;
  readonly headroom: HeadroomState;
  readonly referenceWatts: number | undefined;
}

export const INITIAL_STATE: DecideState = {
  cgroups: new Map(),
  headroom: INITIAL_HEADROOM,
  referenceWatts: undefined,
};

/** A busy CPU's power while none has been seen. */
const DEFAULT_REFERENCE_WATTS = 4;
const LEAST_REFERENCE_WATTS = 0.05;
const REFERENCE_WEIGHT = 0.2;
/** Fewer busy CPUs than this say nothing about one. */
const LEAST_BUSY_CPUS = 0.05;
const NANO = 1e9;

interface Sums {
  readonly watts: ReadonlyMap<string, number>;
  readonly dramWatts: ReadonlyMap<string, number>;
}

interface Owner {
  readonly id: bigint;
  readonly budget: Budget;
}

const referenceOfWindow = (packages: readonly PackageObservation[]): number | undefined => {
  const known = packages.filter(({ watts }) => watts !== undefined);
  const busyCpus = known.reduce((sum, one) => sum + one.busyRatio * one.cpuCount, 0);
  if (busyCpus < LEAST_BUSY_CPUS) return undefined;
  const active = known.reduce(
    (sum, { watts, idleFloorWatts }) => sum + Math.max(0, (watts ?? 0) - (idleFloorWatts ?? 0)),
    0,
  );
  return Math.max(LEAST_REFERENCE_WATTS, active / busyCpus);
};

const advanceReference = (
  before: number | undefined,
  window: number | undefined,
): number | undefined =>
  window === undefined || before === undefined
    ? (window ?? before)
    : before + (window - before) * REFERENCE_WEIGHT;

/** Path -> the line of the configuration that means exactly this cgroup. */
const ownersByPath = (
  cgroups: readonly CgroupObservation[],
  budgets: readonly Budget[],
): ReadonlyMap<string, Owner> =>
  new Map(
    cgroups.flatMap(({ id, path }) => {
      const budget = firstMatch(budgets, path);
      return budget === undefined ? [] : [[path, { id, budget }] as const];
    }),
  );

const advanceCgroup = (
  before: CgroupState | undefined,
  seen: CgroupObservation,
  watts: number,
  windowSeconds: number,
  owner: Owner | undefined,
): CgroupState => ({
  workload: advanceClass(before?.workload ?? INITIAL_CLASS, classOfWindow(seen, windowSeconds)),
  burst:
    owner?.id === seen.id
      ? advanceBurst(before?.burst ?? INITIAL_BURST, watts, windowSeconds, {
          budgetWatts: owner.budget.watts,
          burstMillis: owner.budget.burstMillis,
        })
      : INITIAL_BURST,
});

/** An inherited budget's verdict is its owner's. */
const budgetPart = (
  owner: Owner | undefined,
  burst: BurstState,
  ownerWatts: number,
): Pick<
  CgroupPolicy,
  | 'budgetOwner'
  | 'budgetWatts'
  | 'overRatio'
  | 'burstMillis'
  | 'isOverBudget'
  | 'isBursting'
  | 'isWorkConserving'
> => {
  if (owner === undefined)
    return {
      budgetOwner: undefined,
      budgetWatts: undefined,
      overRatio: undefined,
      burstMillis: 0,
      isOverBudget: false,
      isBursting: false,
      isWorkConserving: false,
    };
  const { watts: budgetWatts, burstMillis, isWorkConserving } = owner.budget;
  return {
    budgetOwner: owner.id,
    budgetWatts,
    overRatio: (burst.meanWatts ?? ownerWatts) / budgetWatts,
    burstMillis,
    isOverBudget: burst.isOver,
    isBursting: !burst.isOver && ownerWatts > budgetWatts,
    isWorkConserving,
  };
};

/** The heaviest first where not all fit; those with a budget before all others. */
const kept = (policies: readonly CgroupPolicy[], most: number): readonly CgroupPolicy[] =>
  policies.length <= most
    ? policies
    : policies
        .toSorted(
          (a, b) =>
            Number(b.budgetOwner !== undefined) - Number(a.budgetOwner !== undefined) ||
            b.watts - a.watts,
        )
        .slice(0, most);

const decideCgroups = (
  state: DecideState,
  { cgroups, windowSeconds }: Observation,
  settings: PolicySettings,
): {
  readonly policies: readonly CgroupPolicy[];
  readonly states: ReadonlyMap<bigint, CgroupState>;
  readonly batchWatts: number;
} => {
  const sums: Sums = {
    watts: subtreeSums(cgroups, ({ packageWatts }) => packageWatts),
    dramWatts: subtreeSums(cgroups, ({ dramWatts }) => dramWatts),
  };
  const wattsAt = (path: string): number => sums.watts.get(path) ?? 0;
  const owners = ownersByPath(cgroups, settings.budgets);
  const pathById = new Map(cgroups.map(({ id, path }) => [id, path]));
  const states = new Map(
    cgroups.map((seen) => {
      const next = advanceCgroup(
        state.cgroups.get(seen.id),
        seen,
        wattsAt(seen.path),
        windowSeconds,
        owners.get(seen.path),
      );
      return [seen.id, next] as const;
    }),
  );
  const isBatch = (path: string): boolean =>
    nearest(path, (at) => settings.batch.find((match) => matches(match, at))) !== undefined;
  const policies = cgroups.map((seen): CgroupPolicy => {
    const owner = nearest(seen.path, (at) => owners.get(at));
    const burst = (owner && states.get(owner.id)?.burst) ?? INITIAL_BURST;
    const ownerWatts = owner === undefined ? 0 : wattsAt(pathById.get(owner.id) ?? seen.path);
    const { instructions, packageWatts } = seen;
    return {
      id: seen.id,
      path: seen.path,
      watts: wattsAt(seen.path),
      dramWatts: sums.dramWatts.get(seen.path) ?? 0,
      ...budgetPart(owner, burst, ownerWatts),
      isBatch: isBatch(seen.path),
      workload: states.get(seen.id)?.workload.held ?? 'unknown',
      frequencySensitivity: frequencySensitivity(seen),
      energyPerInstructionNanojoules:
        instructions > 0 ? (packageWatts * windowSeconds * NANO) / instructions : undefined,
      queueWaitRatio: windowSeconds > 0 ? seen.queueWaitSeconds / windowSeconds : 0,
      spinRatio: seen.spinRatio,
      headroomBudgetWatts: undefined,
    };
  });
  const batchWatts = cgroups.reduce(
    (sum, seen) => sum + (isBatch(seen.path) ? seen.packageWatts : 0),
    0,
  );
  return { policies, states, batchWatts };
};

export interface Decision {
  readonly policy: Policy;
  readonly state: DecideState;
}

/** `windowSeconds` above 0. Powers in watts. */
export const decide = (
  state: DecideState,
  observation: Observation,
  settings: PolicySettings,
): Decision => {
  const { policies, states, batchWatts } = decideCgroups(state, observation, settings);
  const packages = decidePackages(
    state.headroom,
    observation.packages,
    batchWatts,
    settings.headroomReserve,
  );
  const budgets = packages.packages.flatMap(({ batchBudgetWatts }) => batchBudgetWatts ?? []);
  const headroom = budgets.length === 0 ? undefined : budgets.reduce((sum, one) => sum + one, 0);
  const reference = advanceReference(state.referenceWatts, referenceOfWindow(observation.packages));
  const cpus = observation.cpus.map(({ placement, ...seen }): CpuPolicy => ({
    ...seen,
    siblingWatts: placement.siblingWatts,
    idleCoreWatts: placement.coreWatts,
    idlePackageWatts: placement.packageWatts,
  }));
  return {
    policy: {
      source: observation.origin,
      split: observation.split === 'counters' ? 'counters' : 'time',
      windowSeconds: observation.windowSeconds,
      referenceWatts: reference ?? DEFAULT_REFERENCE_WATTS,
      cgroups: kept(policies, settings.maxCgroups).map((one) =>
        one.isBatch ? { ...one, headroomBudgetWatts: headroom } : one,
      ),
      packages: packages.packages,
      cpus,
    },
    state: { cgroups: states, headroom: packages.state, referenceWatts: reference },
  };
};
