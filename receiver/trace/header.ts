// SPDX-License-Identifier: Apache-2.0
/** The header of a trace: the machine, its energy plan and its clocks, to JSON and back. Pure. */
import * as E from 'fp-ts/lib/Either.js';
import type { Measure } from '../energy/measure.js';
import type { EnergyPlan, PlannedDomain } from '../energy/plan-types.js';
import type { EnergyDomainKind, EnergySourceKind } from '../model/energy-domain.js';
import type { HostTopology } from '../model/host-topology.js';
import type { LineDefect } from './parse-line.js';
import { TRACE_FORMAT, TRACE_VERSION, type HeaderRecord, type WireZone } from './wire.js';

export interface TraceMachine {
  readonly topology: HostTopology;
  readonly plan: EnergyPlan;
}

export interface HeaderFacts extends TraceMachine {
  readonly version: string;
  readonly hostName: string;
  readonly monotonicNanos: bigint;
  readonly unixNanos: bigint;
  /** What the agent was told about attribution; replay uses it unless it is told otherwise. */
  readonly settings: Readonly<Record<string, unknown>>;
}

const measureOf = (measure: Measure): WireZone['measure'] => {
  switch (measure._tag) {
    case 'Counter': {
      const { unit, maxRaw, maxWatts, mustMove } = measure.shape;
      return {
        type: 'counter',
        unitNumerator: String(unit.numerator),
        unitDenominator: String(unit.denominator),
        maxRaw: maxRaw === undefined ? null : String(maxRaw),
        maxWatts,
        mustMove,
      };
    }
    case 'Power':
      return { type: 'power', maxWatts: measure.maxWatts };
    case 'Battery':
      return {
        type: 'battery',
        maxWatts: measure.maxWatts,
        batteries: measure.batteries.map(({ name, inputs }) => ({ name, inputs })),
      };
    case 'DramModel':
      return { type: 'dram-model', package: measure.packageId, ...measure.dram };
    case 'Model': {
      const { packageId, curve } = measure;
      return { type: 'model', package: packageId, ...curve };
    }
  }
};

const zoneOf = ({ domain, measure, specs }: PlannedDomain): WireZone => ({
  id: domain.id,
  kind: domain.kind,
  name: domain.name,
  package: domain.packageId ?? null,
  parent: domain.parentId ?? null,
  source: domain.source,
  origin: domain.origin,
  attributed: domain.isAttributed,
  measure: measureOf(measure),
  readings: specs.length,
  sampling: 'edge',
});

export const headerRecord = (facts: HeaderFacts): HeaderRecord => ({
  type: 'header',
  format: TRACE_FORMAT,
  version: TRACE_VERSION,
  writer: { program: 'wattfeed', version: facts.version },
  host: facts.hostName,
  clock: { monotonicNanos: String(facts.monotonicNanos), unixNanos: String(facts.unixNanos) },
  topology: {
    cpus: facts.topology.cpus.map((cpu) => ({
      cpu: cpu.cpu,
      package: cpu.packageId,
      die: cpu.dieId,
      core: cpu.coreId,
      node: cpu.nodeId,
      coreType: cpu.coreType,
      sibling: cpu.smtSibling ?? null,
      online: cpu.isOnline,
      cpuDomain: cpu.cpuDomain,
    })),
    cpuDomains: facts.topology.cpuDomains.map(({ index, packageId, coreType, nodeId }) => ({
      index,
      package: packageId,
      coreType,
      node: nodeId,
    })),
  },
  zones: facts.plan.domains.map(zoneOf),
  settings: { ...facts.settings },
});

const topologyOf = ({ topology }: HeaderRecord): HostTopology => ({
  cpus: topology.cpus.map((cpu) => ({
    cpu: cpu.cpu,
    packageId: cpu.package,
    dieId: cpu.die,
    coreId: cpu.core,
    nodeId: cpu.node,
    coreType: cpu.coreType,
    smtSibling: cpu.sibling ?? undefined,
    isOnline: cpu.online,
    cpuDomain: cpu.cpuDomain,
  })),
  cpuDomains: topology.cpuDomains.map((domain) => ({
    index: domain.index,
    packageId: domain.package,
    coreType: domain.coreType,
    nodeId: domain.node,
  })),
  packageIds: [
    ...new Set(topology.cpus.filter((cpu) => cpu.online).map((cpu) => cpu.package)),
  ].sort((a, b) => a - b),
});

