// SPDX-License-Identifier: Apache-2.0
/** One entity's part of one window, taken apart: the same numbers that `attribute` split by. */
import type { TaskSample } from '../model/activity.js';
import type {
  ExplainedDomain,
  ExplainedFeatures,
  ExplainedPool,
  ExplainedTerm,
} from '../model/explanation.js';
import { NANOS_PER_SECOND, secondsOf } from '../model/units.js';
import { advancesOf, type Advance } from './advances.js';
import { splitContext, type AttributionInput } from './attribute.js';
import type { Claims } from './claims.js';
import {
  addFeatures,
  coefficientsFor,
  domainFeatures,
  domainRates,
  emptyRow,
  PRIOR_INSTRUCTIONS_PER_CYCLE,
  rowFeatures,
  type RowFeatures,
} from './row-terms.js';
import { splitDomain, type DomainSplit, type SplitContext } from './split-domain.js';

export type IsOwn = (task: TaskSample) => boolean;

const GIGA = 1e9;

export const explainFeatures = ({ window }: AttributionInput, isOwn: IsOwn): ExplainedFeatures => {
  const own = window.tasks.filter(isOwn);
  const sum = (pick: (task: TaskSample) => number): number =>
    own.reduce((all, task) => all + pick(task), 0);
  const runtime = sum(({ runtimeNanos }) => runtimeNanos);
  const uncounted = sum((task) => Math.min(task.runtimeNanos, task.uncountedNanos));
  return {
    rows: own.length,
    cpuSeconds: runtime / NANOS_PER_SECOND,
    countedRatio: runtime > 0 ? (runtime - uncounted) / runtime : 0,
    sharedCoreSeconds: sum(({ overlapNanos }) => overlapNanos) / NANOS_PER_SECOND,
    cycles: sum(({ cycles }) => cycles),
    instructions: sum(({ instructions }) => instructions),
    llcMisses: sum(({ llcMisses }) => llcMisses),
    vectorOps: sum(({ vectorOps }) => vectorOps),
  };
};

/** The own rows' features by CPU domain. */
const featuresByDomain = (
  { window }: AttributionInput,
  rows: readonly number[],
): ReadonlyMap<number, RowFeatures> => {
  const domains = domainFeatures(window);
  const sums = new Map<number, RowFeatures>();
  const row = emptyRow();
  for (const at of rows) {
    const task = window.tasks[at];
    const domain = task && domains.get(task.cpuDomain);
    if (task === undefined || domain === undefined) continue;
    rowFeatures(task, domainRates(domain), row);
    const sum = sums.get(task.cpuDomain) ?? emptyRow();
    addFeatures(sum, row);
    sums.set(task.cpuDomain, sum);
  }
  return sums;
};

const PER_EVENT = { unit: '10⁹', per: 'nJ' } as const;
const PER_SECOND = { unit: 's', per: 'W' } as const;

const term = (
  name: string,
  coreType: string,
  amount: number,
  coefficient: number,
  { unit, per }: typeof PER_EVENT | typeof PER_SECOND,
): ExplainedTerm => ({
  name,
  coreType,
  amount,
  amountUnit: unit,
  coefficient,
  coefficientUnit: per,
  joules: amount * coefficient,
});

/** Of a package under the counter or time model; the seed's formula has no terms, only a weight. */
const termsOf = (
  input: AttributionInput,
  context: SplitContext,
  rows: readonly number[],
): readonly ExplainedTerm[] => {
  if (context.weights.split === 'seed') return [];
  const isTime = context.weights.split === 'time';
  const isUniform = new Set(input.topology.cpuDomains.map(({ coreType }) => coreType)).size < 2;
  const all = [...featuresByDomain(input, rows)].flatMap(([index, row]) => {
    const by = coefficientsFor(context.coefficients, index);
    const type = isUniform ? '' : (input.topology.cpuDomains[index]?.coreType ?? '');
    const cycle =
      by.cycleNanojoules + (isTime ? PRIOR_INSTRUCTIONS_PER_CYCLE * by.instructionNanojoules : 0);
    const core = [
      term('cycles', type, row.phiCycles / GIGA, cycle, PER_EVENT),
      ...(isTime
        ? []
        : [
            term(
              'instructions',
              type,
              row.phiInstructions / GIGA,
              by.instructionNanojoules,
              PER_EVENT,
            ),
            term('vector work', type, row.phiVector / GIGA, by.vectorNanojoules, PER_EVENT),
          ]),
      term('core time', type, row.coreNanos / GIGA, by.coreWatts, PER_SECOND),
    ];
    const uncore = [
      ...(isTime
        ? []
        : [term('cache misses', '', row.llcMisses / GIGA, by.llcMissNanojoules, PER_EVENT)]),
      term('package on', '', row.packageOnNanos / GIGA, by.packageOnWatts, PER_SECOND),
    ];
    return [...core, ...uncore];
  });
  return all.filter(({ amount }) => amount > 0);
};

