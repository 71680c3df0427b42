// SPDX-License-Identifier: Apache-2.0
/**
 * Readings -> what there is to split. Counters inside a package say what of it is not the CPUs' at all
 * (`uncore` of a client package is its graphics) and what of it the cores drew.
 */
import type { AttributedKind, EnergyDomain } from '../model/energy-domain.js';
import { energyOf, microjoules, nanos, ZERO_MICROJOULES } from '../model/units.js';
import type { Microjoules, Nanos, Watts } from '../model/units.js';
import type { DomainReading } from '../model/window.js';

/** One domain's delta to be split. */
export interface Advance {
  readonly domain: EnergyDomain;
  readonly kind: AttributedKind;
  readonly deltaMicrojoules: Microjoules;
  readonly spanNanos: Nanos;
  /** Part of the span before the window began. */
  readonly missedNanos: Nanos;
  readonly floorWatts: Watts | undefined;
  /** Idle floor over the span and what earlier windows owe, at most what is left of the delta. */
  readonly idleMicrojoules: Microjoules;
  readonly igpuMicrojoules: Microjoules;
  /** What the cores drew above their own floor, at most the active energy; undefined: nothing says it. */
  readonly coreMicrojoules: Microjoules | undefined;
}

interface Advanced {
  readonly domain: EnergyDomain;
  readonly deltaMicrojoules: Microjoules;
  readonly spanNanos: Nanos;
  readonly missedNanos: Nanos;
}

/** Memory is memory; anything else that is attributed (a package, its dies, a host model) is CPU. */
export const attributedKind = (domain: EnergyDomain): AttributedKind =>
  domain.kind === 'dram' ? 'dram' : 'package';

const advancedOf = (readings: readonly DomainReading[]): readonly Advanced[] =>
  readings.flatMap(({ domain, step }) => {
    if (step._tag !== 'Advanced') return [];
    const { deltaMicrojoules, spanNanos, missedNanos = nanos(0n) } = step;
    return [{ domain, deltaMicrojoules, spanNanos, missedNanos }];
  });

const least = (a: bigint, b: bigint): Microjoules => microjoules(a < b ? a : b);

/** A part is read a moment apart from its whole: its power over the whole's span. */
const overSpanOf = (whole: Advanced, part: Advanced): bigint =>
  part.spanNanos > 0n ? (part.deltaMicrojoules * whole.spanNanos) / part.spanNanos : 0n;

/** Spans further apart than this say that one of the two missed a window: a part then says nothing. */
const isSameSpan = (whole: Advanced, part: Advanced): boolean =>
  part.spanNanos * 2n > whole.spanNanos && part.spanNanos < whole.spanNanos * 2n;

const partsOf = (
  whole: Advanced,
  kind: 'core' | 'uncore',
  all: readonly Advanced[],
): readonly Advanced[] =>
  all.filter(
    (part) =>
      part.domain.kind === kind &&
      part.domain.parentId === whole.domain.id &&
      part.deltaMicrojoules >= 0n &&
      isSameSpan(whole, part),
  );

const floorOver = (floorWatts: Watts | undefined, spanNanos: Nanos): bigint =>
  floorWatts !== undefined && floorWatts > 0 ? energyOf(floorWatts, spanNanos) : ZERO_MICROJOULES;

type Floors = ReadonlyMap<string, Watts | undefined>;
type Owed = ReadonlyMap<string, Microjoules>;

const NOTHING_OWED: Owed = new Map();

/**
 * Undefined unless the floors of the cores and of the package are both known or both not: with one of
 * them alone the rest of the package would be wrong by the other's idle power.
 */
const coreEnergy = (
  whole: Advanced,
  all: readonly Advanced[],
  floors: Floors,
): bigint | undefined => {
  const cores = partsOf(whole, 'core', all);
  const isFloorKnown = floors.get(whole.domain.id) !== undefined;
  if (
    cores.length === 0 ||
    cores.some(({ domain }) => (floors.get(domain.id) !== undefined) !== isFloorKnown)
  )
    return undefined;
  return cores.reduce((sum, core) => {
    const above = overSpanOf(whole, core) - floorOver(floors.get(core.domain.id), whole.spanNanos);
    return above > 0n ? sum + above : sum;
  }, 0n);
};

/** The graphics' part of a package over the package's span, whatever its own floor. */
export const igpuEnergy = (whole: Advanced, all: readonly Advanced[]): Microjoules => {
  if (whole.deltaMicrojoules <= 0n) return ZERO_MICROJOULES;
  const energy = partsOf(whole, 'uncore', all).reduce(
    (sum, part) => sum + overSpanOf(whole, part),
    0n,
  );
  return least(energy, whole.deltaMicrojoules);
};

const advanceOf = (
  whole: Advanced,
  all: readonly Advanced[],
  floors: Floors,
  owed: Owed,
): Advance => {
  const { domain, deltaMicrojoules, spanNanos, missedNanos } = whole;
  const floorWatts = floors.get(domain.id);
  const igpuMicrojoules = igpuEnergy(whole, all);
  const left = deltaMicrojoules > 0n ? deltaMicrojoules - igpuMicrojoules : 0n;
  const idle = floorOver(floorWatts, spanNanos) + (owed.get(domain.id) ?? 0n);
  const idleMicrojoules = least(idle, left);
  const cores = coreEnergy(whole, all, floors);
  return {
    domain,
    kind: attributedKind(domain),
    deltaMicrojoules,
    spanNanos,
    missedNanos,
    floorWatts,
    idleMicrojoules,
    igpuMicrojoules,
    coreMicrojoules: cores === undefined ? undefined : least(cores, left - idleMicrojoules),
  };
};

/** Every attributed domain that advanced, in the order of the readings. */
export const advancesOf = (
  readings: readonly DomainReading[],
  floors: Floors,
  owed: Owed = NOTHING_OWED,
): readonly Advance[] => {
  const all = advancedOf(readings);
  return all
    .filter(({ domain }) => domain.isAttributed)
    .map((whole) => advanceOf(whole, all, floors, owed));
};

/** By domain id: energy of the domains that have graphics inside, without it; for the idle floor. */
export const energyWithoutGraphics = (
  readings: readonly DomainReading[],
): ReadonlyMap<string, Microjoules> => {
  const all = advancedOf(readings);
  return new Map(
    all.map((whole) => [
      whole.domain.id,
      microjoules(whole.deltaMicrojoules - igpuEnergy(whole, all)),
    ]),
  );
};