const DOMAIN_KINDS: Readonly<Record<EnergyDomainKind, true>> = {
  package: true,
  die: true,
  core: true,
  uncore: true,
  dram: true,
  platform: true,
};
const SOURCE_KINDS: Readonly<Record<EnergySourceKind, true>> = {
  perf: true,
  powercap: true,
  hwmon: true,
  'power-supply': true,
  model: true,
};

const isKeyOf = <K extends string>(table: Readonly<Record<K, true>>, text: string): text is K =>
  Object.hasOwn(table, text);

const bigIfGiven = (text: string | null | undefined): bigint | undefined =>
  text === null || text === undefined ? undefined : BigInt(text);

const energyMeasureOf = ({ measure }: WireZone): Measure => {
  switch (measure.type) {
    case 'counter':
      return {
        _tag: 'Counter',
        shape: {
          unit: {
            numerator: BigInt(measure.unitNumerator),
            denominator: BigInt(measure.unitDenominator),
          },
          maxRaw: bigIfGiven(measure.maxRaw),
          maxWatts: measure.maxWatts,
          mustMove: measure.mustMove,
        },
      };
    case 'power':
      return { _tag: 'Power', maxWatts: measure.maxWatts };
    case 'battery':
      return { _tag: 'Battery', maxWatts: measure.maxWatts, batteries: measure.batteries };
    case 'dram-model': {
      const { package: packageId, backgroundWatts, lineNanojoules } = measure;
      return { _tag: 'DramModel', packageId, dram: { backgroundWatts, lineNanojoules } };
    }
    case 'model': {
      const { package: packageId, idleWatts, maxWatts, gamma } = measure;
      return { _tag: 'Model', packageId, curve: { idleWatts, maxWatts, gamma } };
    }
  }
};

const isPredicted = ({ type }: WireZone['measure']): boolean =>
  type === 'model' || type === 'dram-model';

/** Readings that a zone takes of a window's list if the header does not say. */
const readingsOf = ({ readings, measure, sampling }: WireZone): number =>
  readings ?? (isPredicted(measure) || sampling === 'free' ? 0 : 1);

const plannedOf = (zone: WireZone, at: number): E.Either<LineDefect, PlannedDomain> => {
  const wrong = (what: string, value: string) =>
    E.left({ cause: `zones[${at.toString()}].${what}: ${value} is not known` });
  if (!isKeyOf(DOMAIN_KINDS, zone.kind)) return wrong('kind', zone.kind);
  if (!isKeyOf(SOURCE_KINDS, zone.source)) return wrong('source', zone.source);
  const isFree = zone.sampling === 'free';
  return E.right({
    domain: {
      id: zone.id,
      kind: zone.kind,
      name: zone.name,
      packageId: zone.package ?? undefined,
      parentId: zone.parent ?? undefined,
      source: zone.source,
      origin: zone.origin,
      isAttributed: zone.attributed,
    },
    measure: energyMeasureOf(zone),
    // Only their number matters: replay reads no file.
    specs: Array.from({ length: isFree ? 1 : readingsOf(zone) }, () => ({
      kind: 'file' as const,
      path: zone.id,
    })),
    evidence: 'recorded',
    isFailing: false,
  });
};

/** The first thing wrong with a header, or the machine that it describes. */
export const machineOf = (header: HeaderRecord): E.Either<LineDefect, TraceMachine> => {
  const domains: PlannedDomain[] = [];
  const ids = new Set<string>();
  for (const [at, zone] of header.zones.entries()) {
    if (ids.has(zone.id))
      return E.left({ cause: `zones[${at.toString()}].id: ${zone.id} is there twice` });
    ids.add(zone.id);
    const planned = plannedOf(zone, at);
    if (E.isLeft(planned)) return planned;
    domains.push(planned.right);
  }
  const indices = new Set(header.topology.cpuDomains.map(({ index }) => index));
  const lost = header.topology.cpus.findIndex(({ cpuDomain }) => !indices.has(cpuDomain));
  if (lost >= 0)
    return E.left({ cause: `topology.cpus[${lost.toString()}].cpuDomain: no such CPU domain` });
  return E.right({
    topology: topologyOf(header),
    plan: { domains, dropped: [], model: undefined, notes: [], longestWindowMillis: undefined },
  });
};