/** Positions of the own rows among a domain's claims. */
const ownPositions = (
  { taskRows }: Claims,
  { window }: AttributionInput,
  isOwn: IsOwn,
): readonly number[] =>
  [...taskRows].flatMap((row, at) => {
    const task = window.tasks[row];
    return task !== undefined && isOwn(task) ? [at] : [];
  });

const sumAt = (values: Float64Array, positions: readonly number[]): number =>
  positions.reduce((sum, at) => sum + (values[at] ?? 0), 0);

const sumAll = (values: Float64Array): number =>
  values.reduce((sum, value) => (value > 0 ? sum + value : sum), 0);

const poolOf = (
  name: ExplainedPool['name'],
  microjoules: bigint,
  weights: Float64Array,
  positions: readonly number[],
  unit: string,
): ExplainedPool => {
  const [own, all] = [sumAt(weights, positions), sumAll(weights)];
  return {
    name,
    microjoules: String(microjoules),
    ownWeight: own,
    allWeight: all,
    weightUnit: unit,
    share: all > 0 ? own / all : 0,
  };
};

const together = (core: Float64Array, uncore: Float64Array | undefined): Float64Array =>
  uncore === undefined ? core : core.map((weight, at) => weight + (uncore[at] ?? 0));

const UNIT_OF_SPLIT = { counters: 'nJ', time: 'nJ', seed: 'ns', rss: 'bytes' } as const;
const UNIT_OF_MEMORY = { counters: 'lines', time: 'ns', seed: 'ns', rss: 'bytes' } as const;

const poolsOf = (
  advance: Advance,
  { balance }: DomainSplit,
  claims: Claims,
  positions: readonly number[],
): readonly ExplainedPool[] => {
  const active = advance.deltaMicrojoules - advance.igpuMicrojoules - advance.idleMicrojoules;
  const { core, uncore } = claims;
  const { coreMicrojoules, split } = balance;
  const unit = advance.kind === 'dram' ? UNIT_OF_MEMORY[split] : UNIT_OF_SPLIT[split];
  if (coreMicrojoules === undefined || uncore === undefined || !(sumAll(uncore) > 0))
    return [poolOf('active', active, together(core, uncore), positions, unit)];
  return [
    poolOf('cores', coreMicrojoules, core, positions, unit),
    poolOf('rest of the package', active - coreMicrojoules, uncore, positions, unit),
  ];
};

const explainDomain = (
  advance: Advance,
  input: AttributionInput,
  context: SplitContext,
  isOwn: IsOwn,
): ExplainedDomain => {
  const split = splitDomain(advance, context);
  const { balance, granted } = split;
  const positions = granted === undefined ? [] : ownPositions(granted.claims, input, isOwn);
  const rows = positions.flatMap((at) => granted?.claims.taskRows[at] ?? []);
  return {
    id: advance.domain.id,
    kind: advance.domain.kind,
    name: advance.domain.name,
    origin: advance.domain.origin,
    split: balance.split,
    countedShare: balance.countedShare,
    locatedShare: balance.locatedShare ?? null,
    spanSeconds: secondsOf(advance.spanNanos),
    deltaMicrojoules: String(advance.deltaMicrojoules),
    igpuMicrojoules: String(balance.igpuMicrojoules),
    idleFloorWatts: advance.floorWatts ?? null,
    idleMicrojoules: String(advance.idleMicrojoules),
    terms: advance.kind === 'package' ? termsOf(input, context, rows) : [],
    pools: granted === undefined ? [] : poolsOf(advance, split, granted.claims, positions),
    ownMicrojoules: String(granted === undefined ? 0 : sumAt(granted.shares, positions)),
  };
};

/** Every attributed domain that advanced in the window; cost as the attribution's. */
export const explainDomains = (
  input: AttributionInput,
  isOwn: IsOwn,
): readonly ExplainedDomain[] => {
  const context = splitContext(input);
  return advancesOf(input.readings, input.idleFloors, input.idleOwed)
    .filter(({ deltaMicrojoules }) => deltaMicrojoules >= 0n)
    .map((advance) => explainDomain(advance, input, context, isOwn));
};
