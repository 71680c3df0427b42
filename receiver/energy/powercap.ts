// SPDX-License-Identifier: Apache-2.0
/**
 * Reads what `/sys/class/powercap` offers. "Zone" is the kernel's word and is used in this file only.
 *
 * A zone is known by its `name`, never by its index: `:0:0` is `core` on clients and `dram` on
 * servers. Layout as in Documentation/power/powercap/powercap.rst of the kernel.
 */
import type { EnergyDomainKind } from '../model/energy-domain.js';
import { MICROWATTS_PER_WATT } from '../model/units.js';
import { integerAt, namesIn, textAt } from '../host/values.js';

export interface PowercapConstraint {
  readonly name: string;
  readonly limitMicrowatts: bigint | undefined;
  readonly maxMicrowatts: bigint | undefined;
}

export interface PowercapZone {
  /** `intel-rapl:0:1`. */
  readonly id: string;
  /** `intel-rapl`, `intel-rapl-mmio`, `dtpm`, … */
  readonly controlType: string;
  readonly name: string;
  /** undefined: a name nobody knows; reported, not used. */
  readonly kind: EnergyDomainKind | undefined;
  readonly packageId: number | undefined;
  readonly dieId: number | undefined;
  readonly parentId: string | undefined;
  readonly energyPath: string;
  /** The counter's largest value; undefined where it is 0, unreadable or not a number: then no wrap can be told. */
  readonly maxEnergyRangeMicrojoules: bigint | undefined;
  readonly constraints: readonly PowercapConstraint[];
}

const ZONE_NAME = /^(.+?)((?::\d+)+)$/;

interface NameMeaning {
  readonly kind: EnergyDomainKind | undefined;
  readonly packageId: number | undefined;
  readonly dieId: number | undefined;
}

/** A Map, because a name is whatever a file says: an object would know `constructor` too. */
const KIND_OF_NAME: ReadonlyMap<string, EnergyDomainKind> = new Map([
  ['core', 'core'],
  ['uncore', 'uncore'],
  ['dram', 'dram'],
  ['psys', 'platform'],
]);

/** What the kernel's zone names mean. A sub-zone's package is its parent's. */
export const meaningOfName = (name: string): NameMeaning => {
  const numbered = /^package-(\d+)(?:-die-(\d+))?$/.exec(name);
  if (numbered !== null) {
    const dieId = numbered[2] === undefined ? undefined : Number(numbered[2]);
    return {
      kind: dieId === undefined ? 'package' : 'die',
      packageId: Number(numbered[1]),
      dieId,
    };
  }
  return { kind: KIND_OF_NAME.get(name), packageId: undefined, dieId: undefined };
};

const readConstraints = (directory: string): readonly PowercapConstraint[] =>
  namesIn(directory).flatMap((entry) => {
    const index = /^constraint_(\d+)_name$/.exec(entry)?.[1];
    if (index === undefined) return [];
    const prefix = `${directory}/constraint_${index}`;
    return [
      {
        name: textAt(`${prefix}_name`) ?? '',
        limitMicrowatts: integerAt(`${prefix}_power_limit_uw`),
        maxMicrowatts: integerAt(`${prefix}_max_power_uw`),
      },
    ];
  });

const readZone = (id: string, directory: string): PowercapZone => {
  const name = textAt(`${directory}/name`) ?? '';
  const range = integerAt(`${directory}/max_energy_range_uj`);
  const parent = /^(.+:\d+):\d+$/.exec(id)?.[1];
  return {
    id,
    controlType: ZONE_NAME.exec(id)?.[1] ?? id,
    name,
    ...meaningOfName(name),
    parentId: parent,
    energyPath: `${directory}/energy_uj`,
    maxEnergyRangeMicrojoules: range !== undefined && range > 0n ? range : undefined,
    constraints: readConstraints(directory),
  };
};

/**
 * Finds zone directories below `directory`: flat links as in class/powercap, or nested as in
 * devices/virtual/powercap. Only names that extend the parent's are followed, so the links
 * `device`, `subsystem` and `power` cannot lead in circles.
 */
const findZones = (directory: string, prefix: string, found: Map<string, string>): void => {
  for (const entry of namesIn(directory)) {
    const isZone = ZONE_NAME.test(entry) && (prefix === '' || entry.startsWith(`${prefix}:`));
    const path = `${directory}/${entry}`;
    if (isZone) {
      if (!found.has(entry)) found.set(entry, path);
      findZones(path, entry, found);
    } else if (prefix === '' && !entry.includes(':')) {
      findZones(path, entry, found);
    }
  }
};

/** Zones of a package come by it: `core`, `uncore` and `dram` inherit the parent's package and die. */
const inheritPlace = (zones: readonly PowercapZone[]): readonly PowercapZone[] => {
  const byId = new Map(zones.map((zone) => [zone.id, zone]));
  return zones.map((zone) => {
    const parent = zone.parentId === undefined ? undefined : byId.get(zone.parentId);
    if (parent === undefined || zone.packageId !== undefined) return zone;
    return { ...zone, packageId: parent.packageId, dieId: parent.dieId };
  });
};

const byNumbers = (a: PowercapZone, b: PowercapZone): number =>
  a.id.localeCompare(b.id, 'en', { numeric: true });

/** Every zone of every control type, sorted by id. Without powercap: none, which is a fact and no error. */
export const readPowercap = (sysfs: string): readonly PowercapZone[] => {
  const found = new Map<string, string>();
  findZones(`${sysfs}/class/powercap`, '', found);
  if (found.size === 0) findZones(`${sysfs}/devices/virtual/powercap`, '', found);
  const zones = [...found].map(([id, directory]) => readZone(id, directory));
  return [...inheritPlace(zones)].sort(byNumbers);
};

/** The largest limit or maximum that any constraint of the zone declares, in watts; undefined if none does. */
export const largestConstraintWatts = (zone: PowercapZone): number | undefined => {
  const values = zone.constraints
    .flatMap((constraint) => [constraint.limitMicrowatts, constraint.maxMicrowatts])
    .filter((value): value is bigint => value !== undefined && value > 0n);
  if (values.length === 0) return undefined;
  return Number(values.reduce((a, b) => (a > b ? a : b))) / MICROWATTS_PER_WATT;
};
