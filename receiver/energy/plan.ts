// SPDX-License-Identifier: Apache-2.0
/**
 * Facts -> what is read, what is attributed, what is left alone and why. Pure.
 *
 * Never counted twice: one source per package; dies stand for a package only where no package
 * counter counts; core and uncore are inside it and only shown; psys and other whole-machine meters
 * contain everything and are attributed to nobody. DRAM is outside the package.
 */
import type { EnergyDomain, EnergyDomainKind } from '../model/energy-domain.js';
import { formatWatts } from './format.js';
import type { Judged, Selection } from './plan-select.js';
import { dropAll, selectGroup, sortCandidates, sourceOrder } from './plan-select.js';
import type { DroppedSource, EnergyPlan, PlanInput, PlannedDomain } from './plan-types.js';
import type { DramModel } from './measure.js';
import { longestWindowMillis, planNotes } from './plan-notes.js';
import { curveOfPackage, resolveModel, type ModelParameters } from './model.js';

interface PackagePlan {
  readonly attributed: readonly PlannedDomain[];
  readonly breakdown: readonly PlannedDomain[];
  readonly dropped: readonly DroppedSource[];
  readonly isModelled: boolean;
}

const evidenceOf = ({ liveness }: Judged): string => {
  switch (liveness._tag) {
    case 'Alive':
      return formatWatts(liveness.watts);
    case 'Still':
      return `resting at ${String(liveness.lastRaw)}`;
    case 'Failed':
      return `failed: ${liveness.reason} (${liveness.detail})`;
    case 'Implausible':
      return liveness.detail;
  }
};

const planned = (
  judged: Judged,
  parentId: string | undefined,
  isAttributed: boolean,
): PlannedDomain => {
  const { id, kind, name, packageId, coreId, source, measure, specs } = judged.candidate;
  const domain: EnergyDomain = {
    id,
    kind,
    name,
    packageId,
    ...(coreId === undefined ? {} : { coreId }),
    parentId,
    source,
    origin: 'measured',
    isAttributed,
  };
  const isBattery = measure._tag === 'Battery';
  return {
    domain,
    measure,
    specs,
    evidence: isBattery ? 'while discharging' : evidenceOf(judged),
    isFailing: judged.liveness._tag === 'Failed',
  };
};

const modelled = (
  packageId: number,
  shareRatio: number,
  parentId: string | undefined,
  model: ModelParameters,
): PlannedDomain => {
  const curve = curveOfPackage(model, shareRatio);
  return {
    domain: {
      id: `model/package:${String(packageId)}`,
      kind: 'package',
      name: `package-${String(packageId)}`,
      packageId,
      parentId,
      source: 'model',
      origin: 'modelled',
      isAttributed: true,
    },
    measure: { _tag: 'Model', packageId, curve },
    specs: [],
    isFailing: false,
    evidence: `${formatWatts(curve.idleWatts)} idle to ${formatWatts(curve.maxWatts)} busy`,
  };
};

const modelledDram = (
  packageId: number,
  parentId: string | undefined,
  dram: DramModel,
): PlannedDomain => ({
  domain: {
    id: `model/dram:${String(packageId)}`,
    kind: 'dram',
    name: 'dram',
    packageId,
    parentId,
    source: 'model',
    origin: 'modelled',
    isAttributed: true,
  },
  measure: { _tag: 'DramModel', packageId, dram },
  specs: [],
  isFailing: false,
  evidence: `${formatWatts(dram.backgroundWatts)} and ${String(dram.lineNanojoules)} nJ a line`,
});

/** Package counter, else its dies. */
const selectPackage = (fit: readonly Judged[], input: PlanInput): Selection => {
  const order = sourceOrder(input.config);
  const ofKind = (kind: EnergyDomainKind): readonly Judged[] =>
    fit.filter(({ candidate }) => candidate.kind === kind);
  const dies = ofKind('die');
  const packages = ofKind('package');
  const counters = packages.filter(({ candidate }) => candidate.source !== 'hwmon');
  // A board sensor integrates power; dies that count energy are better than that.
  const preferred = counters.length > 0 || dies.length === 0 ? packages : dies;
  const selection = selectGroup(preferred, order);
  const others = preferred === packages ? dies : packages;
  const instead = selection.taken.map(({ candidate }) => candidate.id).join(', ');
  const reason = preferred === packages ? 'contained' : 'duplicate';
  return {
    taken: selection.taken,
    dropped: [...selection.dropped, ...dropAll(others, reason, `${instead} is read instead`)],
  };
};

/** The domain that contains this core or uncore: its die where dies are read, else the package. */
const containerOf = (
  packageDomains: readonly PlannedDomain[],
  taken: readonly Judged[],
  dieId: number | undefined,
): string | undefined => {
  const sameDie = taken.find(({ candidate }) => dieId !== undefined && candidate.dieId === dieId);
  return sameDie?.candidate.id ?? packageDomains[0]?.domain.id;
};

