// SPDX-License-Identifier: Apache-2.0
/** Facts -> everything that could measure a domain, and what certainly cannot. Pure. */
import type { EnergyDomainKind } from '../model/energy-domain.js';
import type { EnergyFacts } from './facts.js';
import { MICROJOULE_UNIT } from './energy-unit.js';
import type { EnergyCandidate, Measure } from './measure.js';
import { readingsOfBattery } from './measure.js';
import type { Battery } from './power-supply.js';
import { perfCandidates } from './perf-candidates.js';
import { maxPlausibleWatts } from './plausible.js';
import type { PowercapZone } from './powercap.js';

/** A thing that offers energy or power and is of no use; `check` tells why. */
export interface UnusableSource {
  readonly id: string;
  readonly name: string;
  /** unknown: a name nobody knows; foreign: not a CPU's and not the machine's; unfit: known, but no use. */
  readonly reason: 'unknown' | 'foreign' | 'unfit';
  readonly why: string;
}

export interface Candidates {
  readonly usable: readonly EnergyCandidate[];
  readonly unusable: readonly UnusableSource[];
}

const hasToMove = (kind: EnergyDomainKind): boolean =>
  kind === 'package' || kind === 'die' || kind === 'platform';

/** AMD's core register is per core: the zone shows the one that happened to be asked (seen on EPYC 7702). */
const AMD_CORE_ZONE = 'on AMD this zone counts one core only, whichever is asked';

const zoneCandidate = (
  facts: EnergyFacts,
  zone: PowercapZone,
  kind: EnergyDomainKind,
  configuredWatts: number | undefined,
): EnergyCandidate => ({
  id: zone.id,
  kind,
  name: zone.name,
  packageId: zone.packageId,
  dieId: zone.dieId,
  source: 'powercap',
  // The MMIO interface shows the same registers again.
  rank: zone.controlType.endsWith('-mmio') ? 1 : 0,
  measure: {
    _tag: 'Counter',
    shape: {
      unit: MICROJOULE_UNIT,
      maxRaw: zone.maxEnergyRangeMicrojoules,
      maxWatts: maxPlausibleWatts(facts.zones, kind, zone.packageId, configuredWatts),
      mustMove: hasToMove(kind),
    },
  },
  specs: [{ kind: 'file', path: zone.energyPath }],
  unfit: kind === 'core' && facts.cpuModel.vendor === 'AuthenticAMD' ? AMD_CORE_ZONE : undefined,
});

const zoneCandidates = (facts: EnergyFacts, configuredWatts: number | undefined): Candidates => {
  const usable: EnergyCandidate[] = [];
  const unusable: UnusableSource[] = [];
  for (const zone of facts.zones) {
    if (zone.kind !== undefined)
      usable.push(zoneCandidate(facts, zone, zone.kind, configuredWatts));
    else
      unusable.push({
        id: zone.id,
        name: zone.name,
        reason: 'unknown',
        why: zone.name === '' ? 'zone without a readable name' : 'zone name not known',
      });
  }
  return { usable, unusable };
};

const sensorCandidates = (facts: EnergyFacts, configuredWatts: number | undefined): Candidates => {
  const usable: EnergyCandidate[] = [];
  const unusable: UnusableSource[] = [];
  for (const sensor of facts.sensors) {
    const { id, kind, packageId } = sensor;
    const name = sensor.label === '' ? sensor.chip : sensor.label;
    if (kind === undefined) {
      unusable.push({ id, name, reason: 'foreign', why: sensor.why });
      continue;
    }
    const maxWatts = maxPlausibleWatts(facts.zones, kind, packageId, configuredWatts);
    const measure: Measure =
      sensor.quantity === 'power'
        ? { _tag: 'Power', maxWatts }
        : {
            _tag: 'Counter',
            shape: {
              unit: MICROJOULE_UNIT,
              maxRaw: undefined,
              maxWatts,
              mustMove: hasToMove(kind),
            },
          };
    usable.push({
      id,
      kind,
      name,
      packageId,
      dieId: undefined,
      source: 'hwmon',
      rank: sensor.quantity === 'energy' ? 0 : 1,
      measure,
      specs: [{ kind: 'file', path: sensor.path }],
      unfit: undefined,
    });
  }
  return { usable, unusable };
};

const batteryPaths = ({ directory, inputs }: Battery): readonly string[] =>
  (inputs === 'power' ? ['status', 'power_now'] : ['status', 'current_now', 'voltage_now']).map(
    (attribute) => `${directory}/${attribute}`,
  );

/** All batteries are one meter: a machine with two discharges one after the other. */
const batteryCandidates = (facts: EnergyFacts, configuredWatts: number | undefined): Candidates => {
  const telling = facts.batteries.flatMap(({ inputs, ...battery }) =>
    inputs === undefined ? [] : [{ ...battery, inputs }],
  );
  const unusable = facts.batteries
    .filter((battery) => battery.inputs === undefined)
    .map(({ name }): UnusableSource => ({
      id: `power_supply/${name}`,
      name,
      reason: 'unfit',
      why: 'battery tells neither power_now nor current_now and voltage_now',
    }));
  if (telling.length === 0) return { usable: [], unusable };
  const measure: Measure = {
    _tag: 'Battery',
    batteries: telling.map(({ name, inputs }) => ({ name, inputs })),
    maxWatts: maxPlausibleWatts(facts.zones, 'platform', undefined, configuredWatts),
  };
  const candidate: EnergyCandidate = {
    id: 'power_supply/battery',
    kind: 'platform',
    name: telling.map(({ name }) => name).join('+'),
    packageId: undefined,
    dieId: undefined,
    source: 'power-supply',
    rank: 0,
    measure,
    specs: telling.flatMap((battery) =>
      batteryPaths(battery).map((path) => ({ kind: 'file' as const, path })),
    ),
    unfit: undefined,
  };
  return { usable: [candidate], unusable };
};

/** How many raw readings a candidate takes per window. */
export const readingsOf = (measure: Measure): number => {
  switch (measure._tag) {
    case 'Counter':
    case 'Power':
      return 1;
    case 'Battery':
      return measure.batteries.reduce((sum, battery) => sum + readingsOfBattery(battery), 0);
    case 'Model':
    case 'DramModel':
      return 0;
  }
};

/** `configuredWatts`: `energy.max_plausible_watts`; it replaces every derived limit. `readsCores`: `energy.core_counters`. */
export const listCandidates = (
  facts: EnergyFacts,
  configuredWatts?: number,
  readsCores = false,
): Candidates => {
  const all = [
    perfCandidates(facts, configuredWatts, readsCores),
    zoneCandidates(facts, configuredWatts),
    sensorCandidates(facts, configuredWatts),
    batteryCandidates(facts, configuredWatts),
  ];
  return {
    usable: all.flatMap((part) => part.usable),
    unusable: all.flatMap((part) => part.unusable),
  };
};