const planPackage = (
  packageId: number,
  fit: readonly Judged[],
  input: PlanInput,
  context: {
    readonly machineId: string | undefined;
    readonly model: ModelParameters;
    readonly shareRatio: number;
  },
): PackagePlan => {
  const order = sourceOrder(input.config);
  const own = fit.filter(({ candidate }) => candidate.packageId === packageId);
  const ofKind = (kind: EnergyDomainKind): Selection =>
    selectGroup(
      own.filter(({ candidate }) => candidate.kind === kind),
      order,
    );
  const main = selectPackage(own, input);
  const measured = main.taken.map((judged) => planned(judged, context.machineId, true));
  const mayModel = order.includes('model') && context.shareRatio > 0;
  const isModelled = measured.length === 0 && mayModel;
  const packageDomains = isModelled
    ? [modelled(packageId, context.shareRatio, context.machineId, context.model)]
    : measured;
  const dram = ofKind('dram');
  const { dramModel } = input.config;
  // A board's sensor of a socket may contain the memory (Grace): there is nothing to predict then.
  const mayModelDram =
    dramModel !== undefined &&
    dram.taken.length === 0 &&
    !packageDomains.some(({ domain }) => domain.source === 'hwmon');
  const inner = [ofKind('core'), ofKind('uncore')];
  return {
    attributed: [
      ...packageDomains,
      ...dram.taken.map((judged) => planned(judged, context.machineId, true)),
      ...(mayModelDram ? [modelledDram(packageId, context.machineId, dramModel)] : []),
    ],
    breakdown: inner.flatMap(({ taken }) =>
      taken.map((judged) =>
        planned(judged, containerOf(packageDomains, main.taken, judged.candidate.dieId), false),
      ),
    ),
    dropped: [main, dram, ...inner].flatMap((selection) => selection.dropped),
    isModelled,
  };
};

interface MeterPlan {
  readonly meters: readonly PlannedDomain[];
  readonly dropped: readonly DroppedSource[];
  /** Becomes the packages' parent. */
  readonly machineId: string | undefined;
}

const powerOf = ({ liveness }: Judged): number => (liveness._tag === 'Alive' ? liveness.watts : 0);

/** psys once; of several board meters the one that reads most (one of two supplies is not the machine); batteries. */
const planMeters = (fit: readonly Judged[], input: PlanInput): MeterPlan => {
  const platform = fit.filter(({ candidate }) => candidate.kind === 'platform');
  const from = (...sources: readonly string[]): readonly Judged[] =>
    platform.filter(({ candidate }) => sources.includes(candidate.source));
  const psys = selectGroup(from('perf', 'powercap'), sourceOrder(input.config));
  const boards = [...from('hwmon')].sort((a, b) => powerOf(b) - powerOf(a));
  const [board, ...lesser] = boards;
  const batteries = from('power-supply');
  const fixed = [...psys.taken, ...(board === undefined ? [] : [board])];
  return {
    meters: [...fixed, ...batteries].map((judged) => planned(judged, undefined, false)),
    dropped: [
      ...psys.dropped,
      ...dropAll(lesser, 'duplicate', `${board?.candidate.id ?? ''} reads more and is taken`),
    ],
    machineId: fixed[0]?.candidate.id,
  };
};

const packagesOf = (input: PlanInput, fit: readonly Judged[]): readonly number[] => {
  const ids = new Set(input.facts.host.topology.packageIds);
  for (const { candidate } of fit)
    if (candidate.packageId !== undefined) ids.add(candidate.packageId);
  return [...ids].sort((a, b) => a - b);
};

export const planEnergy = (input: PlanInput): EnergyPlan => {
  const { facts, candidates, liveness, config } = input;
  const { fit, dropped } = sortCandidates(candidates.usable, liveness, config);
  const online = facts.host.topology.cpus.filter((cpu) => cpu.isOnline);
  const model = resolveModel(config, facts.cpuModel, online.length);
  const meters = planMeters(fit, input);
  const packages = packagesOf(input, fit).map((packageId) =>
    planPackage(packageId, fit, input, {
      machineId: meters.machineId,
      model,
      shareRatio: online.filter((cpu) => cpu.packageId === packageId).length / (online.length || 1),
    }),
  );
  const attributed = packages.flatMap((plan) => plan.attributed);
  const isDram = ({ domain }: PlannedDomain): boolean => domain.kind === 'dram';
  const domains = [
    ...attributed.filter((domain) => !isDram(domain)),
    ...attributed.filter(isDram),
    ...packages.flatMap((plan) => plan.breakdown),
    ...meters.meters,
  ];
  const unusable = candidates.unusable.map(({ id, name, reason, why }): DroppedSource => ({
    id,
    name,
    reason,
    detail: why,
  }));
  return {
    domains,
    dropped: [
      ...dropped,
      ...packages.flatMap((plan) => plan.dropped),
      ...meters.dropped,
      ...unusable,
    ],
    model: packages.some((plan) => plan.isModelled) ? model : undefined,
    notes: planNotes(input, domains, fit),
    longestWindowMillis: longestWindowMillis(domains),
  };
};
